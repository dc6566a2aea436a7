"""Checks of what users give: the message names the argument, what came, what was expected, and the next step."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.extensions.settings import SensorSettings
from bideta.method import Floats64, Indices

DTYPES = (np.float64, np.float32)  # kept as they are; everything else (float16, integers) becomes float64
ESTIMATED = ("auto", "mixed", "relaxed")  # settings of ``prior`` that look at the batch
PRIORS = '"support", "auto", "mixed", "relaxed", None or one number per class'


def check_number(
    name: str,
    value: Any,
    kind: type,
    *,
    low: float = -math.inf,
    above: float = -math.inf,
    high: float = math.inf,
    below: float = math.inf,
    alternative: str = "",
    hint: str = "",
) -> None:
    """Raise unless ``value`` is a finite number of this kind with low ≤ value ≤ high, above < value < below."""
    accepted = numbers.Integral if kind is int else numbers.Real
    fits = not isinstance(value, bool) and isinstance(value, accepted) and math.isfinite(value)
    if fits and low <= value <= high and above < value < below:
        return
    signs = ((low, ">="), (above, ">"), (high, "<="), (below, "<"))
    bounds = " and ".join(f"{sign} {bound}" for bound, sign in signs if math.isfinite(bound))
    expected = f"{'an integer' if kind is int else 'a number'} {bounds}".strip()
    other = f", or {alternative}" if alternative else ""
    raise ValueError(f"{name}={value!r}: expected {expected}{other}" + (f"; {hint}" if hint else ""))


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise unless ``value`` is one of the choices."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(map(repr, choices))}")


def check_settings(settings: SensorSettings) -> None:
    """Raise unless every setting is in its range; what depends on the support is checked in the fit."""
    if settings.shrinkage != "auto":
        check_number("shrinkage", settings.shrinkage, float, low=0, high=1, alternative='"auto"')
    check_number("memory_temperature", settings.memory_temperature, float, above=0)
    if np.ndim(settings.alpha) == 0:
        check_number("alpha", settings.alpha, float, low=0, high=1, alternative="one weight per readout")
    check_choice("geometry", settings.geometry, ("spectral", "raw"))
    check_number("gamma", settings.gamma, float, low=0, high=10)
    check_number("n_neighbors", settings.n_neighbors, int, low=1, hint="n_iter=0 leaves the graph out")
    check_number("graph_temperature", settings.graph_temperature, float, above=0)
    if isinstance(settings.fusion, str):
        check_choice("fusion", settings.fusion, ("geometric", "arithmetic"))
    else:
        check_number(
            "fusion", settings.fusion, float, above=0, high=1, alternative='"geometric" or "arithmetic"'
        )
    check_number("disagreement_weight", settings.disagreement_weight, float, low=0, high=1)
    check_number("gate_exponent", settings.gate_exponent, float, above=0)
    check_number("r_min", settings.r_min, float, low=0, below=1)
    check_number("r_max", settings.r_max, float, low=settings.r_min, below=1)
    check_number("n_iter", settings.n_iter, int, low=0)
    if not isinstance(settings.support_nodes, bool | np.bool_):
        raise ValueError(f"support_nodes={settings.support_nodes!r}: expected True or False")
    if not isinstance(settings.second_pass, bool | np.bool_):
        raise ValueError(f"second_pass={settings.second_pass!r}: expected True or False")
    check_number("label_spread", settings.label_spread, float, low=0, high=1)
    check_choice("neighbors", settings.neighbors, ("auto", "exact", "approximate"))
    if settings.n_jobs is not None:
        check_number("n_jobs", settings.n_jobs, int, low=1, alternative="None")
    for column in () if settings.split is None else np.atleast_1d(np.asarray(settings.split, object)):
        check_number("split", column, int, low=1, alternative="None")


def check_alpha(alpha: Any, V: int) -> None:
    """Raise unless ``alpha`` says what V readouts weigh: a number for two of them, or one weight for each."""
    if np.ndim(alpha) == 0:
        if V > 2 and alpha != 0.5:
            raise ValueError(
                f"alpha={alpha!r}: a number is the weight of the first of two readouts, and there are {V}; give one "
                "weight per readout, or leave it at 0.5: all weigh the same"
            )
        return
    _frequencies("alpha", alpha, V, f"{V} readouts")


def check_prior(prior: Any, counts: Indices) -> Floats64 | None:
    """Class frequencies π for these support counts; None where the batch is left free or looked at first."""
    if prior is None:
        return None
    if isinstance(prior, str):
        if prior in ESTIMATED:
            return None
        if prior != "support":
            raise ValueError(f"prior={prior!r}: expected {PRIORS}")
        frequencies: Floats64 = counts / counts.sum()
        return frequencies
    return _frequencies("prior", prior, len(counts), f"{len(counts)} classes")


def _frequencies(name: str, value: ArrayLike, size: int, things: str) -> Floats64:
    try:
        frequencies = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        expected = PRIORS if name == "prior" else "a number or one weight per readout"
        raise ValueError(f"{name}={value!r}: expected {expected}") from error
    if frequencies.shape != (size,):
        raise ValueError(f"{name} has shape {frequencies.shape}: expected one number for each of {things}")
    if not (
        np.isfinite(frequencies).all() and (frequencies >= 0).all() and abs(frequencies.sum() - 1) < 1e-6
    ):
        raise ValueError(f"{name}={value!r}: expected numbers >= 0 that sum to one")
    return frequencies / frequencies.sum()


def refuse_images(X: Any, name: str) -> None:
    """Raise where pictures came in the place of readouts: four dimensions, or three of bytes, or not read yet."""
    shape = getattr(X, "shape", ())
    pictures = len(shape) == 4 or (len(shape) == 3 and getattr(X, "dtype", None) == np.uint8)
    if pictures or hasattr(X, "paths"):
        what = f"images of shape {tuple(shape)}" if shape else "images"
        raise ValueError(
            f"{name} holds {what}, expected readouts of (contacts, features); encode first: "
            "load_encoder(…).encode(images)"
        )


def check_readouts(X: tuple[Any, ...], name: str = "X") -> tuple[NDArray[Any], ...]:
    """Readouts of the same contacts as finite two-dimensional float arrays, not copied where they fit."""
    if not X:
        raise ValueError(
            f"{name} is an empty tuple; expected at least one readout, an array of (contacts, features)"
        )
    readouts = []
    for v, given in enumerate(X, 1):
        which = f"readout {v} of {name}"
        refuse_images(given, which)
        plain = type(given) is np.ndarray and given.dtype in DTYPES
        H: NDArray[Any] = given if plain else as_floats(given, which)
        if H.ndim != 2:
            one = "; one contact is a table of one row, H[None]" if H.ndim == 1 else ""
            raise ValueError(f"{which} has shape {H.shape}, expected (contacts, features){one}")
        if 0 in H.shape:
            raise ValueError(f"{which} has shape {H.shape}, expected at least one contact and one feature")
        with np.errstate(over="ignore", invalid="ignore"):
            suspect = not np.isfinite(H.sum())  # one pass without a temporary; large numbers may overflow too
        strange = np.flatnonzero(~np.isfinite(H).all(axis=1)) if suspect else np.zeros(0, np.intp)
        if len(strange):
            what = "NaN" if np.isnan(H[strange]).any() else "infinity"
            raise ValueError(
                f"{which} contains {what} in row {strange[0]} ({len(strange)} of {len(H)} rows): "
                "leave out contacts that could not be encoded"
            )
        readouts.append(H)
    if len({len(H) for H in readouts}) > 1:
        sizes = " and ".join(str(len(H)) for H in readouts)
        raise ValueError(f"readouts of {name} disagree on the number of contacts: {sizes}")
    return tuple(readouts)


def as_floats(H: Any, name: str) -> NDArray[Any]:
    """H as an array of float32 or float64: itself where it is one, a CPU copy of a torch tensor."""
    if hasattr(H, "detach") and hasattr(H, "cpu"):  # one that tracks gradients or sits on a GPU too
        H = H.detach().cpu().numpy()
    if hasattr(H, "toarray"):
        raise TypeError(f"{name} is sparse; expected a dense array of (contacts, features): H.toarray()")
    try:
        array = np.asarray(H)
        if array.dtype.kind == "c":
            raise ValueError("complex numbers")
        return array if array.dtype in DTYPES else array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} does not hold numbers ({error})") from error


def split_columns(X: NDArray[Any], split: int | Sequence[int] | None) -> tuple[NDArray[Any], ...]:
    """Readouts side by side in one array, cut at these columns; without a split, one readout."""
    if split is None:
        return (X,)
    cuts = np.atleast_1d(np.asarray(split))
    if not (np.diff(cuts, prepend=0, append=X.shape[1]) > 0).all():
        raise ValueError(f"split={split} must leave columns on both sides: X has {X.shape[1]}")
    return tuple(np.split(X, cuts, axis=1))


def encode_labels(y: Any, n: int) -> tuple[NDArray[Any], Indices]:
    """Sorted distinct labels, and for each of the n contacts the index of its label.

    Numbers and strings sort as usual; other hashables sort among themselves where they can, else by type and text, so
    that the order of the contacts never matters.
    """
    if y is None:
        raise ValueError(
            "Bideta requires y to be passed, but the target y is None: give one label per contact"
        )
    plain = isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "iuUb"
    labels = y if plain else _one_dimensional(y)
    if len(labels) != n:
        raise ValueError(f"X and y disagree on the number of contacts: {n} and {len(labels)}")
    if labels.dtype != object:
        if labels.dtype.kind == "f":
            from sklearn.utils import assert_all_finite
            from sklearn.utils.multiclass import check_classification_targets

            assert_all_finite(labels, input_name="y")
            check_classification_targets(labels)  # refuses 0.5
        classes, indices = np.unique(labels, return_inverse=True)
        return classes, indices.astype(np.intp)
    try:
        distinct = list(dict.fromkeys(labels.tolist()))
    except TypeError as error:
        raise ValueError(f"y holds a label that is not hashable ({error}); use strings or numbers") from error
    if any(label is None or label != label for label in distinct):
        what = "None" if None in distinct else "NaN"
        raise ValueError(f"y contains {what}: every contact needs a label; leave out those that have none")
    text = next((label for label in distinct if isinstance(label, str)), None)
    number = next((label for label in distinct if isinstance(label, numbers.Number | np.number)), None)
    if text is not None and number is not None:  # often one class that was read from two places: 1 and "1"
        raise ValueError(
            f"y mixes strings and numbers ({text!r} and {number!r}): make all labels strings, or all numbers"
        )
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
        scalar = (str, int, float, bool, np.generic)
        kinds = {str if isinstance(v, str) else float if isinstance(v, scalar) else type(v) for v in y}
        if len(kinds) > 1 or not kinds <= {
            str,
            float,
            list,
        }:  # numpy would turn 1 and "1" into the same label
            return object_array(y)
    labels = y if isinstance(y, np.ndarray) else None
    if labels is None or labels.ndim != 1:
        from sklearn.utils import column_or_1d

        labels = np.asarray(column_or_1d(y, warn=True))
    if labels.dtype == object and all(isinstance(label, str) for label in labels):
        return labels.astype(str)
    return labels
