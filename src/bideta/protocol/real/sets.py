"""Sets of real recordings: ``<set>/<class>/press <n>/<frame>.jpg``, taps as ``<set>/train|val/<class>/*``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import Frames, folder
from bideta.datasets.on_disk.dataset import FileDataset
from bideta.images.differences import Differences
from bideta.images.folders import subfolders
from bideta.images.lazy import ImageFiles
from bideta.images.reading import shown
from bideta.images.untouched import SUFFIX, untouched_folder, untouched_frames

GIVEN = ("train", "val")  # folders of a set that comes with its own split


@dataclass(frozen=True)
class RealSet:
    """One recording of one sensor: contacts class by class, presses in the order in which they were recorded."""

    name: str
    classes: tuple[str, ...]
    paths: tuple[Path, ...]
    labels: NDArray[np.int64]  # (n,)
    presses: NDArray[np.int64]  # (n,) ascending in time within a class
    untouched: tuple[Path, ...] | None = None  # the untouched frame of every contact's press
    queries: NDArray[np.bool_] | None = None  # (n,) where the set comes with its own split

    def frames(self, minus_untouched: bool = False) -> Frames:
        """All contacts, as recorded or as differences to their untouched frames."""
        pictures: Any = ImageFiles(self.paths)
        if minus_untouched:
            if self.untouched is None:
                raise ValueError(f"{self.name} has no untouched frames")
            pictures = Differences(pictures, ImageFiles(self.untouched))
        ids = [f"{path.parent.name}/{path.name}" for path in self.paths]
        return Frames(pictures, self.labels, ids, self.presses)

    def backgrounds(self) -> Frames | None:
        """One frame of every press: its untouched one where there is one, else its first; None for single taps."""
        if self.untouched is None and len(np.unique(self.presses)) == len(self.presses):
            return None
        first = np.sort(np.unique(self.presses, return_index=True)[1])
        paths = self.paths if self.untouched is None else self.untouched
        chosen = ImageFiles([paths[row] for row in first])
        return Frames(chosen, self.labels[first], [], self.presses[first])


def find_sets(root: Path) -> dict[str, RealSet]:
    """Name → set, in natural order; folders that hold something else are left out."""
    if not root.is_dir():
        raise FileNotFoundError(f"no folder {shown(root)}: expected sets, <set>/<class>/press <n>/*")
    found = {}
    for name, home in subfolders(root).items():
        if not name.endswith(SUFFIX):
            known = read_set(name, home)
            found.update({name: known} if known is not None else {})
    if not found:
        raise ValueError(f"{shown(root)} holds no set; expected <set>/<class>/press <n>/*")
    return found


def read_set(name: str, home: Path) -> RealSet | None:
    """The set in a folder, or None where its folders are neither classes nor a split of them."""
    try:
        dataset = folder.load(home)
    except ValueError:
        return None
    if not isinstance(dataset, FileDataset):
        return None  # a recording beside the sets
    listings = [dataset.listings[sensor, folder.ALL] for sensor in dataset.sensors]
    paths = tuple(path for listing in listings for path in listing.paths)
    labels = np.concatenate([listing.labels for listing in listings])
    if dataset.sensors == GIVEN:
        queries = np.repeat([False, True], [len(listing.paths) for listing in listings])
        return RealSet(name, dataset.info.classes, paths, labels, np.arange(len(labels)), queries=queries)
    if dataset.sensors != (folder.ONLY,) or len(dataset.info.classes) < 2:
        return None
    presses = dataset.frames(folder.ONLY, folder.ALL).presses
    beside = untouched_folder(home)
    untouched = None if beside is None else tuple(untouched_frames(paths, home, beside))
    return RealSet(name, dataset.info.classes, paths, labels, presses, untouched)
