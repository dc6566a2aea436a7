"""Nearest neighbours of a batch (Eq. 6): the way is chosen by its size.

Similarities are symmetric, so larger batches multiply out only the upper triangle, m²d multiply-adds: kept in memory
where it fits (``in_memory``), in blocks that come and go where it does not (``blocked``).
"""

from __future__ import annotations

import importlib.util

import numpy as np

from bideta.method.graph import Neighbors
from bideta.method.readout import Directions
from bideta.neighbors import blocked, in_memory, ties

SMALL = 512  # queries up to which each row of similarities is simply cut to its k best
KEPT = 2**27  # bytes of similarities that are kept at once: 8,192 queries in float32, 5,792 in float64
# Queries up to which "auto" is exact: the cost grows as m², some minutes for two readouts at this size on two cores.
EXACT_UP_TO = 200_000


def nearest(Q: Directions, k: int, *, engine: str = "exact", n_jobs: int | None = None) -> Neighbors:
    """The k most similar rows for every row, itself left out; rows have unit (or zero) length, 1 ≤ k < m.

    A query is left out by its index, never by its distance, so a copy of it is a neighbour. Where the k-th place is
    closer than rounding, the pairs in question are compared again one by one in float64, and among equal ones the
    lower index wins: the answer depends neither on blocks nor on threads. Batches of up to 512 are compared as they
    are rounded, because ``OnlineBideta`` answers the same and has no other rows.
    """
    rows, m = Q.rows, len(Q.rows)
    precise = Q.precise if m > SMALL else None
    large = m > EXACT_UP_TO and importlib.util.find_spec("pynndescent") is not None
    approximate = engine == "approximate" or (engine == "auto" and large)
    if approximate or n_jobs not in (None, 1):
        from bideta.neighbors import engines

        if approximate:
            return engines.approximate(Q, k, n_jobs)
        return engines.distributed(rows, k, precise, n_jobs=n_jobs)
    if m * m * rows.itemsize / 2 > KEPT:
        return Neighbors(*blocked.nearest_in_blocks(rows, k, precise))
    if m > SMALL:
        return Neighbors(*in_memory.nearest_in_memory(rows, k, precise))
    S = rows @ rows.T
    np.fill_diagonal(S, -np.inf)
    everyone = np.broadcast_to(np.arange(m, dtype=np.int32), S.shape)
    chosen = np.sort(ties.closest(rows, k, np.arange(m), S, everyone)[0], axis=1)
    return Neighbors(chosen.astype(np.int32), np.take_along_axis(S, chosen, axis=1))
