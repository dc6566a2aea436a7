"""The graph of a window that changes by one contact at a time; the same edges as the batch search finds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.method.closest import tolerance
from bideta.method.neighbors import nearest
from bideta.method.readouts import Floats, Floats64

LATER = np.iinfo(np.int64).max // 2  # rank of the first labelled contact: after every contact of a stream


class WindowGraph:
    """Similarities, neighbour lists and edge weights of one readout.

    Nodes are n labelled contacts (none without support nodes) and then the window's slots. A new contact costs
    one product with the nodes' unit rows, O((n + m)·d), and new lists for the rows that it enters or that lose the
    contact it replaces, about 2k of them; the rest stays. Memory: O((n + m)·(d + m) + n·k).

    Similarities have the precision of ``support``, as those of a batch have that of its features; weights are double.
    """

    def __init__(self, support: Floats, capacity: int, *, n_neighbors: int, temperature: float) -> None:
        n, d = support.shape
        self.n, self.m, self.k, self.width = n, 0, 0, n + capacity
        self.n_neighbors, self.temperature = n_neighbors, temperature
        self.Q = np.zeros((n + capacity, d), support.dtype)  # unit rows
        self.Q[:n] = support
        self.tie = tolerance(support)
        # Among equally near nodes the batch prefers the earlier query, then the earlier labelled contact.
        self.rank = np.concatenate([LATER + np.arange(n), np.zeros(capacity, np.int64)])
        # Similarities; −inf to itself and to empty slots.
        self.S = np.full((capacity, n + capacity), -np.inf, support.dtype)
        self.seen = np.full(
            (n, capacity), -np.inf, support.dtype
        )  # a part of Sᵀ: of labelled contacts to slots
        if n > 1:  # of other labelled contacts only the n_neighbors best can ever be in a list
            best = nearest(np.ascontiguousarray(support), min(n_neighbors, n - 1))
            self.peers, self.peer_similarities = best.indices, best.similarities
        else:
            self.peers, self.peer_similarities = np.empty((n, 0), np.int32), np.empty((n, 0), support.dtype)
        self.lists = np.empty((n + capacity, 0), np.int32)  # the k nearest nodes
        self.kth = np.full(n + capacity, -np.inf, support.dtype)  # similarity of the last of them
        self.ahead = np.zeros((capacity, n + capacity))  # Eq. 6 from the window's contacts to all nodes
        self.back = np.zeros((capacity, n + capacity))  # Eq. 6 from all nodes to them, transposed
        self.both = np.zeros((capacity, n + capacity))  # the sum of these two: the window's rows of W + Wᵀ
        self.linked = np.zeros((capacity, n + capacity), np.bool_)  # where that is not zero

    def place(self, slot: int, q: Floats, arrival: int) -> None:
        """Put a contact (its unit row and running number) into a slot: the next empty one, or a taken one."""
        n, node = self.n, self.n + slot
        self.m = max(self.m, slot + 1)
        nodes = n + self.m
        self.Q[node], self.rank[node] = q, arrival
        similarities = self.Q[:nodes] @ self.Q[node]
        similarities[node] = -np.inf
        self.S[slot, :nodes] = similarities
        self.S[: self.m, node] = similarities[n:]
        self.seen[:, slot] = similarities[:n]
        if self._grow() or not self.k:
            return
        changed = self.kth[:nodes] - self.tie <= similarities
        changed[np.flatnonzero(self.lists[:nodes] == node) // self.k] = True
        changed[node] = True
        self._relist(np.flatnonzero(changed))

    def fill(self, Q: Floats, arrivals: NDArray[np.int64]) -> None:
        """Put contacts into the first slots of an empty window, all at once."""
        n, self.m = self.n, len(Q)
        nodes = n + self.m
        self.Q[n:nodes], self.rank[n:nodes] = Q, arrivals
        np.matmul(self.Q[n:nodes], self.Q[:nodes].T, out=self.S[: self.m, :nodes])
        self.S[np.arange(self.m), n + np.arange(self.m)] = -np.inf
        self.seen[:, : self.m] = self.S[: self.m, :n].T
        self._grow()

    def _grow(self) -> bool:
        """Whether there are now more neighbours to list, k = min(n_neighbors, nodes − 1); if so all lists are new."""
        k = min(self.n_neighbors, self.n + self.m - 1)
        if k == self.k:
            return False
        self.k = k
        self.lists = np.zeros((len(self.Q), k), np.int32)
        for edges in (self.ahead, self.back, self.both, self.linked):
            edges[:] = 0
        self._relist(np.arange(self.n + self.m))
        return True

    def _relist(self, nodes: NDArray[np.intp]) -> None:
        """Choose the neighbours of these nodes anew, and weigh them."""
        first = int(np.searchsorted(nodes, self.n))
        if first < len(nodes):
            self._relist_slots(nodes[first:] - self.n)
        if first:
            self._relist_labelled(nodes[:first])

    def _relist_slots(self, slots: NDArray[np.intp]) -> None:
        n = self.n
        chosen, weights = self._best(n + slots, self.S[slots, : n + self.m], None)
        row = np.tile(np.repeat(slots, self.k), 2)
        neighbours = np.concatenate([self.lists[n + slots], chosen]).ravel()  # those before, and those now
        self.lists[n + slots] = chosen
        edges = row * self.width + neighbours
        self.ahead.ravel()[edges] = _before_and_now(weights)
        inside = np.flatnonzero(neighbours >= n)  # in the window: the edge is in their row too
        mirrored = (neighbours[inside] - n) * self.width + n + row[inside]
        self.back.ravel()[mirrored] = self.ahead.ravel()[edges[inside]]
        self.both.ravel()[mirrored] = total = self._sum(edges)[inside]
        self.linked.ravel()[mirrored] = total > 0

    def _relist_labelled(self, labelled: NDArray[np.intp]) -> None:
        n, m = self.n, self.m
        rows = np.concatenate([self.seen[labelled, :m], self.peer_similarities[labelled]], axis=1)
        window = np.broadcast_to(np.arange(n, n + m, dtype=np.int32), (len(labelled), m))
        names = np.concatenate([window, self.peers[labelled]], axis=1)
        chosen, weights = self._best(labelled, rows, names)
        new = np.take_along_axis(names, chosen, axis=1)
        neighbours = np.concatenate([self.lists[labelled], new]).ravel()
        self.lists[labelled] = new
        inside = np.flatnonzero(neighbours >= n)  # edges among labelled contacts matter to nobody
        row = np.tile(np.repeat(labelled, self.k), 2)[inside]
        edges = (neighbours[inside] - n) * self.width + row
        self.back.ravel()[edges] = _before_and_now(weights)[inside]
        self._sum(edges)

    def _sum(self, edges: NDArray[np.intp]) -> Floats64:
        """Bring edges (places in the tables, counted row by row) up to date with what either end says."""
        total: Floats64 = self.ahead.ravel()[edges] + self.back.ravel()[edges]
        self.both.ravel()[edges] = total
        self.linked.ravel()[edges] = total > 0
        return total

    def _best(
        self, nodes: NDArray[np.intp], rows: Floats, names: NDArray[np.int32] | None
    ) -> tuple[NDArray[np.intp], Floats64]:
        """Columns of each row's k largest, and their weights (Eq. 6).

        Closer calls than rounding are settled as in ``closest``, but in order of arrival.
        """
        cut = rows.shape[1] - self.k
        chosen = np.argpartition(rows, cut, axis=1)[:, cut:]
        each = np.arange(len(rows))[:, None]
        similarities = rows[each, chosen]
        kth = similarities[:, :1]  # the pivot is the smallest of the k largest
        self.kth[nodes] = kth[:, 0]
        ties = np.flatnonzero(np.count_nonzero(kth - self.tie <= rows, axis=1) > self.k)
        for i in ties:
            close = np.flatnonzero(np.abs(rows[i] - kth[i]) <= self.tie)
            others = close if names is None else names[i, close]
            sure = np.flatnonzero(rows[i] > kth[i] + self.tie)
            again = np.einsum("j,ij->i", self.Q[nodes[i]], self.Q[others], dtype=np.float64)
            order = np.lexsort((self.rank[others], -again))
            chosen[i] = np.concatenate([sure, close[order[: self.k - len(sure)]]])
        if len(ties):
            similarities = rows[each, chosen]
        return chosen, _softmax(similarities, self.temperature)


def _before_and_now(weights: Floats64) -> Floats64:
    """Weights of the neighbours before, zero, and of those now; who is among both is assigned the last one."""
    return np.concatenate([np.zeros(weights.size), weights.ravel()])


def _softmax(similarities: Floats, temperature: float) -> Floats64:
    """Rows of Eq. 6, as in ``graph.directed``."""
    W = similarities.astype(np.float64)
    W -= W.max(axis=1, keepdims=True)
    with np.errstate(over="ignore", under="ignore"):
        W /= temperature
        np.exp(W, out=W)
    W /= W.sum(axis=1, keepdims=True)
    return W
