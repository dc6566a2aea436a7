"""The consensus of the readouts' window graphs (Eq. 7), in the form that the recurrence takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bideta.deploy.online.window_graphs import WindowGraphs
from bideta.method import Floats64, Indices


class Edges(NamedTuple):
    """Weighted edges; rows ascend."""

    rows: Indices
    columns: Indices
    weights: Floats64


def consensus(
    graphs: WindowGraphs, fusion: str | float, labels: Indices, C: int
) -> tuple[csr_array, Floats64 | None]:
    """(m, m) graph among the window's contacts, and (m, C) what their labelled neighbours say to them.

    ``labels`` are the class indices of the labelled nodes; without such nodes there is no second part. The rows of
    both together sum to one. What a row of G⁽ᵛ⁾ is divided by cancels in the rows of the geometric mean, so there it
    is only done for rows without a shared edge, which get the arithmetic one.
    """
    n, m = graphs.n, graphs.m
    if len(graphs.Q) > 1 and fusion == "geometric":
        edges = _shared(graphs)
        alone = np.flatnonzero(np.bincount(edges.rows, minlength=m) == 0)
        if len(alone):
            edges = _joined(edges, _mean(graphs, alone))
    else:
        edges = _mean(graphs, np.arange(m), 1.0 if isinstance(fusion, str) else fusion)
    sums = np.bincount(edges.rows, edges.weights, m)
    normal = edges.weights / sums[edges.rows]
    inside = edges.columns >= n
    window, labelled = np.flatnonzero(inside), np.flatnonzero(~inside)
    rows = edges.rows[window]
    starts = np.searchsorted(rows, np.arange(m + 1)).astype(np.int32)
    columns = (edges.columns[window] - n).astype(np.int32)
    G = csr_array((normal[window], columns, starts), shape=(m, m))
    if not n:
        return G, None
    says = edges.rows[labelled] * C + labels[edges.columns[labelled]]
    return G, np.asarray(np.bincount(says, normal[labelled], m * C), np.float64).reshape(m, C)


def _shared(graphs: WindowGraphs) -> Edges:
    """Edges that all readouts have, with the geometric mean of their weights."""
    m, width, power = graphs.m, graphs.width, 1 / len(graphs.Q)
    places = np.flatnonzero(graphs.linked[:, :m].all(axis=0))
    ends = np.searchsorted(places, width * np.arange(1, m + 1))
    rows = np.repeat(np.arange(m), np.diff(ends, prepend=0))
    weights = np.ones(len(places))
    for ahead, back in zip(graphs.ahead, graphs.back, strict=True):
        weights *= (
            ahead.ravel()[places] + back.ravel()[places]
        ) ** power  # roots first: the product could vanish
    return Edges(rows, places - width * rows, weights)


def _mean(graphs: WindowGraphs, rows: Indices, power: float = 1.0) -> Edges:
    """Edges that any readout has, with the power mean of their normalised weights (up to a factor), for some rows."""
    mean = np.zeros((len(rows), graphs.width))
    for ahead, back in zip(graphs.ahead, graphs.back, strict=True):
        W = ahead[rows] + back[rows]
        sums = W.sum(axis=1, keepdims=True)
        sums[sums == 0] = 1.0
        mean += W / sums if power == 1 else (W / sums) ** power
    if power != 1:
        mean **= 1 / power
    row, columns = np.nonzero(mean)
    return Edges(rows[row], columns, mean[row, columns])


def _joined(one: Edges, other: Edges) -> Edges:
    """Edges of both, rows ascending."""
    rows = np.concatenate([one.rows, other.rows])
    order = np.argsort(rows, kind="stable")
    columns = np.concatenate([one.columns, other.columns])
    weights = np.concatenate([one.weights, other.weights])
    return Edges(rows[order], columns[order], weights[order])
