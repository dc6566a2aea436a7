"""The graph of nearest neighbours that several comparisons build, each with its own weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bideta.baselines._inputs import Floats
from bideta.method.readout import Directions
from bideta.neighbors.search import nearest


def neighbor_graph(X: Floats, n_neighbors: int, weights: Callable[[NDArray[Any]], NDArray[Any]]) -> csr_array:
    """(n, n) directed graph of each row and its k nearest others; ``weights`` are made of the cosines.

    Rows have unit length. A row alone has no neighbour.
    """
    n = len(X)
    if n == 1:
        return csr_array((1, 1))
    neighbors = nearest(Directions(X), min(n_neighbors, n - 1))
    k = neighbors.indices.shape[1]
    values = weights(neighbors.similarities.ravel())
    return csr_array((values, neighbors.indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
