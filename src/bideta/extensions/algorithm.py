"""Algorithm 1 with what is ours: labelled contacts as nodes, labels spread, a class prior that looks, a second pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from bideta.extensions import batch as joint
from bideta.extensions import class_prior, second_pass
from bideta.extensions.batch import Batch
from bideta.extensions.class_prior import Rule
from bideta.extensions.label_spread import spread_labels
from bideta.extensions.labelled_nodes import LabelledNodes, search_with
from bideta.extensions.settings import SensorSettings
from bideta.method import Floats, Floats64, Indices, graph, recurrence
from bideta.method.algorithm import Inference
from bideta.method.readout import AdaptedReadout
from bideta.method.settings import Settings


def infer(
    readouts: Sequence[AdaptedReadout],
    support: Sequence[Floats],
    y: Indices,
    queries: Sequence[Floats],
    prior: Floats64 | Rule | None,
    settings: SensorSettings,
    search: graph.Search,
    nodes: LabelledNodes | None,
) -> Inference:
    """As ``method.algorithm.infer``; a rule may choose π, with ``nodes`` a query has neighbours even when alone.

    ``support`` and its classes ``y`` are what the readouts were adapted to; a second pass asks them again.
    """
    scores = [readout.scores(H) for readout, H in zip(readouts, queries, strict=True)]
    m, C = scores[0].shape
    graphs, recall = [], []
    if has_graph(m, C, prior, settings, nodes):
        for v, (readout, H) in enumerate(zip(readouts, queries, strict=True)):
            if nodes is None:
                Q = readout.directions(H, settings.geometry)
                neighbors = search(Q, min(settings.n_neighbors, m - 1))
            else:
                neighbors = search_with(nodes, v, readout, H, settings.n_neighbors, search)
            W = graph.directed(neighbors, settings.graph_temperature)
            graphs.append(graph.symmetrize(W, None if nodes is None else m))
            recall.append(neighbors.recall)
    G = graph.consensus(graphs, settings.fusion) if graphs else None
    to_support = labelled = spread = None
    if G is not None and nodes is not None:
        G, to_support = csr_array(G[:, :m]), csr_array(G[:, m:])
        labelled = to_support @ nodes.labels
        if settings.label_spread:
            spread = spread_labels(G, labelled, settings.label_spread)
    answers = class_prior.settle(Batch(scores, G, labelled, spread=spread), settings, prior)
    if settings.second_pass and second_pass.applies(answers, y):
        again = second_pass.taught_scores(readouts, support, y, queries, answers.proba, settings)
        answers = joint.settle(Batch(again, G, labelled), settings, answers.prior)
    anchors = answers.anchors
    return Inference(
        np.arange(C),
        anchors.views,
        anchors.anchor,
        csr_array((m, m)) if G is None else G,
        anchors.ambiguity,
        anchors.disagreement,
        answers.gate,
        answers.proba,
        tuple(recall),
        to_support,
        answers.prior,
    )


def has_graph(
    m: int, C: int, prior: Floats64 | Rule | None, settings: Settings, nodes: LabelledNodes | None
) -> bool:
    """Whether a batch is answered over a graph: with labelled nodes always, else where the paper's method does.

    A rule may look at a batch that is too small for class frequencies: it leaves such a batch free.
    """
    fixed = prior if isinstance(prior, np.ndarray) else None
    return settings.n_iter > 0 and (nodes is not None or recurrence.is_joint(m, C, fixed))
