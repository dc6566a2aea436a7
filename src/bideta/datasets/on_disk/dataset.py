"""A dataset read from a folder: frames are listed once and read when they are used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import DatasetInfo, Frames, check_known
from bideta.datasets.on_disk.layout import some
from bideta.images.folders import relative
from bideta.images.lazy import ImageFiles
from bideta.images.reading import shown


@dataclass(frozen=True)
class Listing:
    """The files of one sensor's split, class by class; row i of every field is the same frame."""

    paths: tuple[Path, ...]
    labels: NDArray[np.int64]
    presses: NDArray[np.int64] | None = None  # None: every frame on its own
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
        check_known(self.info, self.sensors, sensor, split)
        found = self.listings[sensor, split]
        missing = missing_classes(self.info, found)
        if missing:
            raise FileNotFoundError(
                f"{self.info.name}: {sensor} has no {split} images of {some(missing)} in {shown(self.root)}; "
                f"run: bideta data check {self.info.name} {shown(self.root)}"
            )
        alone = np.arange(len(found.paths), dtype=np.int64)
        return Frames(
            images=ImageFiles(found.paths),
            labels=found.labels,
            ids=[relative(path, self.root) for path in found.paths],
            presses=alone if found.presses is None else found.presses,
            previous=None if found.previous is None else ImageFiles(found.previous),
        )

    def calibration(self, sensor: str) -> NDArray[np.uint8] | None:
        """The sensor's calibration images ``(K, H, W, 3)``, or None where the dataset has none."""
        check_known(self.info, self.sensors, sensor, self.info.splits[0])
        if not self.backgrounds:
            return None
        if sensor not in self.backgrounds:
            raise FileNotFoundError(
                f"{self.info.name}: {sensor} has no complete calibration folder in {shown(self.root)}; "
                f"run: bideta data check {self.info.name} {shown(self.root)}"
            )
        return np.asarray(ImageFiles(self.backgrounds[sensor]))


def missing_classes(info: DatasetInfo, found: Listing) -> list[str]:
    """Names of the classes without a single file."""
    counts = np.bincount(found.labels, minlength=len(info.classes))
    return [name for name, count in zip(info.classes, counts, strict=True) if not count]
