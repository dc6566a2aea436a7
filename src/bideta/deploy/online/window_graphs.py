"""The graphs of a window that changes by one contact at a time; the same edges as the batch search finds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bideta.method import Floats, Floats64
from bideta.method.graph import Neighbors
from bideta.method.settings import Settings
from bideta.neighbors.ties import TIE, places

LATER = np.iinfo(np.int64).max // 2  # rank of the first labelled contact: after every contact of a stream


class WindowGraphs:
    """Similarities, neighbour lists and edge weights of every readout; tables of the readouts lie behind each other.

    Nodes are n labelled contacts (none without support nodes) and then the window's slots. A new contact costs
    one product with the nodes' unit rows, O((n + m)·d), and new lists for the rows that it enters or that lose the
    contact it replaces, about 2k of them; the rest stays. The lists of all readouts are made in one go, for these few
    numbers cost less than the calls that work on them. Memory: O((n + m)·(d + m) + n·k).

    Similarities have the precision of ``support``, as those of a batch have that of its features; weights are double.
    """

    def __init__(
        self, support: Sequence[Floats], known: Sequence[Neighbors], capacity: int, settings: Settings
    ) -> None:
        V, n = len(support), len(support[0])
        nodes = n + capacity
        self.n, self.m, self.k, self.capacity, self.width = n, 0, 0, capacity, nodes
        self.n_neighbors, self.temperature = settings.n_neighbors, settings.graph_temperature
        self.Q = tuple(np.zeros((nodes, rows.shape[1]), rows.dtype) for rows in support)  # unit rows
        for Q, rows in zip(self.Q, support, strict=True):
            Q[:n] = rows
        dtype = np.result_type(*support)
        self.tie = np.array([TIE[rows.itemsize] for rows in support], dtype)
        # Among equally near nodes the batch prefers the earlier query, then the earlier labelled contact.
        self.rank = np.concatenate([LATER + np.arange(n), np.zeros(capacity, np.int64)])
        # Similarities; −inf to itself and to empty slots.
        self.S = np.full((V, capacity, nodes), -np.inf, dtype)
        self.seen = np.full((V, n, capacity), -np.inf, dtype)  # a part of Sᵀ: of labelled contacts to slots
        # Of other labelled contacts only the n_neighbors best can ever be in a list.
        self.peers = np.stack([best.indices for best in known])
        self.peer_similarities = np.stack([best.similarities for best in known])
        self.lists = np.empty((V, nodes, 0), np.int32)  # the k nearest nodes
        self.kth = np.full((V, nodes), -np.inf, dtype)  # similarity of the last of them
        self.ahead = np.zeros((V, capacity, nodes))  # Eq. 6 from the window's contacts to all nodes
        self.back = np.zeros((V, capacity, nodes))  # Eq. 6 from all nodes to them, transposed
        self.linked = np.zeros((V, capacity, nodes), np.bool_)  # where their sum W + Wᵀ is not zero

    def place(self, slot: int, rows: Sequence[Floats], arrival: int) -> None:
        """Put a contact (its unit rows and running number) into a slot: the next empty one, or a taken one."""
        n, node = self.n, self.n + slot
        self.m = max(self.m, slot + 1)
        nodes = n + self.m
        self.rank[node] = arrival
        similarities = np.empty((len(rows), nodes), self.S.dtype)
        for v, (Q, q) in enumerate(zip(self.Q, rows, strict=True)):
            Q[node] = q
            similarities[v] = Q[:nodes] @ Q[node]
        similarities[:, node] = -np.inf
        self.S[:, slot, :nodes] = similarities
        self.S[:, : self.m, node] = similarities[:, n:]
        self.seen[:, :, slot] = similarities[:, :n]
        if self._grow() or not self.k:
            return
        changed = self.kth[:, :nodes] - self.tie[:, None] <= similarities
        changed.ravel()[np.flatnonzero(self.lists[:, :nodes] == node) // self.k] = True
        changed[:, node] = True
        self._relist(changed)

    def fill(self, rows: Sequence[Floats], arrivals: NDArray[np.int64]) -> None:
        """Put contacts into the first slots of an empty window, all at once."""
        n, self.m = self.n, len(arrivals)
        nodes = n + self.m
        self.rank[n:nodes] = arrivals
        for S, Q, new in zip(self.S, self.Q, rows, strict=True):
            Q[n:nodes] = new
            S[: self.m, :nodes] = Q[n:nodes] @ Q[:nodes].T
            S[np.arange(self.m), n + np.arange(self.m)] = -np.inf
        self.seen[:, :, : self.m] = self.S[:, : self.m, :n].transpose(0, 2, 1)
        self._grow()

    def _grow(self) -> bool:
        """Whether there are now more neighbours to list, k = min(n_neighbors, nodes − 1); if so all lists are new."""
        nodes = self.n + self.m
        k = min(self.n_neighbors, nodes - 1)
        if k == self.k:
            return False
        self.k = k
        self.lists = np.zeros((len(self.Q), self.width, k), np.int32)
        for edges in (self.ahead, self.back, self.linked):
            edges[:] = 0
        self._relist(np.ones((len(self.Q), nodes), np.bool_))
        return True

    def _relist(self, changed: NDArray[np.bool_]) -> None:
        """Choose the neighbours of these nodes, marked for each readout, anew, and weigh them."""
        v, nodes = np.nonzero(changed)
        inside = nodes >= self.n
        if inside.any():
            self._relist_slots(v[inside], nodes[inside] - self.n)
        if not inside.all():
            self._relist_labelled(v[~inside], nodes[~inside])

    def _relist_slots(self, v: NDArray[np.intp], slots: NDArray[np.intp]) -> None:
        n, width = self.n, self.width
        chosen, weights = self._best(v, n + slots, self.S[v, slots, : n + self.m], None)
        which, neighbours = self._renew(v, n + slots, chosen)
        edges = ((v * self.capacity + slots) * width)[which] + neighbours
        self.ahead.ravel()[edges] = _before_and_now(weights)
        inside = np.flatnonzero(neighbours >= n)  # in the window: the edge is in their row too
        whose = which[inside]
        mirrored = self._rows_of(v[whose], neighbours[inside]) + n + slots[whose]
        self.back.ravel()[mirrored] = self.ahead.ravel()[edges[inside]]
        self.linked.ravel()[mirrored] = self._link(edges)[inside]

    def _relist_labelled(self, v: NDArray[np.intp], labelled: NDArray[np.intp]) -> None:
        n, m = self.n, self.m
        rows = np.concatenate([self.seen[v, labelled, :m], self.peer_similarities[v, labelled]], axis=1)
        window = np.broadcast_to(np.arange(n, n + m, dtype=np.int32), (len(labelled), m))
        names = np.concatenate([window, self.peers[v, labelled]], axis=1)
        chosen, weights = self._best(v, labelled, rows, names)
        which, neighbours = self._renew(v, labelled, np.take_along_axis(names, chosen, axis=1))
        inside = np.flatnonzero(neighbours >= n)  # edges among labelled contacts matter to nobody
        whose = which[inside]
        edges = self._rows_of(v[whose], neighbours[inside]) + labelled[whose]
        self.back.ravel()[edges] = _before_and_now(weights)[inside]
        self._link(edges)

    def _renew(
        self, v: NDArray[np.intp], nodes: NDArray[np.intp], chosen: NDArray[np.integer]
    ) -> tuple[NDArray[np.intp], NDArray[np.integer]]:
        """Note new lists; return the neighbours before and then those now, and whose they are."""
        neighbours = np.concatenate([self.lists[v, nodes], chosen]).ravel()
        self.lists[v, nodes] = chosen
        return np.tile(np.repeat(np.arange(len(nodes)), self.k), 2), neighbours

    def _rows_of(self, v: NDArray[np.intp], nodes: NDArray[np.integer]) -> NDArray[np.intp]:
        """Where the rows of these nodes of the window begin in the tables, counted row by row."""
        return (v * self.capacity + (nodes - self.n)) * self.width

    def _link(self, edges: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Note which edges (places in the tables) there are by now: those that either end has."""
        linked: NDArray[np.bool_] = self.ahead.ravel()[edges] + self.back.ravel()[edges] > 0
        self.linked.ravel()[edges] = linked
        return linked

    def _best(
        self,
        v: NDArray[np.intp],
        nodes: NDArray[np.intp],
        rows: Floats,
        names: NDArray[np.int32] | None,
    ) -> tuple[NDArray[np.intp], Floats64]:
        """Columns of each row's k largest, and their weights (Eq. 6).

        Closer calls than rounding are settled as in ``closest``, but in order of arrival.
        """
        cut = rows.shape[1] - self.k
        kth = np.partition(rows, cut, axis=1)[:, cut, None]
        self.kth[v, nodes] = kth[:, 0]
        tie = self.tie[v, None]
        near = kth - tie <= rows
        for i in np.flatnonzero(np.count_nonzero(near, axis=1) > self.k):
            close = np.flatnonzero(near[i] & (rows[i] <= kth[i] + tie[i]))
            others = close if names is None else names[i, close]
            sure = np.count_nonzero(near[i]) - len(close)
            Q = self.Q[v[i]]
            again = np.einsum("j,ij->i", Q[nodes[i]], Q[others], dtype=np.float64)
            order = np.lexsort((self.rank[others], places(again[None])[0]))
            near[i, close[order[self.k - sure :]]] = False
        chosen = np.flatnonzero(near).reshape(-1, self.k)  # k in every row
        similarities = rows.ravel()[chosen]
        chosen -= np.arange(len(rows))[:, None] * rows.shape[1]
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
