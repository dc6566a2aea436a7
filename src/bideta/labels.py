"""Class names of any hashable kind ↔ class indices ↔ JSON."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

SCALARS = (str, int, float, bool, np.generic)


def encode_labels(y: Any, n: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Sorted distinct labels, and for each of the n contacts the index of its label.

    Numbers and strings sort as usual; other hashables sort among themselves where they can, else by type
    and text, so that the order of the contacts never matters.
    """
    if y is None:
        raise ValueError(
            "Bideta requires y to be passed, but the target y is None: give one label per contact"
        )
    labels = _one_dimensional(y)
    if len(labels) != n:
        raise ValueError(f"X and y disagree on the number of contacts: {n} and {len(labels)}")
    if labels.dtype != object:
        assert_all_finite(labels, input_name="y")
        if labels.dtype.kind == "f":  # refuses 0.5; with other kinds it only warns of one-shot supports
            check_classification_targets(labels)
        classes, indices = np.unique(labels, return_inverse=True)
        return classes, indices.astype(np.intp)
    try:
        distinct = list(dict.fromkeys(labels.tolist()))
    except TypeError as error:
        raise ValueError(f"y holds a label that is not hashable ({error}); use strings or numbers") from error
    if any(label != label for label in distinct):
        raise ValueError("y contains NaN: every contact needs a label")
    try:
        distinct.sort()
    except TypeError:
        distinct.sort(key=lambda label: (type(label).__name__, repr(label)))
    position = {label: i for i, label in enumerate(distinct)}
    return object_array(distinct), np.array([position[label] for label in labels.tolist()], np.intp)


def object_array(items: Sequence[Any]) -> NDArray[Any]:
    """One-dimensional object array; numpy alone would unpack tuples into columns."""
    array = np.empty(len(items), object)
    array[:] = items
    return array


def _one_dimensional(y: Any) -> NDArray[Any]:
    if isinstance(y, list | tuple):
        kinds = {str if isinstance(v, str) else float if isinstance(v, SCALARS) else type(v) for v in y}
        if len(kinds) > 1 or not kinds <= {
            str,
            float,
            list,
        }:  # numpy would turn 1 and "1" into the same label
            return object_array(y)
    labels = np.asarray(column_or_1d(y, warn=True))
    if labels.dtype == object and all(isinstance(label, str) for label in labels):
        return labels.astype(str)
    return labels


def labels_to_json(classes: NDArray[Any]) -> list[Any]:
    """Class names as JSON: plain scalars as themselves, tuples and None marked by their kind."""
    return [_to_json(label) for label in classes.tolist()]


def labels_from_json(values: list[Any], dtype: str) -> NDArray[Any]:
    """The array that ``labels_to_json`` was given."""
    if dtype == "object":
        return object_array([_from_json(value) for value in values])
    return np.array(values, dtype=np.dtype(dtype))


def _to_json(label: Hashable) -> Any:
    if label is None or isinstance(label, str | bool | int | float):
        return label
    if isinstance(label, tuple):
        return {"tuple": [_to_json(part) for part in label]}
    raise TypeError(
        f"class name {label!r} of type {type(label).__name__} cannot be saved; "
        "use strings, numbers, None or tuples of these"
    )


def _from_json(value: Any) -> Any:
    return tuple(_from_json(part) for part in value["tuple"]) if isinstance(value, dict) else value
