"""Named arrays → contacts: ``X`` (pictures, signals or a readout), ``y``, ``press``, ``sensor``, ``split``.

Without ``X`` all two-dimensional arrays of numbers are readouts, in the order of their names: ``h1``, ``h2``, …
Arrays may lie on disk; rows are read when they are asked for.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.folders import is_press, natural
from bideta.images.reading import MAX_PIXELS, ImageError, shown
from bideta.readers import Contacts, Kind

# What libraries raise on damaged files, and what odd values in descriptions make of honest code.
UNREADABLE = (
    *(OSError, ValueError, RuntimeError, LookupError, TypeError, ArithmeticError, AttributeError),
    *(EOFError, MemoryError, struct.error, zlib.error),
)
LONGEST = 256  # bytes of a name; an array of longer ones is no array of names
MAX_ROWS = 1_000_000  # a header of a few bytes can promise any number
TEXT_BYTES = 4096  # of a text in HDF5, where each may be as long as its file, and all the same one
TEXT_ROWS = 2**15  # texts that are read at a time: 128 MB
CHARACTERS = 2**26  # of all texts of an array together
FLOATS = 2**21  # numbers of a contact without a picture; an encoder takes 64 contacts at a time
NUMBERS = 2**29  # of the readouts of all contacts, which are held in memory


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
        number = range(len(self))[rows]  # an array on disk may take any number
        try:
            row = np.asarray(self.array[number])
        except UNREADABLE as error:
            raise ImageError(f"cannot read {self.what}, row {number}: {error}") from error
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


def contacts_of(
    arrays: Mapping[str, Any], refused: Mapping[str, str], path: Path, x: str, y: str, press: str
) -> Contacts:
    """The contacts; ``x``, ``y`` and ``press`` say what the arrays are called.

    ``refused``: arrays that cannot be read, and why; of no matter where nobody asks for them.
    """
    named = {"y": y, "press": press, "sensor": "sensor", "split": "split"}
    for name in (x, *named.values(), "untouched"):
        if name in refused:
            raise ValueError(f"cannot read {shown(path)}: {shown(name)}: {refused[name]}")
    if x in arrays:
        kind, count = _kind(arrays[x], f"{shown(path)}: {x}")
        pictures: Any = Rows(arrays[x], f"{shown(path)}: {x}")
        widths: tuple[int, ...] = ()
    else:
        kind, (count, chosen) = "readouts", _readouts(arrays, refused, path, x, set(named.values()))
        pictures = ReadoutRows([Rows(arrays[name], f"{shown(path)}: {name}") for name in chosen])
        widths = tuple(arrays[name].shape[1] for name in chosen)
    if kind == "readouts" and x in arrays:
        pictures, widths = ReadoutRows([pictures]), (arrays[x].shape[1],)
    if sum(widths) > FLOATS or sum(widths) * count > NUMBERS:
        raise ValueError(
            f"{shown(path)} has readouts of {sum(widths):,} numbers for {count:,} contacts, at most {FLOATS:,} for one "
            f"and {NUMBERS:,} for all are held in memory; take fewer features, or cut it into files"
        )
    facts = {
        fact: _texts(arrays[name], count, f"{shown(path)}: {name}")
        for fact, name in named.items()
        if name in arrays
    }
    presses = facts.get("press")
    names = [f"row {row:06d}" for row in range(count)]
    if presses is not None:
        presses = [_press_name(one) for one in presses]
        names = [f"{one}/{name}" if one else name for one, name in zip(presses, names, strict=True)]
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


def _press_name(text: str) -> str:
    """A number says what it is a number of; "cup/press 3" says so itself, and nothing is no press."""
    return text if not text or is_press(text.rpartition("/")[2]) else f"press {text}"


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
    largest = FLOATS if dtype.kind == "f" and len(shape) < 4 else 3 * MAX_PIXELS
    if np.prod([float(side) for side in shape[1:]]) > largest:
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


def _readouts(
    arrays: Mapping[str, Any], refused: Mapping[str, str], path: Path, x: str, facts: set[str]
) -> tuple[int, list[str]]:
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
    if refused and not pictures:  # it may be a readout, which is not left out in silence
        name, reason = next(iter(refused.items()))
        raise ValueError(f"cannot read {shown(path)}: {shown(name)}: {reason}")
    if pictures or not chosen:
        raise ValueError(
            f"{shown(path)} holds {', '.join(map(shown, sorted(arrays)))[:200] or 'nothing'}; expected {x} (contacts) "
            "or readouts (n, d) of floats; --read x=NAME says what the contacts are called"
        )
    counts = {_kind(arrays[name], f"{shown(path)}: {name}")[1] for name in chosen}
    if len(counts) > 1:
        raise ValueError(f"{shown(path)}: readouts {', '.join(chosen)} differ in rows: {sorted(counts)}")
    return counts.pop(), chosen


def _texts(array: Any, count: int, what: str) -> list[str]:
    """Labels or names as text; whole numbers without a point."""
    dtype = np.dtype(array.dtype)
    lists = (dtype.metadata or {}).get("vlen", str) not in (str, bytes)  # of HDF5: each of any length
    if tuple(array.shape) != (count,) or dtype.itemsize > 4 * LONGEST or lists or dtype.kind == "V":
        raise ValueError(
            f"{what} has shape {tuple(array.shape)} and dtype {dtype}; expected ({count},) names or numbers"
        )
    texts: list[str] = []
    length = 0
    try:
        for start in range(0, count, TEXT_ROWS):
            texts += _text(np.asarray(array[start : start + TEXT_ROWS]))
            length += sum(map(len, texts[start:]))
            if length > CHARACTERS:
                raise ValueError(
                    f"names of more than {CHARACTERS:,} characters in all; give them shorter ones"
                )
    except UNREADABLE as error:
        raise ValueError(f"cannot read {what}: {error}") from error
    return texts


def _text(values: NDArray[Any]) -> list[str]:
    if values.dtype.kind not in "SO":
        return [str(value) for value in values.tolist()]
    texts = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values]
    if max(map(len, texts)) > 4 * LONGEST:
        raise ValueError(f"texts of more than {4 * LONGEST:,} characters are no names")
    return texts
