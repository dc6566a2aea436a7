"""Support-conditioned graph (Eqs. 6–7): sparse from the start, k edges out of each query and k into it on average."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from bideta.method import Floats
from bideta.method.readout import Directions


@dataclass(frozen=True)
class Neighbors:
    """The k nearest other queries of every query; in a row by ascending index, as a sparse matrix wants them."""

    indices: NDArray[np.int32]  # (m, k)
    similarities: Floats  # (m, k)
    recall: float = 1.0  # share of the true neighbours found; below one for an approximate search


Search = Callable[[Directions, int], Neighbors]  # the k nearest by cosine for every row, itself left out


def directed(neighbors: Neighbors, temperature: float) -> csr_array:
    """Directed graph W (Eq. 6): softmax(similarity/τ_g) over each query's neighbours."""
    m, k = neighbors.indices.shape
    W = neighbors.similarities.astype(np.float64)
    W -= W.max(axis=1, keepdims=True)
    with np.errstate(over="ignore", under="ignore"):  # an edge far weaker than the best one weighs 0
        W /= temperature
        np.exp(W, out=W)
    W /= W.sum(axis=1, keepdims=True)
    ends = np.arange(0, m * k + 1, k, dtype=np.int32)
    return csr_array((W.ravel(), neighbors.indices.ravel(), ends), shape=(m, m))


def symmetrize(W: csr_array, rows: int | None = None) -> csr_array:
    """Readout graph G⁽ᵛ⁾ = RowNorm((W + Wᵀ)/2) (Eq. 7); the ½ cancels. With ``rows``, only its first rows."""
    if rows is None:
        return row_normalize(W + W.T.tocsr())
    return row_normalize(W[:rows] + W[:, :rows].T.tocsr())


def consensus(graphs: Sequence[csr_array], fusion: str | float) -> csr_array:
    """Row-stochastic graph G of all readouts (Eq. 7); a single readout's graph is its own consensus.

    Geometric fusion is the V-th root of the product: it keeps the edges that all readouts have. A query without any
    gets its row of the mean graph. Arithmetic fusion is the mean graph. Between both lie the power means (ours): a
    number p in (0, 1] is (Σ_v G⁽ᵛ⁾^p / V)^(1/p), which keeps all edges and favours those that several readouts have.
    """
    if len(graphs) == 1:
        return graphs[0]
    first, *others = graphs
    if fusion == "arithmetic":
        return row_normalize(sum(others, first))
    if not isinstance(fusion, str):
        first, *others = (csr_array((G.data**fusion, G.indices, G.indptr), shape=G.shape) for G in graphs)
        mean = sum(others, first)
        mean.data = (mean.data / len(graphs)) ** (1 / fusion)
        return row_normalize(mean)
    power = 1 / len(graphs)
    # Roots before the product: the product itself could vanish.
    shared, *roots = (csr_array((G.data**power, G.indices, G.indptr), shape=G.shape) for G in graphs)
    for root in roots:
        shared = shared.multiply(root).tocsr()
    lonely = shared.sum(axis=1) == 0
    if lonely.any():
        lonely_rows = csr_array(diags_array(lonely.astype(np.float64)))
        lonely_rows.eliminate_zeros()  # few: only their rows are added up
        shared = shared + sum((lonely_rows @ G for G in others), lonely_rows @ first)
    shared.eliminate_zeros()
    return row_normalize(shared)


def row_normalize(G: csr_array) -> csr_array:
    """G with every row divided by its sum, in place; a row without edges stays empty."""
    sums = np.asarray(G.sum(axis=1), np.float64)
    sums[sums == 0] = 1
    G.data /= np.repeat(sums, np.diff(G.indptr))
    return G
