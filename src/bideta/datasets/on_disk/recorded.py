"""The contacts of any input as a dataset: class by class, for each sensor and split."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import DatasetInfo, Frames, check_known
from bideta.images.folders import natural
from bideta.images.lazy import Chosen
from bideta.images.reading import shown
from bideta.readers import Contacts


@dataclass(frozen=True)
class RecordedDataset:
    """Labelled contacts; those without a label are left out."""

    info: DatasetInfo
    root: Path
    contacts: Contacts
    only: str  # name of the sensor where the input names none

    @property
    def sensors(self) -> tuple[str, ...]:
        """All sensors that the input names."""
        return tuple(dict.fromkeys(self.contacts.sensors or (self.only,)))

    def frames(self, sensor: str, split: str) -> Frames:
        """All labelled contacts of a sensor's split, class by class."""
        check_known(self.info, self.sensors, sensor, split)
        rows, contacts = self.rows(sensor, split), self.contacts
        labels = self._labels()[rows]
        missing = [name for i, name in enumerate(self.info.classes) if i not in labels]
        if missing:
            raise FileNotFoundError(
                f"{shown(self.root)}: {shown(sensor)} has no {split} contacts of {', '.join(missing)}"
            )
        images = Chosen(contacts.pictures, rows)
        presses = np.unique(contacts.press_numbers[rows], return_inverse=True)[1].astype(np.int64)
        return Frames(images, labels, [contacts.names[row] for row in rows], presses)

    def rows(self, sensor: str, split: str) -> NDArray[np.int64]:
        """Which of the contacts they are."""
        chosen = self._labels() >= 0
        for names, wanted in ((self.contacts.sensors, sensor), (self.contacts.splits, split)):
            if names is not None:
                chosen &= np.array([name == wanted for name in names])
        rows = np.flatnonzero(chosen)
        return rows[np.argsort(self._labels()[rows], kind="stable")]

    def calibration(self, sensor: str) -> None:
        """None: recordings have no calibration pictures."""

    def _labels(self) -> NDArray[np.int64]:
        number = {name: i for i, name in enumerate(self.info.classes)}
        return np.array([number.get(label, -1) for label in self.contacts.labels or ()], np.int64)


def as_dataset(contacts: Contacts, root: Path, info: DatasetInfo, source: str, only: str) -> RecordedDataset:
    """The dataset; ``info`` gives what an input does not say."""
    if contacts.labels is None:
        raise ValueError(
            f"{shown(root)} says no labels, and they are needed here; see bideta help bring-your-data for where each "
            "format keeps them (--read label=…, of arrays --read y=…)"
        )
    classes = tuple(sorted({label for label in contacts.labels if label}, key=natural))
    sensors = tuple(dict.fromkeys(contacts.sensors or (only,)))
    if source and source not in sensors:
        raise ValueError(f"unknown source sensor {source!r} in {shown(root)}. Known: {', '.join(sensors)}")
    splits = tuple(sorted(set(contacts.splits), key=_order)) if contacts.splits else info.splits
    targets = tuple(name for name in sensors if name != source)
    info = replace(info, classes=classes, source=source, targets=targets, splits=splits)
    return RecordedDataset(info, root, contacts, only)


def _order(split: str) -> int:
    """Support is drawn from the first split, queries are the last."""
    return {"train": 0, "test": 2}.get(split, 1)
