"""The consensus of two readouts' window graphs (Eq. 7), in the form that the recurrence takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bideta.deploy._incremental import WindowGraph
from bideta.method.readouts import Floats64

Indices = NDArray[np.intp]


class Edges(NamedTuple):
    """Weighted edges; rows ascend."""

    rows: Indices
    columns: Indices
    weights: Floats64


def consensus(
    graphs: Sequence[WindowGraph], fusion: str, labels: Indices, C: int
) -> tuple[csr_array, Floats64 | None]:
    """(m, m) graph among the window's contacts, and (m, C) what their labelled neighbours say to them.

    ``labels`` are the class indices of the labelled nodes; without such nodes there is no second part. The rows of
    both together sum to one. What a row of G⁽ᵛ⁾ is divided by cancels in the rows of the geometric mean, so there it
    is only done for rows without a shared edge, which get the arithmetic one.
    """
    m = graphs[0].m
    window, labelled = [graph.among() for graph in graphs], [graph.both[:m] for graph in graphs]
    if len(graphs) == 2 and fusion == "geometric":
        near = _shared(window, window[0] > 0, window[1] > 0)
        far = _shared(labelled, graphs[0].linked[:m], graphs[1].linked[:m])
        alone = np.flatnonzero(_sums(near, m) + _sums(far, m) == 0)
        if len(alone):
            near, far = map(_joined, (near, far), _mean(window, labelled, alone))
    else:
        near, far = _mean(window, labelled, np.arange(m))
    sums = _sums(near, m) + _sums(far, m)
    sums[sums == 0] = 1.0
    starts = np.concatenate([[0], np.cumsum(np.bincount(near.rows, minlength=m))])
    G = csr_array((near.weights / sums[near.rows], near.columns, starts), shape=(m, m))
    if not len(labels):
        return G, None
    heard = np.bincount(far.rows * C + labels[far.columns], far.weights / sums[far.rows], m * C)
    return G, np.asarray(heard, np.float64).reshape(m, C)


def _shared(weights: Sequence[Floats64], first: NDArray[np.bool_], second: NDArray[np.bool_]) -> Edges:
    """Edges that both readouts have, with the geometric mean of their weights."""
    m, width = first.shape
    places = np.flatnonzero(first & second)
    ends = np.searchsorted(places, width * np.arange(1, m + 1))
    rows = np.repeat(np.arange(m), np.diff(ends, prepend=0))
    a, b = (np.sqrt(W.ravel()[places]) for W in weights)
    a *= b  # √a·√b: the product a·b could vanish
    return Edges(rows, places - width * rows, a)


def _mean(window: Sequence[Floats64], labelled: Sequence[Floats64], rows: Indices) -> tuple[Edges, Edges]:
    """Edges that any readout has, with the sum of their normalised weights, for some rows."""
    near, far = np.zeros((len(rows), window[0].shape[1])), np.zeros((len(rows), labelled[0].shape[1]))
    for W, L in zip(window, labelled, strict=True):
        own = W[rows], L[rows]
        sums = own[0].sum(axis=1) + own[1].sum(axis=1)
        sums[sums == 0] = 1.0
        near += own[0] / sums[:, None]
        far += own[1] / sums[:, None]
    return _nonzero(near, rows), _nonzero(far, rows)


def _nonzero(X: Floats64, rows: Indices) -> Edges:
    row, column = np.nonzero(X)
    return Edges(rows[row], column, X[row, column])


def _joined(one: Edges, other: Edges) -> Edges:
    rows = np.concatenate([one.rows, other.rows])
    order = np.argsort(rows, kind="stable")
    columns = np.concatenate([one.columns, other.columns])
    weights = np.concatenate([one.weights, other.weights])
    return Edges(rows[order], columns[order], weights[order])


def _sums(edges: Edges, m: int) -> Floats64:
    return np.asarray(np.bincount(edges.rows, edges.weights, m), np.float64)
