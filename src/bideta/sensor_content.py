"""What a sensor's file may hold.

A checksum says that a file is whole, not that its content makes sense: whoever changes it can seal it again. So kinds,
shapes, sizes and numbers are checked before anything is built from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.checks import ESTIMATED, check_alpha, check_number, check_prior, check_settings
from bideta.extensions.settings import SensorSettings
from bideta.images.background import SIDE
from bideta.images.looks import Look
from bideta.method.readout import Standardizer

ARRAYS = ("mean", "scale", "values", "vectors", "coefficients", "intercepts")  # of a readout
HEADER = {
    "parameters": dict,
    "classes": list,
    "classes_dtype": str,
    "n_features_in": int,
    "origin": dict,
    "readouts": list,
}
FACTS = ("rest", "mean_variance", "intensity")  # numbers of its covariance
LOOK = "look."  # what arrays of the look of the labelled pictures begin with; files of version 0.1 have none
# Standardised features have unit variance: what follows from them stays far below these, and products stay finite.
LARGEST_VARIANCE = 1e12
LARGEST_SCORE = 1e30
MOST_STEPS = 10_000  # of the recurrence; the paper takes 10, and each costs a pass over the graph
MOST_NEIGHBORS = 10_000  # the paper takes 40; memory grows with them
MOST_READOUTS = 64
CLASS_BYTES = 100_000_000  # that the names of all classes may take
CLASS_KINDS = {"U": str, "i": int, "u": int, "b": bool, "f": float}  # numpy's letter → what JSON gives
NAME_DEPTH = 20  # tuples inside tuples in the name of a class


def check_limits(settings: SensorSettings) -> None:
    """Raise unless the settings are fit for a file: what costs time and memory without bound has one there."""
    check_number("n_iter", settings.n_iter, int, low=0, high=MOST_STEPS)
    check_number("n_neighbors", settings.n_neighbors, int, low=1, high=MOST_NEIGHBORS)


def check_header(header: Mapping[str, Any]) -> None:
    """Raise unless every entry is of its kind."""
    for name, kind in HEADER.items():
        if type(header.get(name)) is not kind:
            raise ValueError(f"{name} is {str(header.get(name))[:40]!r}, expected a {kind.__name__}")
    if not 1 <= len(header["readouts"]) <= MOST_READOUTS:
        raise ValueError(f"{len(header['readouts'])} readouts, expected 1 to {MOST_READOUTS}")
    for facts in header["readouts"]:
        if not isinstance(facts, dict) or set(facts) != set(FACTS):
            raise ValueError(f"a readout is {str(facts)[:40]!r}, expected {', '.join(FACTS)}")
        check_number("rest", facts["rest"], float, low=0, high=LARGEST_VARIANCE)
        check_number("mean_variance", facts["mean_variance"], float, low=0, high=LARGEST_VARIANCE)
        check_number("intensity", facts["intensity"], float, low=0, high=1)
    if header.get("temperature") is not None:
        check_number("temperature", header["temperature"], float, above=0)


def check_classes(values: list[Any], dtype: str) -> np.dtype[Any] | None:
    """The dtype of the class names; None where they are objects. Raise unless they are of it, and not too large."""
    if dtype == "object":
        return None
    if len(dtype) > 20 or dtype[:1] not in "<>|=" + "iufbU":
        raise ValueError(f"classes_dtype is {dtype[:40]!r}")
    kind = np.dtype(dtype)  # itself it allocates nothing
    if kind.kind not in CLASS_KINDS or any(type(value) is not CLASS_KINDS[kind.kind] for value in values):
        raise ValueError(f"the names of the classes are not of classes_dtype {dtype!r}")
    if kind.itemsize * len(values) > CLASS_BYTES:
        raise ValueError(
            f"classes_dtype {dtype!r} for {len(values)} classes: more than {CLASS_BYTES:,} bytes"
        )
    return kind


def check_sensor(
    settings: SensorSettings, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Raise unless settings and arrays fit together and every number can be computed with."""
    check_settings(settings)
    check_limits(settings)
    check_background(arrays)
    C, V = len(header["classes"]), len(header["readouts"])
    n = _labels(arrays, C)
    check_number("earlier", header.get("earlier", 0), int, low=0, high=n)  # of the labelled contacts
    widths = [_readout(arrays, v, n, C) for v in range(1, V + 1)]
    if sum(widths) != header["n_features_in"]:
        raise ValueError(f"{V} readouts of {sum(widths)} features, {header['n_features_in']} declared")
    check_alpha(settings.alpha, V)
    counts = np.bincount(arrays["support_labels"])
    expected = check_prior(settings.prior, counts)
    if (expected is None) != ("prior" not in arrays):
        raise ValueError(
            f"prior={settings.prior!r} does not go with the arrays {', '.join(sorted(arrays))[:200]}"
        )
    if expected is not None:
        _expect(arrays, "prior", (C,), "f")
        check_prior(arrays["prior"], counts)
    estimated = isinstance(settings.prior, str) and settings.prior in ESTIMATED
    if estimated != ("temperature" in header):
        raise ValueError(f"prior={settings.prior!r} {'without' if estimated else 'with'} a temperature")


def check_background(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise unless the background, where there is one, is a small RGB picture."""
    picture = arrays.get("background")
    if picture is None:
        return
    small = picture.ndim == 3 and picture.shape[2] == 3 and picture.size > 0 and max(picture.shape) <= SIDE
    if not small or picture.dtype != np.uint8:
        raise ValueError(
            f"background has shape {picture.shape} and dtype {picture.dtype}, expected (H, W, 3) and uint8, at most "
            f"{SIDE} pixels a side"
        )


def look_arrays(look: Look | None) -> dict[str, NDArray[Any]]:
    """The look of the labelled pictures, one for classes and quantities, as a file keeps it."""
    return {} if look is None else {f"{LOOK}{name}": array for name, array in look.arrays().items()}


def look_of(arrays: Mapping[str, NDArray[Any]]) -> Look | None:
    """What ``look_arrays`` gave, checked; None where a file keeps none."""
    given = {name.removeprefix(LOOK): array for name, array in arrays.items() if name.startswith(LOOK)}
    return Look.of_arrays(given) if given else None


def _labels(arrays: Mapping[str, NDArray[Any]], C: int) -> int:
    """Number of labelled contacts."""
    n = len(arrays["support_labels"]) if arrays["support_labels"].ndim else 0
    _expect(arrays, "support_labels", (n,), "i")
    labels = arrays["support_labels"]
    if not n or not C or labels.min() < 0 or labels.max() >= C or len(np.unique(labels)) != C:
        raise ValueError(f"labelled contacts do not show each of {C} classes")
    if "support_groups" in arrays:
        _expect(arrays, "support_groups", (n,), "i")
    return n


def _readout(arrays: Mapping[str, NDArray[Any]], v: int, n: int, C: int) -> int:
    """Features of a readout."""
    vectors = arrays[f"readout{v}.vectors"]
    d, r = vectors.shape if vectors.ndim == 2 else (0, 0)
    if not d:
        raise ValueError(f"readout{v}.vectors has shape {vectors.shape}")
    for name, shape in zip(ARRAYS, ((d,), (d,), (r,), (d, r), (C, d), (C,)), strict=True):
        _expect(arrays, f"readout{v}.{name}", shape, "f", unlikely=name == "intercepts")
    _expect(arrays, f"support{v}", (n, d), "f")
    scale, values, *sizes = (arrays[f"readout{v}.{name}"] for name in ARRAYS[1:])
    if not (scale > 0).all():
        raise ValueError(f"readout{v}.scale holds numbers that are not above zero")
    if not ((values >= 0) & (values <= LARGEST_VARIANCE)).all():
        raise ValueError(f"readout{v}.values are no variances of standardised features")
    if any(
        array.size and np.abs(array[np.isfinite(array)]).max(initial=0) > LARGEST_SCORE for array in sizes
    ):
        raise ValueError(f"readout{v} holds numbers beyond {LARGEST_SCORE:g}")
    Z = Standardizer(arrays[f"readout{v}.mean"], scale)(arrays[f"support{v}"])
    if np.abs(Z, out=Z).max() > LARGEST_VARIANCE:
        raise ValueError(f"readout{v}.mean and .scale are not those of its labelled contacts")
    if not np.isfinite(arrays[f"readout{v}.intercepts"]).any():
        raise ValueError(f"readout{v}.intercepts rule out every class")
    return int(d)


def _expect(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...], kind: str, unlikely: bool = False
) -> None:
    """Raise unless the array is of this shape and kind and finite; ``unlikely``: or −inf, a class of prior zero."""
    array = arrays[name]
    if array.shape != shape or array.dtype.kind != kind or array.dtype.itemsize < 4:
        raise ValueError(
            f"{name} has shape {array.shape} and dtype {array.dtype}, expected {shape}, kind {kind!r}"
        )
    finite = np.isfinite(array) | (array == -np.inf) if unlikely else np.isfinite(array)
    if not finite.all():
        raise ValueError(f"{name} holds NaN or infinity")
