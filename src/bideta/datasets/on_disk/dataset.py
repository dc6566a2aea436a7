"""A dataset read from a folder: frames are listed once and read when they are used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import DatasetInfo, Frames, check_known, summary
from bideta.datasets.on_disk.layout import some
from bideta.images.folders import relative
from bideta.images.lazy import ImageFiles
from bideta.images.reading import shown


@dataclass(frozen=True)
class Listing:
    """The files of one sensor's split, class by class; row i of every field is the same frame."""

    paths: tuple[Path, ...]
    labels: NDArray[np.int64]
    presses: NDArray[np.int64] | None = None  # None: every frame is a press
    previous: tuple[Path, ...] | None = None


def list_files(files: Iterable[tuple[int, Path]], presses: NDArray[np.int64] | None = None) -> Listing:
    """The listing of (label, file) pairs, in their order."""
    pairs = list(files)
    labels = np.array([label for label, _ in pairs], np.int64)
    return Listing(tuple(path for _, path in pairs), labels, presses)


@dataclass(frozen=True, repr=False)
class FileDataset:
    """A dataset read from a folder: ``listings`` are the files on disk, ``expected`` their number in the paper."""

    info: DatasetInfo
    root: Path
    listings: Mapping[tuple[str, str], Listing]  # (sensor, split)
    expected: Mapping[tuple[str, str], int] = field(default_factory=dict)  # frames per class
    backgrounds: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)  # sensor → calibration files
    problems: tuple[str, ...] = ()  # what does not fit the layout
    shortfalls: tuple[str, ...] = ()  # what a reduced copy of the release may lack
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return summary(self.info, self.sensors, sum(len(listing.paths) for listing in self.listings.values()))

    @property
    def sensors(self) -> tuple[str, ...]:
        """All sensors of the dataset, also those outside the paper's roles."""
        return tuple(dict.fromkeys(sensor for sensor, _ in self.listings))

    def frames(self, sensor: str, split: str) -> Frames:
        """All frames of a sensor's split: class by class, in the order of their names."""
        check_known(self.info, self.sensors, sensor, split)
        listing = self.listings[sensor, split]
        counts = count_classes(self.info, listing)
        missing = [name for name, count in zip(self.info.classes, counts, strict=True) if not count]
        if missing:
            raise self._incomplete(f"{sensor} has no {split} images of {some(missing)}")
        alone = np.arange(len(listing.paths), dtype=np.int64)
        return Frames(
            images=ImageFiles(listing.paths),
            labels=listing.labels,
            ids=[relative(path, self.root) for path in listing.paths],
            presses=alone if listing.presses is None else listing.presses,
            previous=None if listing.previous is None else ImageFiles(listing.previous),
        )

    def calibration(self, sensor: str) -> NDArray[np.uint8] | None:
        """The sensor's calibration images ``(K, H, W, 3)``, or None where the dataset has none."""
        check_known(self.info, self.sensors, sensor, self.info.splits[0])
        if not self.backgrounds:
            return None
        if sensor not in self.backgrounds:
            raise self._incomplete(f"{sensor} has no complete calibration folder")
        return np.asarray(ImageFiles(self.backgrounds[sensor]))

    def _incomplete(self, reason: str) -> FileNotFoundError:
        name, place = self.info.name, shown(self.root)
        return FileNotFoundError(f"{name}: {reason} in {place}; run: bideta data check {name} {place}")


def count_classes(info: DatasetInfo, listing: Listing) -> NDArray[np.int64]:
    """How many files each class has."""
    return np.bincount(listing.labels, minlength=len(info.classes))
