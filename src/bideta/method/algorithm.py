"""Algorithm 1: the queries of one target sensor, answered jointly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bideta.method import Floats, Floats64, Indices, gate, graph, memory, recurrence
from bideta.method.readout import AdaptedReadout
from bideta.method.settings import Settings


@dataclass(frozen=True)
class Inference:
    """Everything the method knows about a query batch, in the paper's letters; rows are queries.

    Rows of ``graph`` (and of ``support_graph``, together with it) sum to one. Where no recurrence ran the graph is
    empty, the gate zero and the answer the anchor.

    Attributes:
        classes: (C,) what the columns stand for: class indices, or the names that a sensor knows
        views: P⁽ᵛ⁾, (m, C) for each readout
        anchor: P₀, (m, C)
        graph: G, (m, m)
        ambiguity: a, (m,)
        disagreement: d, (m,)
        gate: r, (m,)
        proba: P after T steps, (m, C)
        recall: share of the true neighbours that the search found, for each readout
        support_graph: (m, n) edges to the labelled contacts; None: they are no nodes
        prior: π that the batch was held to (or that was estimated from it); None: left free
        check: where its pictures seem to come from (``bideta.images.batch_check``); None: nobody looked
    """

    classes: NDArray[Any]
    views: tuple[Floats64, ...]
    anchor: Floats64
    graph: csr_array
    ambiguity: Floats64
    disagreement: Floats64
    gate: Floats64
    proba: Floats64
    recall: tuple[float, ...] = ()
    support_graph: csr_array | None = None
    prior: Floats64 | None = None
    check: Any = None

    def ranking(self) -> Indices:
        """(m, C) columns, most probable first; ties are ordered by the anchor, then by column."""
        return np.lexsort((-self.anchor, -self.proba), axis=1)


def infer(
    readouts: Sequence[AdaptedReadout],
    queries: Sequence[Floats],
    prior: Floats64 | None,
    settings: Settings,
    search: graph.Search,
) -> Inference:
    """Class distributions of a query batch (Alg. 1, lines 5–11).

    ``prior`` is π, the class frequencies that the batch is held to; None leaves out 𝒩_π. ``search`` finds neighbours by
    cosine (``bideta.neighbors``). γ is that of the adapted readouts, whatever the settings say.
    """
    # Anchor: what the labelled contacts alone say.
    scores = [readout.scores(H) for readout, H in zip(readouts, queries, strict=True)]  # Eqs. 1–2
    views = tuple(memory.posterior(ell, settings.memory_temperature) for ell in scores)  # Eq. 3
    anchor = memory.fuse(views, settings.alpha)
    a, d = gate.ambiguity(anchor), gate.disagreement(views)  # Eq. 8
    m, C = anchor.shape
    if settings.n_iter == 0 or not recurrence.is_joint(m, C, prior):
        return Inference(np.arange(C), views, anchor, csr_array((m, m)), a, d, np.zeros(m), anchor)
    # Graph: which queries are alike, apart from what varies within classes.
    graphs, recall = [], []
    for readout, H in zip(readouts, queries, strict=True):
        Q = readout.directions(H, settings.geometry)  # Eqs. 1, 5
        neighbors = search(Q, min(settings.n_neighbors, m - 1))
        W = graph.directed(neighbors, settings.graph_temperature)  # Eq. 6
        graphs.append(graph.symmetrize(W))  # Eq. 7
        recall.append(neighbors.recall)
    G = graph.consensus(graphs, settings.fusion)
    # Gate and recurrence: every query listens to its neighbours, an unsure one more.
    r = gate.recurrence_weight(a, d, settings)  # Eq. 9
    P = recurrence.recur(anchor, G, r, prior, settings.n_iter)  # Eqs. 10–11
    return Inference(np.arange(C), views, anchor, G, a, d, r, P, tuple(recall), prior=prior)
