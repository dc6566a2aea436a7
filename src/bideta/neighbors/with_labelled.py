"""Neighbours of a small batch among itself and the labelled contacts, whose own neighbours are known from the fit.

A new query can only displace neighbours of a labelled contact, never bring up another labelled one: its k best are
among its k best labelled ones and the queries. So m(m + n)d multiply-adds suffice, where searching all nodes anew takes
(m + n)²d, and one contact costs milliseconds whatever the support.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.method import Floats
from bideta.method.graph import Neighbors
from bideta.method.readout import Directions
from bideta.neighbors.search import nearest
from bideta.neighbors.ties import closest

KEPT = 2**26  # bytes of similarities between queries and all nodes that are held at once


def known_neighbors(U: Floats, k: int) -> Neighbors:
    """Each labelled contact's nearest other ones: k of them, or all where there are fewer."""
    k = max(0, min(k, len(U) - 1))
    if k == 0:
        return Neighbors(np.empty((len(U), 0), np.int32), np.empty((len(U), 0), U.dtype))
    return nearest(Directions(U), k)


def serves(Q: Floats, known: Neighbors, k: int) -> bool:
    """Whether ``nearest_with`` can answer and is worth it; Q holds queries and, below them, the labelled contacts."""
    n, width = known.indices.shape
    m = len(Q) - n
    return width >= min(k, n - 1) and m <= n and m * len(Q) * Q.itemsize <= KEPT


def nearest_with(Q: Floats, known: Neighbors, k: int) -> Neighbors:
    """As ``nearest(Q, k)``, for the same Q as in ``serves``."""
    n = len(known.indices)
    m = len(Q) - n
    S = Q[:m] @ Q.T  # (m, m + n)
    between = S[:, m:].T  # of the labelled contacts to the queries
    np.fill_diagonal(S[:, :m], -np.inf)
    everyone = np.broadcast_to(np.arange(len(Q), dtype=np.int32), S.shape)
    of_queries = _best(Q, k, np.arange(m), S, everyone)
    queries = np.broadcast_to(np.arange(m, dtype=np.int32), between.shape)
    values = np.hstack([between, known.similarities.astype(Q.dtype, copy=False)])
    of_labelled = _best(Q, k, np.arange(m, m + n), values, np.hstack([queries, known.indices + np.int32(m)]))
    return Neighbors(np.vstack([of_queries[0], of_labelled[0]]), np.vstack([of_queries[1], of_labelled[1]]))


def _best(
    Q: Floats, k: int, rows: NDArray[np.intp], values: Floats, indices: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Floats]:
    """(rows, k) indices, ascending, and similarities of each row's k best candidates, which ascend too."""
    chosen = np.sort(closest(Q, k, rows, values, indices)[0], axis=1)
    return np.take_along_axis(indices, chosen, axis=1), np.take_along_axis(values, chosen, axis=1)
