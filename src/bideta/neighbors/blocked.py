"""Neighbours of a batch too large for all its similarities: blocks of them come and go, the best stay.

A running threshold per query lets almost all of a block be dropped by one comparison.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.method import Floats
from bideta.neighbors.ties import TIE, Precise, closest, second_look

BLOCK_ROWS, BLOCK_COLUMNS = 512, 2048  # 4 MB of float32 similarities: wide enough for BLAS, near the cache
ROWS = 4096  # queries worked on at a time where nothing else sets the size
# A first threshold comes from a sample of the queries: of m similarities about m·r/s exceed the r-th largest of s.
# r is so far above k·s/m that fewer than k exceed it in about one row in a thousand; those rows are searched again.
# A larger sample costs products, a smaller one lets more candidates through: 1,024 is the best of both at 10,000.
SAMPLE, SPARE = 1024, 3.2


def nearest_in_blocks(Q: Floats, k: int, precise: Precise | None = None) -> tuple[NDArray[np.int32], Floats]:
    """(m, k) indices, ascending, and similarities: the upper triangle in blocks, each offered to rows and columns."""
    m = len(Q)
    best = Candidates(Q, k, np.arange(m), precise)
    best.guess_thresholds()
    block = np.empty((min(m, BLOCK_ROWS), min(m, BLOCK_COLUMNS)), Q.dtype)
    for top in range(0, m, BLOCK_ROWS):
        rows = np.arange(top, min(top + BLOCK_ROWS, m))
        for left in range(top, m, BLOCK_COLUMNS):
            columns = np.arange(left, min(left + BLOCK_COLUMNS, m))
            S = block[: len(rows), : len(columns)]
            np.matmul(Q[rows[0] : rows[-1] + 1], Q[columns[0] : columns[-1] + 1].T, out=S)
            diagonal = np.arange(left, min(rows[-1], columns[-1]) + 1)
            S[diagonal - top, diagonal - left] = -np.inf
            best.offer_to_rows(S, rows, left)
            beyond = len(diagonal)  # columns inside the diagonal block were just offered as rows
            if beyond < len(columns):
                best.offer_to_columns(S[:, beyond:], columns[beyond:], top)
    return best.result()


def nearest_of(
    Q: Floats, queries: NDArray[np.intp], k: int, precise: Precise | None = None
) -> tuple[NDArray[np.int32], Floats]:
    """As ``nearest_in_blocks``, for some of the queries only (against all of them): what one of many workers does."""
    best = Candidates(Q, k, queries, precise)
    best.guess_thresholds()
    best.search(BLOCK_ROWS, BLOCK_COLUMNS)
    return best.result()


class Candidates:
    """The best candidates of every query so far: at most ``capacity``, and a threshold below which none enters."""

    def __init__(self, Q: Floats, k: int, queries: NDArray[np.intp], precise: Precise | None = None) -> None:
        m = len(queries)
        self.Q, self.queries = Q, queries  # row i here belongs to query queries[i]
        self.precise = precise
        self.k, self.capacity = k, 4 * k + 32  # room for 3k more between two clean-ups
        self.tie = TIE[Q.itemsize]
        self.values = np.full((m, self.capacity), -np.inf, Q.dtype)
        self.indices = np.zeros((m, self.capacity), np.int32)
        self.count = np.zeros(m, np.intp)
        self.threshold = np.full(m, -np.inf, Q.dtype)

    def guess_thresholds(self) -> None:
        """Set thresholds that let little more than the k best pass; ``result`` mends the few that are too high."""
        m = len(self.Q)
        size = min(max(SAMPLE, m // 64), m)
        sample = np.sort(np.random.default_rng(0).choice(m, size, replace=False))
        expected = self.k * size / m
        rank = int(np.ceil(expected + SPARE * np.sqrt(expected) + 3))
        if rank >= size:
            return
        for start in range(0, len(self.queries), ROWS):
            rows = slice(start, start + ROWS)
            S = self.Q[self.queries[rows]] @ self.Q[sample].T
            S[self.queries[rows, None] == sample] = -np.inf
            self.threshold[rows] = np.partition(S, size - rank, axis=1)[:, size - rank]

    def search(self, height: int, width: int) -> None:
        """Offer every similarity of these queries, in blocks of this size."""
        for top in range(0, len(self.queries), height):
            rows = np.arange(top, min(top + height, len(self.queries)))
            queries = self.queries[rows]
            for left in range(0, len(self.Q), width):
                S = self.Q[queries] @ self.Q[left : left + width].T
                itself = np.flatnonzero((queries >= left) & (queries < left + S.shape[1]))
                S[itself, queries[itself] - left] = -np.inf
                self.offer_to_rows(S, rows, left)

    def offer_to_rows(self, S: Floats, rows: NDArray[np.intp], first: int) -> None:
        """Take from S (rows × queries first, first + 1, …) what may be among the k best of ``rows``."""
        width = S.shape[1]
        hits = self.threshold[rows, None] <= S
        flat = np.flatnonzero(hits)
        edges = np.arange(0, S.size + 1, width)
        counts = np.diff(np.searchsorted(flat, edges))
        crowded = np.flatnonzero(counts > self.capacity - self.k)
        if len(crowded):
            hits[crowded] = self._thin(S[crowded], rows[crowded], first)
            flat = np.flatnonzero(hits)
            counts = np.diff(np.searchsorted(flat, edges))
        row = np.repeat(np.arange(len(rows)), counts)
        column = flat - row * width
        self._insert(rows, counts, row, column + first, S[row, column])

    def offer_to_columns(self, S: Floats, columns: NDArray[np.intp], first: int) -> None:
        """Take from S (queries first, first + 1, … × columns) what may be among the k best of ``columns``."""
        flat = np.flatnonzero(self.threshold[columns] <= S)
        row = flat // S.shape[1]
        column = flat - row * S.shape[1]
        order = np.argsort(column.astype(np.uint16), kind="stable")  # 16 bits: a radix sort
        row, column = row[order], column[order]
        counts = np.bincount(column, minlength=len(columns))
        crowded = counts > self.capacity - self.k
        if crowded.any():
            self.offer_to_rows(_transposed(S[:, crowded]), columns[crowded], first)
            kept = ~crowded[column]
            row, column = row[kept], column[kept]
            counts[crowded] = 0
        self._insert(columns, counts, column, row + first, S[row, column])

    def _insert(
        self,
        targets: NDArray[np.intp],
        counts: NDArray[np.intp],
        target: NDArray[np.intp],
        candidate: NDArray[np.intp],
        similarity: Floats,
    ) -> None:
        """Append candidates, grouped by target: ``counts`` of them for each of ``targets``."""
        full = targets[self.count[targets] + counts > self.capacity]
        if len(full):
            self._clean(full)
        before = np.cumsum(counts) - counts
        slot = np.arange(len(target)) + (self.count[targets] - before)[target]
        self.values[targets[target], slot] = similarity
        self.indices[targets[target], slot] = candidate
        self.count[targets] += counts

    def _thin(self, S: Floats, rows: NDArray[np.intp], first: int) -> NDArray[np.bool_]:
        """Mark at most ``capacity − k`` entries in each row of S: all that can be among the row's k best."""
        cut = S.shape[1] - self.k
        kth = np.partition(S, cut, axis=1)[:, cut, None]
        marked: NDArray[np.bool_] = kth - self.tie <= S
        for i in np.flatnonzero(marked.sum(axis=1) > self.capacity - self.k):  # many copies of one contact
            everyone = np.arange(first, first + S.shape[1], dtype=np.int32)[None]
            query = self.queries[rows[i : i + 1]]
            chosen = second_look(self.Q, self.k, query, S[i : i + 1], everyone, self.precise)
            marked[i] = False
            marked[i, chosen[0]] = True
        return marked

    def _clean(self, rows: NDArray[np.intp]) -> None:
        """Cut these rows back to their k best."""
        values, indices = self.values[rows], self.indices[rows]
        chosen, kth = closest(self.Q, self.k, self.queries[rows], values, indices, self.precise)
        self.values[rows, self.k :] = -np.inf
        self.values[rows, : self.k] = np.take_along_axis(values, chosen, axis=1)
        self.indices[rows, : self.k] = np.take_along_axis(indices, chosen, axis=1)
        self.count[rows] = self.k
        self.threshold[rows] = kth - self.tie

    def result(self) -> tuple[NDArray[np.int32], Floats]:
        """(m, k) indices and similarities of every row's k best, by ascending index."""
        short = np.flatnonzero(self.count < self.k)
        if len(short):  # their first threshold was too high
            again = Candidates(self.Q, self.k, self.queries[short], self.precise)
            again.search(512, ROWS)
            self.values[short], self.indices[short] = again.values, again.indices
            self.count[short] = again.count
        for start in range(0, len(self.count), ROWS):
            self._clean(np.arange(start, min(start + ROWS, len(self.count))))
        indices, values = self.indices[:, : self.k], self.values[:, : self.k]
        order = np.argsort(indices, axis=1)
        return np.take_along_axis(indices, order, axis=1), np.take_along_axis(values, order, axis=1)


def _transposed(S: Floats) -> Floats:
    """A contiguous copy of Sᵀ, a few rows at a time: a plain copy misses the cache at every step."""
    T = np.empty(S.shape[::-1], S.dtype)
    for start in range(0, len(S), 32):
        T[:, start : start + 32] = S[start : start + 32].T
    return T
