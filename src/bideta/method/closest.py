"""The k best of a few candidates, the same whatever the rounding: close calls are compared again in float64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.method.readouts import Floats

TIE_EPS = 16  # similarities closer than this many machine epsilons may differ by rounding only
PAIRS = 4096  # pairs compared again at a time


def tolerance(Q: Floats) -> float:
    """Difference up to which two similarities of Q's rows are a close call."""
    return float(TIE_EPS * np.finfo(Q.dtype).eps)


def closest(
    Q: Floats, k: int, queries: NDArray[np.intp], values: Floats, indices: NDArray[np.int32]
) -> tuple[NDArray[np.intp], Floats]:
    """Positions of each row's k best, (rows, k), and the k-th value.

    Row i holds candidates of query ``queries[i]``: their indices and similarities, −inf where there is none.
    """
    cut = values.shape[1] - k
    chosen = np.argpartition(values, cut, axis=1)[:, cut:]
    kth = np.take_along_axis(values, chosen[:, :1], axis=1)  # the pivot is the smallest of the k best
    unsure = np.flatnonzero(np.count_nonzero(kth - tolerance(Q) <= values, axis=1) > k)
    if len(unsure):
        chosen[unsure] = second_look(Q, k, queries[unsure], values[unsure], indices[unsure])
    return chosen, kth[:, 0]


def second_look(
    Q: Floats, k: int, queries: NDArray[np.intp], values: Floats, indices: NDArray[np.int32]
) -> NDArray[np.intp]:
    """As ``closest``, every candidate within rounding of the k-th compared again; equal ones by lower index."""
    cut = values.shape[1] - k
    kth = np.partition(values, cut, axis=1)[:, cut, None]
    exact = np.where(values > kth, np.inf, -np.inf)
    row, column = np.nonzero(np.abs(values - kth) <= tolerance(Q))
    for start in range(0, len(row), PAIRS):
        r, c = row[start : start + PAIRS], column[start : start + PAIRS]
        exact[r, c] = np.einsum("ij,ij->i", Q[queries[r]], Q[indices[r, c]], dtype=np.float64)
    return np.lexsort((indices, -exact), axis=1)[:, :k]
