"""Neighbours of a batch whose similarities fit into memory: the upper triangle is kept and read twice.

First for thresholds: the k-th largest of the maxima of disjoint groups of queries is a value that k queries reach
(one in each of k groups), and hardly more than k do. Then for what reaches them, in rows and in columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.method import Floats
from bideta.neighbors.blocked import nearest_of
from bideta.neighbors.ties import TIE, Precise, closest

STRIP = 256  # queries whose similarities are multiplied and read at a time
GROUP = 16  # queries that share a maximum, where that leaves enough groups: 16 let 11 % more than k pass
ENOUGH = 4  # groups for each neighbour: with fewer the threshold is too low to save work
CROWD = 8  # candidates for each neighbour from which on a query is searched by itself: memory stays O(mk)


def nearest_in_memory(Q: Floats, k: int, precise: Precise | None = None) -> tuple[NDArray[np.int32], Floats]:
    """(m, k) indices, ascending, and similarities, for a batch smaller than 2¹⁶."""
    m = len(Q)
    strips = _strips(Q)
    query, candidate, similarity, counts = _reaching(strips, _reached(strips, k) - TIE[Q.itemsize], CROWD * k)
    del strips
    order = np.argsort(query.astype(np.uint16), kind="stable")  # 16 bits: a radix sort; candidates ascend
    rows = np.flatnonzero(counts)
    most = max(k, counts.max())
    filled = np.arange(most) < counts[rows, None]  # (rows, most): the first places of each row
    who, values = np.zeros(filled.shape, np.int32), np.full(filled.shape, -np.inf, Q.dtype)
    who[filled], values[filled] = candidate[order], similarity[order]
    chosen = np.sort(closest(Q, k, rows, values, who, precise)[0], axis=1)
    chosen += np.arange(len(rows))[:, None] * most  # places in the whole tables
    indices, similarities = np.empty((m, k), np.int32), np.empty((m, k), Q.dtype)
    indices[rows], similarities[rows] = who.ravel()[chosen], values.ravel()[chosen]
    crowded = np.flatnonzero(counts == 0)  # too many are equally near: a zero query, copies of one contact
    if len(crowded):
        indices[crowded], similarities[crowded] = nearest_of(Q, crowded, k, precise)
    return indices, similarities


def _strips(Q: Floats) -> list[Floats]:
    """Similarities of all queries from one on (rows) to the first ``STRIP`` of them (columns); −inf to itself.

    Tall ones: BLAS multiplies them an eighth faster than wide ones.
    """
    m = len(Q)
    tops = np.arange(0, m, STRIP)
    sizes = np.minimum(STRIP, m - tops) * (m - tops)
    memory = np.empty(sizes.sum(), Q.dtype)  # one piece: the system hands out large ones faster
    strips = []
    for top, part in zip(tops, np.split(memory, np.cumsum(sizes)[:-1]), strict=True):
        S = part.reshape(m - top, -1)
        np.matmul(Q[top:], Q[top : top + STRIP].T, out=S)
        np.fill_diagonal(S[: S.shape[1]], -np.inf)
        strips.append(S)
    return strips


def _reached(strips: list[Floats], k: int) -> Floats:
    """(m,) for each query a value that at least k others reach, hardly below the k-th largest similarity."""
    m = len(strips[0])
    halvings = int(np.log2(max(1, min(GROUP, m // (ENOUGH * k)))))
    size = 2**halvings
    maxima = np.full((m, m // size), -np.inf, strips[0].dtype)
    top = used = 0
    for S in strips:
        height, width = S.shape
        groups = height // size
        along = S[: groups * size].reshape(size, groups, width).max(axis=0)
        maxima[top : top + width, used : used + groups] = along.T
        later, top = S[width:], top + width  # later queries' similarities to this strip's
        for _ in range(halvings):
            half = later.shape[1] // 2
            later = np.maximum(later[:, :half], later[:, half : 2 * half])
        groups = later.shape[1]
        maxima[top:, used : used + groups] = later
        used += groups
    maxima.partition(-k, axis=1)
    return maxima[:, -k]


def _reaching(
    strips: list[Floats], threshold: Floats, most: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats, NDArray[np.intp]]:
    """Every (query, candidate, similarity) that reaches the query's threshold, and how many each query has.

    A query's candidates ascend. One with more than ``most`` has none of them.
    """
    counts = np.zeros(len(threshold), np.intp)
    hits_of = []
    top = 0
    for S in strips:
        width = S.shape[1]
        beyond = top + width  # later queries meet this strip's in its rows only
        hits = threshold[top:beyond] <= S
        hits[width:] |= S[width:] >= threshold[beyond:, None]
        flat = _places(hits)
        similarity = S.ravel()[flat]
        row = flat // width
        column = flat - row * width
        row += top
        column += top
        across = (row >= beyond) & (similarity >= threshold[row])
        along = similarity >= threshold[column]
        for query, candidate, reaches in ((row, column, across), (column, row, along)):
            counts += np.bincount(query[reaches], minlength=len(counts))
            if counts.max() > most:
                reaches &= counts[query] <= most
            hits_of.append((query[reaches], candidate[reaches], similarity[reaches]))
        top = beyond
    query, candidate, similarity = (np.concatenate(part) for part in zip(*hits_of, strict=True))
    if counts.max() > most:
        counts[counts > most] = 0
        kept = counts[query] > 0
        query, candidate, similarity = query[kept], candidate[kept], similarity[kept]
    return query, candidate, similarity, counts


def _places(hits: NDArray[np.bool_]) -> NDArray[np.intp]:
    """As ``np.flatnonzero``, in half the time where few are true: eight of them are looked at as one number first."""
    if hits.size % 8:
        return np.flatnonzero(hits)
    eights = hits.ravel().view(np.uint64)
    some = np.flatnonzero(eights != 0)
    inside = np.flatnonzero(eights[some].view(np.bool_))
    return some[inside >> 3] * 8 + (inside & 7)
