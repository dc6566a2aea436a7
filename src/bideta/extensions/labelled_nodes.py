"""The labelled contacts as nodes of the graph, clamped to their labels. The paper's graph holds queries only.

They search for neighbours like every query, so that Eqs. 6–7 hold unchanged on m + n nodes: an edge counts from both
ends. They need no anchor and no gate, because nothing updates them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bideta.method import Floats, Floats64, Indices
from bideta.method.graph import Neighbors, Search
from bideta.method.readout import AdaptedReadout, Directions, workspace
from bideta.neighbors.search import SMALL
from bideta.neighbors.with_labelled import known_neighbors, nearest_with, serves


@dataclass(frozen=True)
class LabelledNodes:
    """Everything that ``search_with`` needs of the labelled contacts, made once."""

    geometry: str
    n_neighbors: int
    rows: tuple[Floats, ...]  # (n, d) directions of each readout in that geometry
    labels: Floats64  # (n, C) one-hot
    known: tuple[Neighbors, ...]  # neighbours of each labelled contact among the others, for each readout


def labelled_nodes(
    readouts: Sequence[AdaptedReadout],
    support: Sequence[Floats],
    y: Indices,
    geometry: str,
    n_neighbors: int,
) -> LabelledNodes:
    """The labelled contacts in the geometry of the graph, and their neighbours among themselves.

    Those are searched now, which makes small batches faster later.
    """
    pairs = zip(readouts, support, strict=True)
    rows = tuple(readout.directions(H, geometry).rows for readout, H in pairs)
    known = tuple(known_neighbors(Q, n_neighbors) for Q in rows)
    return LabelledNodes(geometry, n_neighbors, rows, np.eye(y.max() + 1)[y], known)


def search_with(
    nodes: LabelledNodes, v: int, readout: AdaptedReadout, H: Floats, n_neighbors: int, search: Search
) -> Neighbors:
    """Neighbours of the queries H of readout v and, below them, of the labelled contacts."""
    m, labelled = len(H), nodes.rows[v]
    Q = workspace(H, len(labelled))
    Q[m:] = labelled
    precise = readout.directions(H, nodes.geometry, out=Q[:m]).precise
    k = min(n_neighbors, len(Q) - 1)
    if serves(Q, nodes.known[v], k):
        return nearest_with(Q, nodes.known[v], k)
    if precise is None or m <= SMALL:
        return search(Directions(Q), k)

    def rows(queries: Indices) -> Floats64:
        """Labelled contacts as they are rounded, queries in double."""
        directions = Q[queries].astype(np.float64)
        unlabelled = queries < m
        directions[unlabelled] = precise(queries[unlabelled])
        return directions

    return search(Directions(Q, rows), k)
