"""The k best of a few candidates, the same whatever the rounding: close calls are compared again in float64.

Rows in float32 are rounded too. Where they can be had in double (``Precise``) those decide, so that a batch has the
same neighbours in float32 and in float64, whatever kernels BLAS picks. Where they cannot: ``FEW``, ``search.SMALL``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.method import Floats, Floats64

Precise = Callable[[NDArray[np.intp]], Floats64]  # rows of some queries, computed anew in double

# Similarities closer than 16 machine epsilons may differ by rounding only; by bytes of a number.
TIE = {4: float(16 * np.finfo(np.float32).eps), 8: float(16 * np.finfo(np.float64).eps)}
PAIRS = 4096  # pairs compared again at a time
FEW = 4  # close calls of a query up to which rows are computed anew: more are copies, as good as equal


def closest(
    Q: Floats,
    k: int,
    queries: NDArray[np.intp],
    values: Floats,
    indices: NDArray[np.int32],
    precise: Precise | None = None,
) -> tuple[NDArray[np.intp], Floats]:
    """Positions of each row's k best, (rows, k), and the k-th value.

    Row i holds candidates of query ``queries[i]``: their indices and similarities, −inf where there is none.
    """
    cut = values.shape[1] - k
    chosen = np.argpartition(values, cut, axis=1)[:, cut:]
    kth = np.take_along_axis(values, chosen[:, :1], axis=1)  # the pivot is the smallest of the k best
    unsure = np.flatnonzero(np.count_nonzero(kth - TIE[Q.itemsize] <= values, axis=1) > k)
    if len(unsure):
        chosen[unsure] = second_look(Q, k, queries[unsure], values[unsure], indices[unsure], precise)
    return chosen, kth[:, 0]


def second_look(
    Q: Floats,
    k: int,
    queries: NDArray[np.intp],
    values: Floats,
    indices: NDArray[np.int32],
    precise: Precise | None = None,
) -> NDArray[np.intp]:
    """As ``closest``, every candidate within rounding of the k-th compared again; equal ones by lower index."""
    cut = values.shape[1] - k
    kth = np.partition(values, cut, axis=1)[:, cut, None]
    exact = np.where(values > kth, np.inf, -np.inf)
    close = np.abs(values - kth) <= TIE[Q.itemsize]
    if precise is not None:
        few = close & (close.sum(axis=1, keepdims=True) <= FEW)
        close &= ~few
        _compare(exact, few, precise, queries, indices)
    _compare(exact, close, Q.__getitem__, queries, indices)
    return np.lexsort((indices, places(exact)), axis=1)[:, :k]


def places(exact: Floats64) -> NDArray[np.intp]:
    """Place of each value in its row, the largest first; those within rounding of the next larger share its place.

    Copies of a contact are equally similar to every other one, but their rows may come from products of different
    shapes: then the last bit differs, and on another processor it differs otherwise.
    """
    order = np.argsort(-exact, axis=1)
    sizes = np.take_along_axis(exact, order, axis=1)
    with np.errstate(invalid="ignore"):  # ∞ − ∞: alike
        apart = sizes[:, :-1] - sizes[:, 1:] > TIE[8]
    found = np.zeros(exact.shape, np.intp)
    np.put_along_axis(found, order[:, 1:], apart.cumsum(axis=1), axis=1)
    return found


def _compare(
    exact: Floats64,
    places: NDArray[np.bool_],
    rows_of: Callable[[NDArray[np.intp]], Any],
    queries: NDArray[np.intp],
    indices: NDArray[np.int32],
) -> None:
    """Write to these places of ``exact`` how similar query and candidate are, in double."""
    row, column = np.nonzero(places)
    for start in range(0, len(row), PAIRS):
        r, c = row[start : start + PAIRS], column[start : start + PAIRS]
        needed, place = np.unique(np.stack([queries[r], indices[r, c]]), return_inverse=True)
        i, j = rows_of(needed)[place.reshape(2, -1)]
        exact[r, c] = np.einsum("ij,ij->i", i, j, dtype=np.float64)
