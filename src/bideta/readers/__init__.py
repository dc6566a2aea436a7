"""Anything that holds contacts → names, pictures, labels and presses. One file is one format.

A reader is a plugin with ``INFO``, ``sniff(path)`` (does the content look like this format?) and ``load(path, …)``,
which gives ``Contacts``. Other packages add theirs through the entry point ``bideta.readers``. Files that begin with an
underscore are what readers share:

_recordings  frames in a row → presses
_sequential  pictures of a stream, by row
_extra       an optional library, or what to install
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bideta.images.reading import SUFFIXES, shown
from bideta.plugins import find, names

FOLDER = "folder"
Kind = Literal["picture", "signals", "readouts"]


@dataclass(frozen=True)
class ReaderInfo:
    """Facts of a format."""

    name: str
    title: str
    extra: str = ""  # what to install: bideta[extra]
    reference: str = ""


class Pictures(Protocol):
    """Contacts by row; reading one may raise an ``ImageError`` that names it."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: int) -> Any:
        """(H, W, 3) uint8 RGB; of signals (channels, time) float32; of readouts a tuple of vectors."""
        ...


@dataclass(frozen=True)
class Contacts:
    """What a reader found; row i of every field is the same contact. Pictures are read when they are asked for."""

    names: Sequence[str]  # as a table shows them
    pictures: Pictures
    labels: Sequence[str] | None = None  # "": this one is not known; None: nothing says labels
    presses: Sequence[str] | None = None  # name of the press; None: nothing says which frames belong together
    sensors: Sequence[str] | None = None
    splits: Sequence[str] | None = None
    values: dict[str, NDArray[np.float64]] = field(default_factory=dict)  # numeric columns
    untouched: Pictures | None = None  # the sensor before the press
    kind: Kind = "picture"
    widths: tuple[int, ...] = ()  # of readouts
    broken: tuple[str, ...] = ()  # parts of the input that gave no contacts, and why

    def __len__(self) -> int:
        return len(self.names)

    @property
    def press_numbers(self) -> NDArray[np.int64]:
        """Presses numbered as they come; a contact without one is a press of its own."""
        keys = self._press_keys()
        number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        return np.array([number[key] for key in keys], np.int64)

    @property
    def press_names(self) -> list[str]:
        """What a table calls each contact's press: "press 3", or "cup/press 3" where the names come again in other
        classes, sensors or splits. A contact without a press is called by its own name."""
        keys = self._press_keys()
        named = {key for key in keys if key[0]}
        again = len({key[0] for key in named}) < len(named)
        # In the order of folders: sensor, split, class. What is the same everywhere tells nothing.
        facts = [i for i in (2, 3, 1) if again and len({key[i] for key in named}) > 1]
        return [
            "/".join([*filter(None, (key[i] for i in facts)), key[0]]) if key[0] else name
            for key, name in zip(keys, self.names, strict=True)
        ]

    def _press_keys(self) -> list[tuple[str, ...]]:
        nothing = [""] * len(self)
        columns = (self.presses, self.labels, self.sensors, self.splits)
        return press_keys(*(nothing if column is None else column for column in columns))


def press_keys(
    presses: Sequence[str], labels: Sequence[str], sensors: Sequence[str], splits: Sequence[str]
) -> list[tuple[str, ...]]:
    """What makes each contact's press; without a name of it ("") its row.

    A press is of one class, sensor and split: their names often begin anew in each, as "press 3" of every class.

    >>> press_keys(["3", "3", ""], ["cup", "nut", "nut"], [""] * 3, [""] * 3)
    [('3', 'cup', '', ''), ('3', 'nut', '', ''), ('', '2')]
    """
    keys = zip(presses, labels, sensors, splits, strict=True)
    return [key if key[0] else ("", str(row)) for row, key in enumerate(keys)]


def recognised(path: str | Path) -> str:
    """Name of the reader that takes this input; an error where none does."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no file or folder {shown(path)}")
    for name in names("reader"):
        if find("reader", name).sniff(path):
            return name
    raise ValueError(
        f"{shown(path)} is of no format that we know ({', '.join(names('reader'))}); --format names one where the "
        "content does not say it, see bideta help bring-your-data"
    )


def format_of(path: Path, format: str = "") -> str:
    """The same, or ``format``. A folder that no reader recognises is one of pictures; its reader says what it lacks."""
    if format:
        find("reader", format)  # an unknown name is refused
        return format
    try:
        return recognised(path)
    except (ValueError, FileNotFoundError):
        if path.is_dir() or not path.exists() or path.suffix.lower() in SUFFIXES:
            return FOLDER  # of one picture it says which folder may be meant
        raise


def open_contacts(path: str | Path, format: str = "", **settings: Any) -> Contacts:
    """The contacts of any input; ``format`` names the reader where the content is not to decide."""
    name = format_of(Path(path), format)
    reader = find("reader", name)
    known = [setting for setting in inspect.signature(reader.load).parameters if setting != "path"]
    for setting in settings:
        if setting not in known:
            raise ValueError(
                f"the format {name!r} has no setting {setting!r}. Known: {', '.join(known) or 'none'}"
            )
    contacts: Contacts = reader.load(Path(path), **settings)
    return contacts
