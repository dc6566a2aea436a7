"""Algorithm 1: adapt to one target sensor, then infer its queries jointly."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bideta.method import gate, graph, memory, recurrence, spectrum
from bideta.method.covariance import MatrixFunction, WithinClass, class_means, within_class
from bideta.method.memory import Memory
from bideta.method.neighbors import Neighbors, nearest
from bideta.method.readouts import Floats, Standardizer, fit_standardizer

BLOCK = (
    1024  # queries standardised and transformed at a time: small for the cache, and mapped files stay on disk
)


@dataclass(frozen=True)
class AdaptedReadout:
    """What the support says about one readout."""

    standardizer: Standardizer
    covariance: WithinClass
    memory: Memory
    transform: MatrixFunction | None  # None: the identity


@dataclass(frozen=True)
class Inference:
    """Everything the method knows about a query batch, in the paper's letters; rows are queries."""

    classes: NDArray[Any]  # (C,) what the columns stand for
    views: tuple[NDArray[np.float64], ...]  # P⁽ᵛ⁾, (m, C) for each readout
    anchor: NDArray[np.float64]  # P₀, (m, C)
    graph: csr_array  # G, (m, m), row-stochastic; empty where no recurrence ran
    ambiguity: NDArray[np.float64]  # a, (m,)
    disagreement: NDArray[np.float64]  # d, (m,)
    gate: NDArray[np.float64]  # r, (m,); zero where no recurrence ran
    proba: NDArray[np.float64]  # P after T steps, (m, C)
    recall: tuple[
        float, ...
    ] = ()  # share of true neighbours found, for each readout; 1 where the search is exact


def adapt(
    H: Floats, y: NDArray[np.intp], prior: NDArray[np.float64], *, shrinkage: float | str, gamma: float
) -> AdaptedReadout:
    """Scaler, memory and spectral transform of one readout from its labelled support (Alg. 1, lines 3–4).

    ``y`` holds class indices 0 … C − 1, each present. ``shrinkage="auto"`` is the Ledoit–Wolf intensity.
    """
    order = np.argsort(y, kind="stable")  # by class, so that class sums and contrasts are slices
    y = y[order]
    counts = np.bincount(y)
    standardizer = fit_standardizer(H)
    Z = standardizer(H[order])
    means = class_means(Z, counts)
    covariance = within_class(Z, y, counts, means)
    rho = covariance.intensity if isinstance(shrinkage, str) else shrinkage
    return AdaptedReadout(
        standardizer,
        covariance,
        memory.fit_memory(means, covariance, prior, rho),
        spectrum.transform(covariance, gamma),
    )


def infer(
    adapted: Sequence[AdaptedReadout],
    queries: Sequence[Floats],
    prior: NDArray[np.float64] | None,
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
    search: Callable[[Floats, int], Neighbors] = nearest,
) -> Inference:
    """Class distributions of a query batch (Alg. 1, lines 4–11). ``prior=None`` leaves out 𝒩_π.

    A batch too small for the joint step keeps its anchor: one query has no neighbours, and fewer queries than
    classes cannot follow a class prior (forcing them to would erase their evidence).
    """
    m, C = len(queries[0]), len(adapted[0].memory.intercepts)
    joint = n_iter > 0 and m > 1 and (prior is None or m >= C)
    views, graphs, recall = [], [], []
    for readout, H in zip(adapted, queries, strict=True):
        ell, Q = _project(readout, H, geometry if joint else None)
        views.append(memory.posterior(ell, memory_temperature))
        if Q is not None:
            found = search(Q, min(n_neighbors, m - 1))
            recall.append(found.recall)
            graphs.append(graph.symmetrize(graph.directed(found, graph_temperature)))
    P0 = memory.fuse(views, alpha)
    a, d = gate.ambiguity(P0), gate.disagreement(views[0], views[-1])
    if joint:
        G = graph.consensus(graphs, fusion)
        r = gate.recurrence_weight(
            a,
            d,
            disagreement_weight=disagreement_weight,
            gate_exponent=gate_exponent,
            r_min=r_min,
            r_max=r_max,
        )
        P = recurrence.recur(P0, G, r, prior, n_iter)
    else:
        G, r, P = csr_array((m, m)), np.zeros(m), P0
    return Inference(np.arange(C), tuple(views), P0, G, a, d, r, P, tuple(recall))


def _project(
    readout: AdaptedReadout, H: Floats, geometry: str | None
) -> tuple[NDArray[np.float64], Floats | None]:
    """Memory scores (m, C), and the unit-length features of the graph (m, d) where a geometry is named."""
    m = len(H)
    ell = np.empty((m, len(readout.memory.intercepts)))
    Q = _workspace(H) if geometry else None
    for start in range(0, m, BLOCK):
        rows = slice(start, start + BLOCK)
        Z = readout.standardizer(H[rows])
        ell[rows] = memory.scores(readout.memory, Z)
        if Q is None:
            continue
        if geometry == "raw":
            Z = np.array(H[rows])
        elif readout.transform is not None:
            Z = readout.transform(Z)
        Q[rows] = graph.unit_rows(Z)
    return ell, Q


def _workspace(H: Floats) -> Floats:
    """An array like H to write to: in memory, or in a temporary file where H itself is memory-mapped."""
    base: Any = H
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, mmap.mmap):
        return np.empty(H.shape, H.dtype)
    with tempfile.TemporaryFile() as file:  # the mapping keeps the unnamed file alive
        return np.memmap(file, H.dtype, "w+", shape=H.shape)
