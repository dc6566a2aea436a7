"""Exact nearest neighbours by cosine (Eq. 6): m²d multiply-adds by symmetry, memory O(mk) for large batches.

Similarities are symmetric, so only the upper triangle is multiplied out. A batch whose triangle fits into memory keeps
it (``triangle.py``); in a larger one blocks of it come and go (``candidates.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bideta.method.standardize import Floats
from bideta.neighbors.blocked import Candidates
from bideta.neighbors.in_memory import nearest_in_triangle
from bideta.neighbors.ties import Precise, closest

BLOCK_ROWS, BLOCK_COLUMNS = 512, 2048  # 4 MB of float32 similarities: wide enough for BLAS, near the cache
SMALL = 512  # queries up to which each row of similarities is simply cut to its k best
KEPT = 2**27  # bytes of similarities that are kept at once: 8,192 queries in float32, 5,792 in float64


@dataclass(frozen=True)
class Neighbors:
    """The k nearest other queries of every query; in a row by ascending index."""

    indices: NDArray[np.int32]  # (m, k)
    similarities: Floats  # (m, k)
    recall: float = 1.0  # share of the true neighbours found; below one for an approximate search


def nearest(Q: Floats, k: int, precise: Precise | None = None) -> Neighbors:
    """The k most similar rows of Q for every row, itself excluded; Q has unit (or zero) rows, 1 ≤ k < m.

    The query itself is left out by its index, never by its distance, so a copy of it is a neighbour. Where the
    k-th place is closer than rounding, the pairs in question are compared again one by one in float64, and
    among equal ones the lower index wins: the answer depends neither on blocks nor on threads. ``precise`` gives
    rows of Q in double for that.
    """
    m = len(Q)
    if m <= SMALL:
        return Neighbors(*_among_all(Q, k, precise))
    if m * m * Q.itemsize / 2 <= KEPT:
        indices, similarities, unsettled = nearest_in_triangle(Q, k, precise)
        if len(unsettled):
            found = nearest_of(Q, unsettled, k, precise)
            indices[unsettled], similarities[unsettled] = found.indices, found.similarities
        return Neighbors(indices, similarities)
    best = Candidates(Q, k, np.arange(m), precise)
    best.guess_thresholds()
    block = np.empty((min(m, BLOCK_ROWS), min(m, BLOCK_COLUMNS)), Q.dtype)
    for top in range(0, m, BLOCK_ROWS):
        rows = np.arange(top, min(top + BLOCK_ROWS, m))
        for left in range(top, m, BLOCK_COLUMNS):
            columns = np.arange(left, min(left + BLOCK_COLUMNS, m))
            S = block[: len(rows), : len(columns)]
            np.matmul(Q[rows[0] : rows[-1] + 1], Q[columns[0] : columns[-1] + 1].T, out=S)
            own = np.arange(left, min(rows[-1], columns[-1]) + 1)
            S[own - top, own - left] = -np.inf
            best.offer_to_rows(S, rows, left)
            beyond = len(own)  # columns inside the diagonal block were just offered as rows
            if beyond < len(columns):
                best.offer_to_columns(S[:, beyond:], columns[beyond:], top)
    return Neighbors(*best.result())


def nearest_of(Q: Floats, queries: NDArray[np.intp], k: int, precise: Precise | None = None) -> Neighbors:
    """As ``nearest``, for some of the queries only (against all of them): what a worker of many computes."""
    best = Candidates(Q, k, queries, precise)
    best.guess_thresholds()
    best.search(BLOCK_ROWS, BLOCK_COLUMNS)
    return Neighbors(*best.result())


def _among_all(Q: Floats, k: int, precise: Precise | None) -> tuple[NDArray[np.int32], Floats]:
    """(m, k) indices, ascending, and similarities of a batch so small that nothing clever pays."""
    S = Q @ Q.T
    np.fill_diagonal(S, -np.inf)
    everyone = np.broadcast_to(np.arange(len(S), dtype=np.int32), S.shape)
    chosen = np.sort(closest(Q, k, np.arange(len(S)), S, everyone, precise)[0], axis=1)
    return chosen.astype(np.int32), np.take_along_axis(S, chosen, axis=1)
