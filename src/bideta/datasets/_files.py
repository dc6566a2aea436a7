"""What the datasets on disk share: listing folders in a fixed order, frames read when they are used."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import DatasetInfo, Frames
from bideta.datasets._images import SUFFIXES, ImageFiles, shown

FIRST_NAMES = 6  # folder names repeated in a message


@dataclass(frozen=True)
class Listing:
    """The files of one sensor's split, class by class; row i of every field is the same frame."""

    paths: tuple[Path, ...]
    labels: NDArray[np.int64]
    groups: NDArray[np.int64] | None = None  # None: every frame on its own
    previous: tuple[Path, ...] | None = None


@dataclass(frozen=True)
class FileDataset:
    """A dataset read from a folder; ``listings`` holds what was found, ``expected`` what the paper uses."""

    info: DatasetInfo
    root: Path
    listings: Mapping[tuple[str, str], Listing]  # (sensor, split)
    expected: Mapping[tuple[str, str], int] = field(default_factory=dict)  # frames per class
    backgrounds: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)  # sensor → calibration files
    problems: tuple[str, ...] = ()  # what does not fit the layout
    shortfalls: tuple[str, ...] = ()  # what a reduced copy of the release may lack
    notes: tuple[str, ...] = ()

    @property
    def sensors(self) -> tuple[str, ...]:
        """All sensors of the dataset, also those outside the paper's roles."""
        return tuple(dict.fromkeys(sensor for sensor, _ in self.listings))

    def frames(self, sensor: str, split: str) -> Frames:
        """All frames of a sensor's split: class by class, in the order of their names."""
        self._check(sensor, split)
        found = self.listings[sensor, split]
        missing = missing_classes(self.info, found)
        if missing:
            raise FileNotFoundError(
                f"{self.info.name}: {sensor} has no {split} images of {_some(missing)} in {shown(self.root)}; "
                f"run: bideta data check {self.info.name} {shown(self.root)}"
            )
        alone = np.arange(len(found.paths), dtype=np.int64)
        return Frames(
            images=ImageFiles(found.paths),
            labels=found.labels,
            ids=[relative(path, self.root) for path in found.paths],
            groups=alone if found.groups is None else found.groups,
            previous=None if found.previous is None else ImageFiles(found.previous),
        )

    def calibration(self, sensor: str) -> NDArray[np.uint8] | None:
        """The sensor's calibration images ``(K, H, W, 3)``, or None where the dataset has none."""
        self._check(sensor, self.info.splits[0])
        if not self.backgrounds:
            return None
        if sensor not in self.backgrounds:
            raise FileNotFoundError(
                f"{self.info.name}: {sensor} has no complete calibration folder in {shown(self.root)}; "
                f"run: bideta data check {self.info.name} {shown(self.root)}"
            )
        return np.asarray(ImageFiles(self.backgrounds[sensor]))

    def _check(self, sensor: str, split: str) -> None:
        if sensor not in self.sensors:
            raise ValueError(
                f"unknown sensor {sensor!r} of {self.info.name}. Known: {', '.join(self.sensors)}"
            )
        if split not in self.info.splits:
            raise ValueError(
                f"unknown split {split!r} of {self.info.name}. Known: {', '.join(self.info.splits)}"
            )


def missing_classes(info: DatasetInfo, found: Listing) -> list[str]:
    """Names of the classes without a single file."""
    counts = np.bincount(found.labels, minlength=len(info.classes))
    return [name for name, count in zip(info.classes, counts, strict=True) if not count]


def subfolders(folder: Path) -> dict[str, Path]:
    """Name → path of the visible folders inside, in natural order; empty where ``folder`` does not exist."""
    return {path.name: path for path in _entries(folder) if path.is_dir()}


def image_files(folder: Path) -> list[Path]:
    """Visible files inside with the suffix of an image, in natural order (2 before 10)."""
    return [path for path in _entries(folder) if path.suffix.lower() in SUFFIXES and path.is_file()]


def image_tree(folder: Path) -> list[Path]:
    """All visible image files below a folder, in natural order; linked folders are not entered."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(parent, name) for name in files if not name.startswith(".")]
    chosen = [path for path in found if path.suffix.lower() in SUFFIXES and path.is_file()]
    return sorted(chosen, key=lambda path: natural(str(path.relative_to(folder))))


def is_press(folder: str) -> bool:
    """Whether a folder's name says that it holds frames of one press: "press 1", "press_02", "press-20261116-09".

    >>> [is_press(name) for name in ("press 1", "Press-02", "press3", "press", "press-fit nut", "nut press 1")]
    [True, True, True, False, False, False]
    """
    return re.match(r"press[ _-]?[0-9]", folder, re.IGNORECASE) is not None


def natural(name: str) -> list[str | int]:
    """A sorting key that counts: frame 2 comes before frame 10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"([0-9]+)", name)]


def relative(path: Path, root: Path) -> str:
    """The path below ``root``, with forward slashes; as it is where it lies elsewhere."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def find_home(root: str | Path, inside: Sequence[str], needed: str, title: str, page: str) -> Path:
    """The folder that holds ``needed``: ``root`` itself or one of ``inside``; else an error that says what is there."""
    root = Path(root)
    for home in (root, *(root / name for name in inside)):
        if (home / needed).is_dir():
            return home
    there = f"found {_some([*subfolders(root)])}" if root.is_dir() else "there is no such folder"
    raise FileNotFoundError(
        f"{title} not found in {shown(root)}: expected {page.partition('|')[0]}, {there}; "
        f"see docs/data.md#{page.partition('|')[2]}"
    )


def misnamed(found: Iterable[str], expected: Iterable[str], where: str) -> list[str]:
    """One line for every missing name (with a likely misspelling) and for every name too many."""
    found, expected = list(found), list(expected)
    extra = [name for name in found if name not in expected]
    lines = []
    for name in (name for name in expected if name not in found):
        close = difflib.get_close_matches(name, extra, n=1)
        hint = f"; is {shown(close[0])!r} meant?" if close else ""
        lines.append(f"{where}: {name} is missing{hint}")
    return lines + [f"{where}: {shown(name)!r} is not part of the release" for name in extra]


def _entries(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    visible = (path for path in folder.iterdir() if not path.name.startswith("."))  # .DS_Store and the like
    return sorted(visible, key=lambda path: natural(path.name))


def _some(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    more = len(names) - FIRST_NAMES
    text = ", ".join(shown(name) for name in names[:FIRST_NAMES]) or "nothing"
    return f"{text} and {more} more" if more > 0 else text
