"""The readouts of a batch: a tuple of arrays, or one array to be split by columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

DTYPES = [np.float64, np.float32]  # kept as they are; everything else (float16, integers) becomes float64


def check_views(X: tuple[Any, ...]) -> tuple[NDArray[Any], ...]:
    """One or two readouts of the same contacts as finite two-dimensional float arrays, not copied if they fit."""
    if len(X) not in (1, 2):
        raise ValueError(
            f"X is a tuple of {len(X)} arrays; a tuple means readouts, and the method takes one or two of them. "
            "For a table of rows pass an array or a list"
        )
    views = tuple(
        check_array(
            numpy_of(H, f"readout {v}"), dtype=DTYPES, input_name=f"readout {v} of X", accept_sparse=False
        )
        for v, H in enumerate(X, 1)
    )
    if len({len(H) for H in views}) > 1:
        raise ValueError(
            f"readouts disagree on the number of contacts: {' and '.join(str(len(H)) for H in views)}"
        )
    return views


def numpy_of(X: Any, name: str = "X") -> Any:
    """X itself, or a CPU copy where X is a torch tensor (one that tracks gradients or sits on a GPU too)."""
    if hasattr(X, "detach") and hasattr(X, "cpu"):
        return X.detach().cpu().numpy()
    return X


def split_columns(X: NDArray[Any], split: int | None) -> tuple[NDArray[Any], ...]:
    """Columns [:split] and [split:] as two readouts; without a split, one readout."""
    if split is None:
        return (X,)
    if not 0 < split < X.shape[1]:
        raise ValueError(f"split={split} must leave columns on both sides: X has {X.shape[1]}")
    return X[:, :split], X[:, split:]
