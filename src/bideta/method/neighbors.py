"""Exact nearest neighbours by cosine (Eq. 6), in blocks: time O(m²d/2 multiply-adds), memory O(mk).

Similarities are symmetric, so each block of the upper triangle is multiplied out once and offered to both its
rows and its columns; a running threshold per query lets almost all of it be dropped by one comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.method.readouts import Floats

BLOCK_ROWS, BLOCK_COLUMNS = (
    512,
    4096,
)  # a block of similarities is 8 MB in float32: wide for BLAS, near the cache
TIE_EPS = 16  # similarities within this many machine epsilons are a tie: their difference is rounding


@dataclass(frozen=True)
class Neighbors:
    """The k nearest other queries of every query; in a row by ascending index."""

    indices: NDArray[np.int32]  # (m, k)
    similarities: Floats  # (m, k)


def nearest(Q: Floats, k: int) -> Neighbors:
    """The k most similar rows of Q for every row, itself excluded; Q has unit (or zero) rows, 1 ≤ k < m.

    The query itself is left out by its index, never by its distance, so a copy of it is a neighbour. Among
    tied similarities the lower index wins.
    """
    m = len(Q)
    best = _Best(m, k, Q.dtype)
    block = np.empty((min(m, BLOCK_ROWS), min(m, BLOCK_COLUMNS)), Q.dtype)
    for top in range(0, m, BLOCK_ROWS):
        rows = slice(top, min(top + BLOCK_ROWS, m))
        for left in range(top, m, BLOCK_COLUMNS):
            columns = slice(left, min(left + BLOCK_COLUMNS, m))
            S = block[: rows.stop - rows.start, : columns.stop - columns.start]
            np.matmul(Q[rows], Q[columns].T, out=S)
            own = np.arange(left, min(rows.stop, columns.stop))
            S[own - top, own - left] = -np.inf
            best.offer(S, rows, columns.start)
            beyond = max(
                rows.stop - columns.start, 0
            )  # columns of the diagonal block were just offered as rows
            if columns.start + beyond < columns.stop:
                best.offer(S[:, beyond:].T, slice(columns.start + beyond, columns.stop), rows.start)
    return best.result()


class _Best:
    """The best candidates of every row so far: at least k, at most ``capacity``, plus a threshold to enter."""

    def __init__(self, m: int, k: int, dtype: np.dtype[Any]) -> None:
        self.k, self.capacity = k, 3 * k + 24  # room for 2k more between two clean-ups
        self.tie = TIE_EPS * np.finfo(dtype).eps
        self.values = np.full((m, self.capacity), -np.inf, dtype)
        self.indices = np.zeros((m, self.capacity), np.int32)
        self.count = np.zeros(m, np.intp)
        self.threshold = np.full(m, -np.inf, dtype)  # a candidate below it cannot be among the k best

    def offer(self, S: Floats, rows: slice, first: int) -> None:
        """Take the columns of S (numbered from ``first``) that may be among the k best of ``rows``."""
        hits = self.threshold[rows, None] <= S
        counts = np.count_nonzero(hits, axis=1)
        crowded = np.flatnonzero(counts > self.capacity - self.k)
        if len(crowded):
            hits[crowded] = self._thin(S[crowded])
            counts[crowded] = np.count_nonzero(hits[crowded], axis=1)
        full = np.flatnonzero(self.count[rows] + counts > self.capacity)
        if len(full):
            self._clean(full + rows.start)
        row, column = np.divmod(np.flatnonzero(hits), S.shape[1])
        before = np.cumsum(counts) - counts  # hits in the rows above
        slot = np.arange(len(row)) + (self.count[rows] - before)[row]
        self.values[row + rows.start, slot] = S[row, column]
        self.indices[row + rows.start, slot] = column + first
        self.count[rows] += counts

    def _thin(self, S: Floats) -> NDArray[np.bool_]:
        """At most ``capacity − k`` candidates a row: all above its k-th value, ties from the lowest index up."""
        kth = np.partition(S, S.shape[1] - self.k, axis=1)[:, S.shape[1] - self.k, None]
        sure = kth + self.tie < S
        ties = (kth - self.tie <= S) & ~sure
        room = self.k - np.count_nonzero(sure, axis=1)
        thinned: NDArray[np.bool_] = sure | (ties & (np.cumsum(ties, axis=1) <= room[:, None]))
        return thinned

    def _clean(self, rows: NDArray[np.intp]) -> None:
        """Cut these rows back to their k best; among ties the lower index stays."""
        values, indices, cut = self.values[rows], self.indices[rows], self.capacity - self.k
        kth = np.partition(values, cut, axis=1)[:, cut, None]
        key = np.where(values >= kth - self.tie, indices, np.iinfo(np.int32).max)
        key[values > kth + self.tie] = -1
        chosen = np.argpartition(key, self.k - 1, axis=1)[:, : self.k]
        self.values[rows] = -np.inf
        self.values[rows, : self.k] = np.take_along_axis(values, chosen, axis=1)
        self.indices[rows, : self.k] = np.take_along_axis(indices, chosen, axis=1)
        self.count[rows] = self.k
        self.threshold[rows] = kth[:, 0] - self.tie

    def result(self) -> Neighbors:
        """The k best of every row, by ascending index."""
        for start in range(0, len(self.count), BLOCK_COLUMNS):
            self._clean(np.arange(start, min(start + BLOCK_COLUMNS, len(self.count))))
        indices, values = self.indices[:, : self.k], self.values[:, : self.k]
        order = np.argsort(indices, axis=1)
        return Neighbors(
            np.take_along_axis(indices, order, axis=1), np.take_along_axis(values, order, axis=1)
        )
