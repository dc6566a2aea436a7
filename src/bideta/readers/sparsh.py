"""Sparsh's pickles: pictures as JPEG bytes or arrays, in a list, or in lists of a dictionary. Nothing is unpickled.

``<object>/dataset_0.pkl`` is a labelled set: the folder is the label, each file one press (a slide). In a dictionary
(``digit_index``, …, ``gelsightA_during``) ``key`` names the list of pictures, and ``label`` a list with their labels.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.contact import ENTER
from bideta.images.folders import natural, visible_files
from bideta.images.reading import MAX_PIXELS, ImageError, decode_image, shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._pickled import Span, Stored, array, content, walk
from bideta.readers._recordings import FRAMES, Frame, Recording, contacts_of

INFO = ReaderInfo(
    name="sparsh",
    title="Sparsh's pickles of pictures",
    reference="Higuera et al., Sparsh: Self-supervised touch representations, CoRL 2024",
)
SUFFIXES = (".pkl", ".pickle")


def sniff(path: Path) -> bool:
    """A pickle, or a folder of them."""
    if path.is_file():
        with path.open("rb") as file:
            head = file.read(2)
        return path.suffix.lower() in SUFFIXES and head[:1] == b"\x80" and head[1:] <= b"\x05"
    return path.is_dir() and bool(_pickles(path))


def load(
    path: Path,
    key: str = "",
    label: str = "",
    cut: str = "whole",
    frames: int = FRAMES,
    threshold: float = ENTER,
) -> Contacts:
    """The contacts; a file that holds no pictures (forces, poses) is left out of a folder."""
    files = [path] if path.is_file() else _pickles(path)
    recordings, lost, empty = [], [], []
    for file in files:
        name = file.name if path.is_file() else file.relative_to(path).as_posix()
        try:
            pictures, labels = _pictures(file, key, label)
        except ValueError as error:
            lost.append(str(error))
            continue
        if not pictures:
            empty.append(name)
            continue
        folder = "" if path.is_file() or file.parent == path else file.relative_to(path).parts[0]
        recordings.append(Recording(name, partial(_frames, file, name, pictures, labels), folder))
    if not recordings:
        why = f": {lost[0]}" if lost else f"; {', '.join(map(shown, empty[:3]))}: no list of pictures"
        raise ValueError(f"no pictures in {shown(path)}{why}")
    return contacts_of(recordings, cut, frames, threshold, lost)


def _pictures(file: Path, key: str, label: str) -> tuple[list[Span | Stored], list[str]]:
    """Places of the pictures, and their labels where a list of them was named."""
    value = walk(file)
    if isinstance(value, dict):
        lists = [name for name, items in value.items() if isinstance(items, list) and _are_pictures(items)]
        if not key and len(lists) > 1:
            raise ValueError(
                f"{shown(file)} holds several lists of pictures; --read key=NAME: {', '.join(map(str, lists))}"
            )
        if key and key not in lists:
            raise ValueError(
                f"{shown(file)} holds no pictures called {key!r}; it has {', '.join(map(str, lists))[:200]}"
            )
        chosen = value[key or lists[0]] if lists else []
        labels = value.get(label, []) if label else []
        if label and not (isinstance(labels, list) and len(labels) == len(chosen)):
            raise ValueError(
                f"{shown(file)} has no list {label!r} with a label for each of {len(chosen)} pictures"
            )
        if not all(isinstance(one, str | int | float) for one in labels):
            raise ValueError(f"{shown(file)}: the list {label!r} holds more than texts and numbers")
        return chosen, [str(one)[:200] for one in labels]
    return (value, []) if isinstance(value, list) and _are_pictures(value) else ([], [])


def _are_pictures(items: list[Any]) -> bool:
    """Whether a list holds pictures: encoded ones, or arrays (H, W, 3) of uint8."""
    return bool(items) and all(
        isinstance(item, Span)
        or (
            isinstance(item, Stored)
            and item.dtype == np.uint8
            and item.shape[2:] == (3,)
            and 0 < item.span.length <= 3 * MAX_PIXELS
        )
        for item in items
    )


def _frames(file: Path, name: str, pictures: list[Span | Stored], labels: list[str]) -> Iterator[Frame]:
    for row, place in enumerate(pictures):
        yield Frame(partial(_read, file, f"{name}, picture {row}", place), labels[row] if labels else "")


def _read(file: Path, name: str, place: Span | Stored) -> NDArray[np.uint8]:
    if not file.is_file():
        raise ImageError(f"cannot read {shown(name)}: {shown(file)} is gone")
    return (
        array(file, place)
        if isinstance(place, Stored)
        else decode_image(io.BytesIO(content(file, place)), name)
    )


def _pickles(folder: Path) -> list[Path]:
    found = [file for file in visible_files(folder) if file.suffix.lower() in SUFFIXES]
    return sorted(found, key=lambda file: natural(str(file.relative_to(folder))))
