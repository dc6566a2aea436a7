"""Algorithm 1: adapt to one target sensor, then infer its queries jointly."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bideta.extensions import batch as joint
from bideta.extensions import class_prior as priors
from bideta.extensions import leave_one_out
from bideta.method import graph, memory, spectrum
from bideta.method.covariance import MatrixFunction, WithinClass, class_means, within_class
from bideta.method.memory import Memory
from bideta.method.projection import Projection, fold
from bideta.method.standardize import Floats, Standardizer, standardize
from bideta.neighbors.search import Neighbors, nearest
from bideta.neighbors.ties import Precise
from bideta.neighbors.with_labelled import known_neighbors, nearest_with, serves

BLOCK = 256  # queries projected at a time, at least: few enough for the cache, and mapped files stay on disk
ONLINE = 512  # queries up to which rounded rows decide close calls: OnlineBideta answers the same and has no others


@dataclass(frozen=True)
class AdaptedReadout:
    """What the support says about one readout."""

    standardizer: Standardizer
    covariance: WithinClass
    memory: Memory
    transform: MatrixFunction | None  # None: the identity

    def projection(self, dtype: Any) -> Projection:
        """What turns queries of a precision into scores and rows of the graph."""
        return self._single if dtype == np.float32 else self._double

    def __getstate__(self) -> dict[str, Any]:
        """Without what was computed for the first query: a copy computes it again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def _single(self) -> Projection:
        return fold(self.standardizer, self.memory, self.transform, np.float32)

    @cached_property
    def _double(self) -> Projection:
        return fold(self.standardizer, self.memory, self.transform, np.float64)


@dataclass(frozen=True)
class SupportNodes:
    """The labelled contacts as nodes of the graph, clamped to their labels. Ours; the paper's graph holds queries only.

    They search for neighbours like every query, so that Eqs. 6–7 hold unchanged on m + n nodes: an edge counts from
    both ends. They need no anchor and no gate, for nothing updates them.
    """

    geometry: str
    rows: tuple[Floats, ...]  # (n, d) unit rows of each readout in that geometry
    labels: NDArray[np.float64]  # (n, C) one-hot
    known: tuple[Neighbors, ...]  # neighbours of each labelled contact among the others, for each readout


@dataclass(frozen=True)
class PreciseRows:
    """Rows of the graph in double, for the few queries whose neighbours are a close call in float32."""

    readout: AdaptedReadout
    H: Floats  # (m, d) features of the queries
    Q: Floats  # their rows in float32, and those of labelled contacts below

    def __call__(self, queries: NDArray[np.intp]) -> NDArray[np.float64]:
        """(queries, d) rows."""
        rows = self.Q[queries].astype(np.float64)
        own = queries < len(self.H)
        rows[own] = self.readout.projection(np.float32).precise_rows(self.H[queries[own]])
        return rows


@dataclass(frozen=True)
class Inference:
    """Everything the method knows about a query batch, in the paper's letters; rows are queries."""

    classes: NDArray[Any]  # (C,) what the columns stand for
    views: tuple[NDArray[np.float64], ...]  # P⁽ᵛ⁾, (m, C) for each readout
    anchor: NDArray[np.float64]  # P₀, (m, C)
    graph: (
        csr_array  # G, (m, m); empty where no recurrence ran. Its rows and those of support_graph sum to one
    )
    ambiguity: NDArray[np.float64]  # a, (m,)
    disagreement: NDArray[np.float64]  # d, (m,)
    gate: NDArray[np.float64]  # r, (m,); zero where no recurrence ran
    proba: NDArray[np.float64]  # P after T steps, (m, C)
    recall: tuple[
        float, ...
    ] = ()  # share of true neighbours found, for each readout; 1 where the search is exact
    support_graph: csr_array | None = None  # (m, n) edges to the labelled contacts; None: they are no nodes
    prior: NDArray[np.float64] | None = (
        None  # π that it was held to, or assumed where estimated; None: left free
    )


def adapt(
    H: Floats, y: NDArray[np.intp], prior: NDArray[np.float64], *, shrinkage: float | str, gamma: float
) -> AdaptedReadout:
    """Scaler, memory and spectral transform of one readout from its labelled support (Alg. 1, lines 3–4).

    ``y`` holds class indices 0 … C − 1, each present. ``shrinkage="auto"`` is the Ledoit–Wolf intensity.
    """
    order = np.argsort(y, kind="stable")  # by class, so that class sums and contrasts are slices
    counts = np.bincount(y)
    standardizer, Z = standardize(H[order])
    means = class_means(Z, counts)
    covariance = within_class(Z, counts, means)
    return assemble(standardizer, covariance, means, prior, shrinkage=shrinkage, gamma=gamma)


def assemble(
    standardizer: Standardizer,
    covariance: WithinClass,
    means: NDArray[np.float64],
    prior: NDArray[np.float64],
    *,
    shrinkage: float | str,
    gamma: float,
) -> AdaptedReadout:
    """The readout whose statistics these are; ``means`` are those of the standardised classes."""
    return AdaptedReadout(
        standardizer,
        covariance,
        memory.fit_memory(means, covariance, prior, covariance.resolve(shrinkage)),
        spectrum.transform(covariance, gamma),
    )


def infer(
    adapted: Sequence[AdaptedReadout],
    queries: Sequence[Floats],
    prior: NDArray[np.float64] | priors.Rule | None,
    *,
    memory_temperature: float,
    alpha: float,
    geometry: str,
    n_neighbors: int,
    graph_temperature: float,
    fusion: str,
    disagreement_weight: float,
    gate_exponent: float,
    r_min: float,
    r_max: float,
    n_iter: int,
    search: Callable[[Floats, int, Precise | None], Neighbors] = nearest,
    nodes: SupportNodes | None = None,
) -> Inference:
    """Class distributions of a query batch (Alg. 1, lines 4–11). ``prior=None`` leaves out 𝒩_π, a rule chooses π.

    Fewer queries than classes cannot follow a class prior (forcing them to would erase their evidence), and one
    query has no neighbours. Such a batch keeps its anchor; with ``nodes`` it only goes without 𝒩_π.
    """
    m, C = len(queries[0]), len(adapted[0].memory.intercepts)
    small = m == 1 or (isinstance(prior, np.ndarray) and m < C)
    wanted = geometry if n_iter > 0 and (nodes is not None or not small) else None
    scores, graphs, recall = [], [], []
    for v, (readout, H) in enumerate(zip(adapted, queries, strict=True)):
        ell, Q = _project(readout, H, wanted, below=None if nodes is None else nodes.rows[v])
        scores.append(ell)
        if Q is not None:
            k = min(n_neighbors, len(Q) - 1)
            if nodes is not None and serves(Q, nodes.known[v], k):
                found = nearest_with(Q, nodes.known[v], k)
            else:
                rounded = Q.dtype == np.float32 and geometry == "spectral" and m > ONLINE
                found = search(Q, k, PreciseRows(readout, H, Q) if rounded else None)
            recall.append(found.recall)
            W = graph.directed(found, graph_temperature)
            graphs.append(graph.symmetrize(W, None if nodes is None else m))
    G = graph.consensus(graphs, fusion) if graphs else None
    to_support = labelled = None
    if G is not None and nodes is not None:
        G, to_support = csr_array(G[:, :m]), csr_array(G[:, m:])
        labelled = to_support @ nodes.labels
    batch = joint.Batch(scores, G, labelled)
    settings = joint.Settings(
        memory_temperature, alpha, disagreement_weight, gate_exponent, r_min, r_max, n_iter
    )
    answers = priors.settle(batch, settings, prior)
    return Inference(
        np.arange(C),
        answers.own.views,
        answers.own.anchor,
        csr_array((m, m)) if G is None else G,
        answers.own.ambiguity,
        answers.own.disagreement,
        answers.gate,
        answers.proba,
        tuple(recall),
        to_support,
        answers.prior,
    )


def support_nodes(
    adapted: Sequence[AdaptedReadout],
    support: Sequence[Floats],
    y: NDArray[np.intp],
    geometry: str,
    n_neighbors: int = 0,
) -> SupportNodes:
    """The labelled contacts in the geometry of the graph: all that ``infer`` needs of them, made once.

    With ``n_neighbors`` their own neighbours are searched now, which makes small batches faster later.
    """
    rows = []
    for readout, H in zip(adapted, support, strict=True):
        _, Q = _project(readout, H, geometry)
        assert Q is not None
        rows.append(Q)
    C = len(adapted[0].memory.intercepts)
    known = tuple(known_neighbors(Q, n_neighbors) for Q in rows)
    return SupportNodes(geometry, tuple(rows), np.eye(C)[y], known)


def unseen_scores(
    adapted: Sequence[AdaptedReadout],
    support: Sequence[Floats],
    y: NDArray[np.intp],
    groups: NDArray[np.intp],
    shrinkage: float | str,
) -> list[NDArray[np.float64]]:
    """Class scores (n, C) of each readout for the labelled contacts, each as if the memory had not seen its press."""
    frequencies = np.bincount(y) / len(y)
    return [
        leave_one_out.scores(
            readout.standardizer(H),
            y,
            readout.covariance,
            frequencies,
            readout.covariance.resolve(shrinkage),
            groups,
        )
        for readout, H in zip(adapted, support, strict=True)
    ]


def prior_rule(
    adapted: Sequence[AdaptedReadout],
    support: Sequence[Floats],
    y: NDArray[np.intp],
    groups: NDArray[np.intp],
    *,
    shrinkage: float | str,
    alpha: float,
    mixed: bool,
) -> priors.Rule:
    """What an estimated class prior needs of the support: its frequencies, and a calibrated memory.

    Where every class has a single press the memory has nothing to be calibrated on.
    """
    counts = np.bincount(y)
    several = ~leave_one_out.alone(y, groups)
    if not several.any():
        return priors.Rule(counts, None, mixed)
    scores = [ell[several] for ell in unseen_scores(adapted, support, y, groups, shrinkage)]
    return priors.Rule(counts, priors.fit_temperature(scores, y[several], alpha), mixed)


def _project(
    readout: AdaptedReadout, H: Floats, geometry: str | None, below: Floats | None = None
) -> tuple[NDArray[np.float64], Floats | None]:
    """Memory scores (m, C), and the unit-length features of the graph (m, d) where a geometry is named.

    ``below`` are further unit rows to be put under them.
    """
    m = len(H)
    ell = np.empty((m, len(readout.memory.intercepts)))
    Q = _workspace(H, 0 if below is None else len(below)) if geometry else None
    if Q is not None and below is not None:
        Q[m:] = below
    projection = readout.projection(H.dtype)
    step = max(1, -(-m // max(1, m // BLOCK)))  # equal blocks
    for start in range(0, m, step):
        rows = slice(start, min(start + step, m))
        D = projection.centered(H[rows])
        ell[rows] = projection.scores(D, H[rows])
        if Q is not None:
            if geometry == "raw":
                Q[rows] = H[rows]
                graph.unit_rows(Q[rows])
            else:
                projection.unit_rows(D, H[rows], Q[rows])
    return ell, Q


def _workspace(H: Floats, extra: int) -> Floats:
    """An array like H with more rows to write to: in memory, or in a temporary file where H is memory-mapped."""
    shape = (len(H) + extra, H.shape[1])
    base: Any = H
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, mmap.mmap):
        return np.empty(shape, H.dtype)
    with tempfile.TemporaryFile() as file:  # the mapping keeps the unnamed file alive
        return np.memmap(file, H.dtype, "w+", shape=shape)
