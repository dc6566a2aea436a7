"""Support-conditioned graph (Eqs. 6–7): sparse from the start, at most 2k edges a row on average."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from bideta.method.standardize import Floats
from bideta.neighbors.search import Neighbors


def unit_rows(X: Floats) -> Floats:
    """Rows of X divided by their length, in place; a zero row stays zero and is equally near to everything."""
    largest = np.maximum(X.max(axis=1), -X.min(axis=1))  # without it squares of extreme rows overflow
    largest[largest == 0] = 1
    X /= largest[:, None]
    length = np.sqrt(np.einsum("ij,ij->i", X, X))
    length[length == 0] = 1
    X /= length[:, None]
    return X


def directed(neighbors: Neighbors, temperature: float) -> csr_array:
    """Directed graph W (Eq. 6): softmax(similarity/τ_g) over each query's neighbours."""
    m, k = neighbors.indices.shape
    W = neighbors.similarities.astype(np.float64)
    W -= W.max(axis=1, keepdims=True)
    with np.errstate(over="ignore", under="ignore"):  # an edge far weaker than the best one weighs 0
        W /= temperature
        np.exp(W, out=W)
    W /= W.sum(axis=1, keepdims=True)
    return csr_array(
        (W.ravel(), neighbors.indices.ravel(), np.arange(0, m * k + 1, k, dtype=np.int32)), shape=(m, m)
    )


def symmetrize(W: csr_array, rows: int | None = None) -> csr_array:
    """Readout graph G⁽ᵛ⁾ = RowNorm((W + Wᵀ)/2) (Eq. 7); the ½ cancels. With ``rows``, only its first rows."""
    if rows is None:
        return row_normalize(W + W.T.tocsr())
    return row_normalize(W[:rows] + W[:, :rows].T.tocsr())


def consensus(graphs: Sequence[csr_array], fusion: str) -> csr_array:
    """Row-stochastic graph G of both readouts (Eq. 7); a single readout's graph is its own consensus.

    Geometric fusion keeps the edges that both readouts have; a query without any gets its row of the mean
    graph. Arithmetic fusion is the mean graph.
    """
    if len(graphs) == 1:
        return graphs[0]
    first, second = graphs
    if fusion == "arithmetic":
        return row_normalize(first + second)
    shared = _sqrt(first).multiply(_sqrt(second)).tocsr()  # √a·√b: the product a·b could vanish
    alone = _row_sums(shared) == 0
    if alone.any():
        those = csr_array(diags_array(alone.astype(np.float64)))
        those.eliminate_zeros()  # few: only their rows are added up
        shared = shared + (those @ first + those @ second)
    shared.eliminate_zeros()
    return row_normalize(shared)


def row_normalize(G: csr_array) -> csr_array:
    """G with every nonzero row divided by its sum."""
    sums = _row_sums(G)
    sums[sums == 0] = 1
    G.data /= np.repeat(sums, np.diff(G.indptr))
    return G


def _row_sums(G: csr_array) -> NDArray[np.float64]:
    return np.asarray(G.sum(axis=1), np.float64)


def _sqrt(G: csr_array) -> csr_array:
    return csr_array((np.sqrt(G.data), G.indices, G.indptr), shape=G.shape)
