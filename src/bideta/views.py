"""The readouts of a batch: a tuple of arrays, or one array to be split by columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

DTYPES = [np.float64, np.float32]  # kept as they are; everything else (float16, integers) becomes float64


def check_views(X: tuple[Any, ...], name: str = "X") -> tuple[NDArray[Any], ...]:
    """One or two readouts of the same contacts as finite two-dimensional float arrays, not copied if they fit."""
    if len(X) not in (1, 2):
        raise ValueError(
            f"{name} is a tuple of {len(X)} arrays; a tuple means readouts, and the method takes one or two of them. "
            "For a table of rows pass an array or a list"
        )
    views = tuple(_checked(numpy_of(H), f"readout {v} of {name}") for v, H in enumerate(X, 1))
    if len({len(H) for H in views}) > 1:
        raise ValueError(
            f"readouts of {name} disagree on the number of contacts: {' and '.join(str(len(H)) for H in views)}"
        )
    return views


def _checked(H: Any, name: str) -> NDArray[Any]:
    shape = np.shape(H) if not hasattr(H, "shape") else H.shape
    if len(shape) != 2:
        one = "; one contact is a table of one row, H[None]" if len(shape) == 1 else ""
        raise ValueError(f"{name} has shape {shape}, expected (contacts, features){one}")
    if 0 in shape:
        raise ValueError(f"{name} has shape {shape}, expected at least one contact and one feature")
    plain = type(H) is np.ndarray and H.dtype in DTYPES  # no need of a third of a millisecond for nothing
    checked: NDArray[Any] = (
        H if plain else check_array(H, dtype=DTYPES, input_name=name, ensure_all_finite=False)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        suspect = not np.isfinite(
            checked.sum()
        )  # one pass without a temporary; large numbers may overflow too
    if suspect:
        strange = np.flatnonzero(~np.isfinite(checked).all(axis=1))
        if len(strange):
            what = "NaN" if np.isnan(checked[strange]).any() else "infinity"
            raise ValueError(
                f"{name} contains {what} in row {strange[0]} ({len(strange)} of {len(checked)} rows): "
                "leave out contacts that could not be encoded"
            )
    return checked


def numpy_of(X: Any) -> Any:
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
