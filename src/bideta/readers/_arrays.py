"""Named arrays → contacts: ``X`` (pictures, signals or a readout), ``y``, ``press``, ``sensor``, ``split``.

Without ``X`` all two-dimensional arrays of numbers are readouts, in the order of their names: ``h1``, ``h2``, …
Arrays may lie on disk; rows are read when they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.folders import natural
from bideta.images.reading import MAX_PIXELS, ImageError, shown
from bideta.readers import Contacts, Kind

UNREADABLE = (OSError, ValueError, RuntimeError, LookupError, TypeError, MemoryError)  # what libraries raise
LONGEST = 256  # bytes of a name; an array of longer ones is no array of names
MAX_ROWS = 1_000_000  # a header of a few bytes can promise any number
TEXTS = 2**27  # bytes of texts that are read at a time; each may be as long as its file, and all the same one


@dataclass(frozen=True)
class Rows:
    """Rows of an array on disk, as contacts."""

    array: Any
    what: str

    def __len__(self) -> int:
        return int(self.array.shape[0])

    def __getitem__(self, rows: Any) -> Any:
        if not isinstance(rows, int | np.integer):
            return [self[int(row)] for row in np.arange(len(self))[rows]]
        try:
            row = np.asarray(self.array[int(rows)])
        except UNREADABLE as error:
            raise ImageError(f"cannot read {self.what}, row {int(rows)}: {error}") from error
        if row.dtype != np.uint8:
            return row.astype(np.float32)
        if row.ndim == 2:
            row = row[..., None]
        return np.ascontiguousarray(row if row.shape[2] == 3 else np.repeat(row[..., :1], 3, axis=2))


@dataclass(frozen=True)
class ReadoutRows:
    """The readouts of each contact, from one array each."""

    arrays: Sequence[Rows]

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, rows: Any) -> Any:
        if not isinstance(rows, int | np.integer):
            return [self[int(row)] for row in np.arange(len(self))[rows]]
        return tuple(array[rows] for array in self.arrays)


def contacts_of(arrays: Mapping[str, Any], path: Path, x: str, y: str, press: str) -> Contacts:
    """The contacts; ``x``, ``y`` and ``press`` say what the arrays are called."""
    named = {"y": y, "press": press, "sensor": "sensor", "split": "split"}
    if x in arrays:
        kind, count = _kind(arrays[x], f"{shown(path)}: {x}")
        pictures: Any = Rows(arrays[x], f"{shown(path)}: {x}")
        widths: tuple[int, ...] = ()
    else:
        kind, (count, chosen) = "readouts", _readouts(arrays, path, x, set(named.values()))
        pictures = ReadoutRows([Rows(arrays[name], f"{shown(path)}: {name}") for name in chosen])
        widths = tuple(arrays[name].shape[1] for name in chosen)
    if kind == "readouts" and x in arrays:
        pictures, widths = ReadoutRows([pictures]), (arrays[x].shape[1],)
    facts = {
        fact: _texts(arrays[name], count, f"{shown(path)}: {name}", TEXTS // (path.stat().st_size + 1) + 1)
        for fact, name in named.items()
        if name in arrays
    }
    presses = facts.get("press")
    names = [f"row {row:06d}" for row in range(count)]
    if presses is not None:
        names = [f"press {one}/{name}" for one, name in zip(presses, names, strict=True)]
        presses = [f"press {one}" for one in presses]
    untouched = None
    if "untouched" in arrays:
        what = f"{shown(path)}: untouched"
        if _kind(arrays["untouched"], what) != (kind, count):
            raise ValueError(
                f"{what} is {arrays['untouched'].shape}, expected one picture for each of {count} rows"
            )
        untouched = Rows(arrays["untouched"], what)
    return Contacts(
        names=names,
        pictures=pictures,
        labels=facts.get("y"),
        presses=presses,
        sensors=facts.get("sensor"),
        splits=facts.get("split"),
        untouched=untouched,
        kind=kind,
        widths=widths,
    )


def _kind(array: Any, what: str) -> tuple[Kind, int]:
    """What the rows of an array are, and how many there are, by its header alone."""
    shape, dtype = tuple(array.shape), np.dtype(array.dtype)
    expected = (
        "expected pictures (n, H, W, 3) or (n, H, W) of uint8, signals (n, channels, time) of floats, or one readout "
        "(n, d) of floats"
    )
    if shape and shape[0] > MAX_ROWS:
        raise ValueError(f"{what} has {shape[0]:,} rows, at most {MAX_ROWS:,} are read; cut it into files")
    if not shape or min(shape) < 1:
        raise ValueError(f"{what} has shape {shape}; {expected}")
    if np.prod([float(side) for side in shape[1:]]) > 3 * MAX_PIXELS:
        raise ValueError(f"{what} has rows of shape {shape[1:]}: larger than any contact")
    if dtype == np.uint8 and (len(shape) == 3 or (len(shape) == 4 and shape[3] in (1, 3))):
        return "picture", shape[0]
    if dtype.kind == "f" and len(shape) == 3:
        return "signals", shape[0]
    if dtype.kind == "f" and len(shape) == 2:
        return "readouts", shape[0]
    hint = ""
    if len(shape) == 4 and dtype.kind == "f":
        hint = "; pictures as floats in [0, 1]: (x * 255).round().astype('uint8')"
    elif len(shape) == 4 and shape[1] in (1, 3):
        hint = "; channels come last: x.transpose(0, 2, 3, 1)"
    raise ValueError(f"{what} has shape {shape} and dtype {dtype}; {expected}{hint}")


def _readouts(arrays: Mapping[str, Any], path: Path, x: str, facts: set[str]) -> tuple[int, list[str]]:
    """Names of the readouts where there is no ``X``, and how many contacts they have."""
    chosen = [
        name
        for name in sorted(arrays, key=natural)
        if name not in facts and len(arrays[name].shape) == 2 and np.dtype(arrays[name].dtype).kind == "f"
    ]
    # Numbers beside pictures (actions, poses) are not what is meant, though they have the shape of readouts.
    pictures = [
        name for name in arrays if len(arrays[name].shape) > 2 and np.dtype(arrays[name].dtype) == np.uint8
    ]
    if pictures or not chosen:
        raise ValueError(
            f"{shown(path)} holds {', '.join(map(shown, sorted(arrays)))[:200] or 'nothing'}; expected {x} (contacts) "
            "or readouts (n, d) of floats; --read x=NAME says what the contacts are called"
        )
    counts = {_kind(arrays[name], f"{shown(path)}: {name}")[1] for name in chosen}
    if len(counts) > 1:
        raise ValueError(f"{shown(path)}: readouts {', '.join(chosen)} differ in rows: {sorted(counts)}")
    return counts.pop(), chosen


def _texts(array: Any, count: int, what: str, rows: int) -> list[str]:
    """Labels or names as text; whole numbers without a point. Texts of any length are read ``rows`` at a time."""
    dtype = np.dtype(array.dtype)
    if tuple(array.shape) != (count,) or dtype.itemsize > 4 * LONGEST:
        raise ValueError(
            f"{what} has shape {tuple(array.shape)} and dtype {dtype}; expected ({count},) names or numbers"
        )
    step = rows if dtype.hasobject else count
    try:
        return [
            text for start in range(0, count, step) for text in _text(np.asarray(array[start : start + step]))
        ]
    except UNREADABLE as error:
        raise ValueError(f"cannot read {what}: {error}") from error


def _text(values: NDArray[Any]) -> list[str]:
    if values.dtype.kind not in "SO":
        return [str(value) for value in values.tolist()]
    texts = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values]
    if max(map(len, texts)) > 4 * LONGEST:
        raise ValueError(f"texts of more than {4 * LONGEST:,} characters are no names")
    return texts
