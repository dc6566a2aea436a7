"""Exact nearest neighbours by cosine (Eq. 6), in blocks: m²d multiply-adds by symmetry, memory O(mk).

Each block of the upper triangle of similarities is multiplied out once and offered to both its rows and its
columns; a running threshold per query lets almost all of it be dropped by one comparison.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bideta.method.readouts import Floats

BLOCK_ROWS, BLOCK_COLUMNS = 512, 4096  # 8 MB of float32 similarities: wide enough for BLAS, near the cache
TIE_EPS = 16  # similarities closer than this many machine epsilons may differ by rounding only
SMALL = 1024  # queries whose similarities fit into one such block: no thresholds needed
PAIRS = 4096  # pairs compared again at a time
# A first threshold comes from a sample of the queries: of m similarities about m·r/s exceed the r-th largest of s.
# r is so far above k·s/m that fewer than k exceed it in about one row in a thousand; those rows are searched again.
SAMPLE, SPARE = 256, 3.2


@dataclass(frozen=True)
class Neighbors:
    """The k nearest other queries of every query; in a row by ascending index."""

    indices: NDArray[np.int32]  # (m, k)
    similarities: Floats  # (m, k)
    recall: float = 1.0  # share of the true neighbours found; below one for an approximate search


def nearest(Q: Floats, k: int) -> Neighbors:
    """The k most similar rows of Q for every row, itself excluded; Q has unit (or zero) rows, 1 ≤ k < m.

    The query itself is left out by its index, never by its distance, so a copy of it is a neighbour. Where the
    k-th place is closer than rounding, the pairs in question are compared again one by one in float64, and
    among equal ones the lower index wins: the answer depends neither on blocks nor on threads.
    """
    m = len(Q)
    best = _Best(Q, k, np.arange(m))
    if m <= SMALL:
        return best.among_all()
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
    return best.result()


def nearest_of(Q: Floats, queries: NDArray[np.intp], k: int) -> Neighbors:
    """As ``nearest``, for some of the queries only (against all of them): what a worker of many computes."""
    best = _Best(Q, k, queries)
    best.guess_thresholds()
    best.search()
    return best.result()


class _Best:
    """The best candidates of every query so far: at most ``capacity``, and a threshold below which none enters."""

    def __init__(self, Q: Floats, k: int, queries: NDArray[np.intp]) -> None:
        m = len(queries)
        self.Q, self.queries = Q, queries  # row i here belongs to query queries[i]
        self.k, self.capacity = k, 4 * k + 32  # room for 3k more between two clean-ups
        self.tie = float(TIE_EPS * np.finfo(Q.dtype).eps)
        self.values = np.full((m, self.capacity), -np.inf, Q.dtype)
        self.indices = np.zeros((m, self.capacity), np.int32)
        self.count = np.zeros(m, np.intp)
        self.threshold = np.full(m, -np.inf, Q.dtype)

    def among_all(self) -> Neighbors:
        """The k best of every query where all similarities fit into one block."""
        S = self.Q @ self.Q.T
        np.fill_diagonal(S, -np.inf)
        everyone = np.broadcast_to(np.arange(len(S), dtype=np.int32), S.shape)
        chosen = np.sort(self._choose(S, everyone, self.queries)[0], axis=1)
        return Neighbors(chosen.astype(np.int32), np.take_along_axis(S, chosen, axis=1))

    def guess_thresholds(self) -> None:
        """Set thresholds that let little more than the k best pass; ``result`` mends the few that are too high."""
        m = len(self.Q)
        size = min(max(SAMPLE, m // 64), m)
        sample = np.sort(np.random.default_rng(0).choice(m, size, replace=False))
        expected = self.k * size / m
        rank = int(np.ceil(expected + SPARE * np.sqrt(expected) + 3))
        if rank >= size:
            return
        for start in range(0, len(self.queries), BLOCK_COLUMNS):
            rows = slice(start, start + BLOCK_COLUMNS)
            S = self.Q[self.queries[rows]] @ self.Q[sample].T
            S[self.queries[rows, None] == sample] = -np.inf
            self.threshold[rows] = np.partition(S, size - rank, axis=1)[:, size - rank]

    def search(self) -> None:
        """Offer every similarity of these queries, block by block."""
        for top in range(0, len(self.queries), BLOCK_ROWS):
            rows = np.arange(top, min(top + BLOCK_ROWS, len(self.queries)))
            queries = self.queries[rows]
            for left in range(0, len(self.Q), BLOCK_COLUMNS):
                S = self.Q[queries] @ self.Q[left : left + BLOCK_COLUMNS].T
                own = np.flatnonzero((queries >= left) & (queries < left + S.shape[1]))
                S[own, queries[own] - left] = -np.inf
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
        row, column = np.divmod(np.flatnonzero(self.threshold[columns] <= S), S.shape[1])
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
            chosen = self._best_of(S[i : i + 1], np.arange(first, first + S.shape[1])[None], rows[i : i + 1])
            marked[i] = False
            marked[i, chosen[0]] = True
        return marked

    def _clean(self, rows: NDArray[np.intp]) -> None:
        """Cut these rows back to their k best."""
        values, indices = self.values[rows], self.indices[rows]
        chosen, kth = self._choose(values, indices, rows)
        self.values[rows, self.k :] = -np.inf
        self.values[rows, : self.k] = np.take_along_axis(values, chosen, axis=1)
        self.indices[rows, : self.k] = np.take_along_axis(indices, chosen, axis=1)
        self.count[rows] = self.k
        self.threshold[rows] = kth - self.tie

    def _choose(
        self, values: Floats, indices: NDArray[np.int32], rows: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], Floats]:
        """Positions of each row's k best, and the k-th value."""
        cut = values.shape[1] - self.k
        chosen = np.argpartition(values, cut, axis=1)[:, cut:]
        kth = np.take_along_axis(values, chosen[:, :1], axis=1)  # the pivot is the smallest of the k best
        unsure = np.flatnonzero(np.count_nonzero(kth - self.tie <= values, axis=1) > self.k)
        if len(unsure):
            chosen[unsure] = self._best_of(values[unsure], indices[unsure], rows[unsure])
        return chosen, kth[:, 0]

    def _best_of(
        self, values: Floats, indices: NDArray[np.int32], rows: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Positions of each row's k best; candidates within rounding of the k-th are compared again exactly."""
        cut = values.shape[1] - self.k
        kth = np.partition(values, cut, axis=1)[:, cut, None]
        exact = np.where(values > kth, np.inf, -np.inf)
        row, column = np.nonzero(np.abs(values - kth) <= self.tie)
        for start in range(0, len(row), PAIRS):
            r, c = row[start : start + PAIRS], column[start : start + PAIRS]
            left, right = self.Q[self.queries[rows[r]]], self.Q[indices[r, c]]
            exact[r, c] = np.einsum("ij,ij->i", left, right, dtype=np.float64)
        return np.lexsort((indices, -exact), axis=1)[:, : self.k]

    def result(self) -> Neighbors:
        """The k best of every row, by ascending index."""
        short = np.flatnonzero(self.count < self.k)
        if len(short):  # their first threshold was too high
            again = _Best(self.Q, self.k, self.queries[short])
            again.search()
            self.values[short], self.indices[short], self.count[short] = (
                again.values,
                again.indices,
                again.count,
            )
        for start in range(0, len(self.count), BLOCK_COLUMNS):
            self._clean(np.arange(start, min(start + BLOCK_COLUMNS, len(self.count))))
        indices, values = self.indices[:, : self.k], self.values[:, : self.k]
        order = np.argsort(indices, axis=1)
        return Neighbors(
            np.take_along_axis(indices, order, axis=1), np.take_along_axis(values, order, axis=1)
        )


def _transposed(S: Floats) -> Floats:
    """A contiguous copy of Sᵀ, a few rows at a time: a plain copy misses the cache at every step."""
    T = np.empty(S.shape[::-1], S.dtype)
    for start in range(0, len(S), 32):
        T[:, start : start + 32] = S[start : start + 32].T
    return T
