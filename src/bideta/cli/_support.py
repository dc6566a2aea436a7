"""The labelled contacts that ``adapt`` learns from: found, encoded, and what is odd about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.cli._encoding import encode_images
from bideta.cli._inputs import labelled as labelled_contacts
from bideta.cli._sight import Sight
from bideta.datasets import folder
from bideta.datasets.on_disk.dataset import FileDataset
from bideta.datasets.on_disk.recorded import RecordedDataset
from bideta.deploy.trust.intervals import FEWEST
from bideta.extensions.presses import press_of
from bideta.images.folders import is_press
from bideta.images.reading import shown
from bideta.sensor import Sensor
from bideta.service.encoding import Encoded
from bideta.spelling import counted


@dataclass(frozen=True)
class Labelled:
    """The labelled images that could be read."""

    encoded: Encoded
    classes: tuple[str, ...]
    labels: NDArray[np.int64]  # (n,) into classes
    presses: NDArray[np.int64]  # (n,)
    in_presses: bool  # the folders say which images are frames of one press

    @property
    def names(self) -> NDArray[np.str_]:
        """(n,) class names."""
        return np.array(self.classes)[self.labels]

    def summary(self) -> str:
        """How many classes, images and presses."""
        counts = np.bincount(self.labels)
        fewest, most = counts.min(), counts.max()
        few = "" if fewest == most else f"{fewest} to "
        each = " each" * (len(counts) > 1)
        of = f", {counted(len(np.unique(self.presses)), 'press')}" if self.in_presses else ""
        return f"{counted(len(counts), 'class')}, {few}{counted(most, 'labelled image')}{each}{of}"


def open_support(
    support: Path, presses: bool, format: str = "", settings: dict[str, Any] | None = None
) -> FileDataset | RecordedDataset:
    """The labelled contacts; an error where the input holds several sensors."""
    dataset = folder.load(support, presses=presses, format=format, **(settings or {}))
    if isinstance(dataset, RecordedDataset):
        if len(dataset.sensors) != 1 or len(dataset.info.splits) != 1:
            raise ValueError(
                f"{shown(support)} holds the sensors {', '.join(map(shown, dataset.sensors))} and the splits "
                f"{', '.join(map(shown, dataset.info.splits))}; adapt takes one of each (a manifest: --read split=NAME)"
            )
        return dataset
    if dataset.sensors != (folder.ONLY,):
        labelled = "support" if "support" in dataset.sensors else dataset.sensors[0]
        raise ValueError(
            f"{shown(support)} holds sensor folders ({', '.join(map(shown, dataset.sensors))}); adapt takes one "
            f"sensor. If they are classes with a folder for each press: --presses, or call them press 1, press 2, … "
            f"If not: bideta adapt {shown(support / labelled)} …"
        )
    return dataset


def dataset_notes(
    dataset: FileDataset | RecordedDataset, presses: bool, table: Path | None = None
) -> list[str]:
    """What of the input is not learnt from."""
    if isinstance(dataset, FileDataset):
        return folder.overlooked(dataset.root, presses, table)
    unlabelled = sum(not label for label in dataset.contacts.labels or ())
    return [f"{counted(unlabelled, 'contact')} without a label left out"] if unlabelled else []


def encode_support(
    dataset: FileDataset | RecordedDataset, sight: Sight, batch_size: int, presses: bool
) -> Labelled:
    """The readable images of every class; an error where a class has none."""
    (frames, contacts), classes = labelled_contacts(dataset), dataset.info.classes
    encoded = encode_images(
        sight.encoder, contacts.pictures, batch_size, sight.others(contacts), contacts.broken
    )
    labels = frames.labels[encoded.rows]
    empty = [name for label, name in enumerate(classes) if label not in labels]
    if empty:
        raise ValueError(f"no image of {', '.join(map(shown, empty))} can be read; nothing was written")
    return Labelled(encoded, tuple(classes), labels, frames.presses[encoded.rows], presses)


def oddities(labelled: Labelled, sensor: Sensor) -> Iterator[str]:
    """What is odd about a support and the sensor that it made; none of it prevents adapting."""
    presses = np.bincount(press_of(labelled.labels, labelled.presses)[0])  # of every class
    single = [shown(name) for name, count in zip(labelled.classes, presses, strict=True) if count == 1]
    if len(labelled.classes) == 1:
        yield "there is one class only, so every query will be given it"
    if all(map(is_press, labelled.classes)):
        yield "all classes are called presses; was the folder around them meant, with a folder for each class?"
    what = "press" if labelled.in_presses else "labelled image"
    if single and presses.max() > 1:
        yield f"one {what} only of {', '.join(single)}; others have up to {presses.max()}"
    if presses.max() == 1:
        hidden = new_hidden_presses(sensor)  # some, where an earlier sensor's stand beside them
        if not hidden:
            yield f"one {what} of every class: how reliable answers are cannot be measured; press each object again"
        elif hidden < FEWEST:
            yield (
                f"one new {what} of every class: {hidden} can be hidden in turn, to say how reliable answers are takes "
                f"{FEWEST}; press each object again"
            )
    elif labelled.in_presses and presses.sum() == len(labelled.labels):
        yield "no press has two images, so every image is taken for a press of its own"


def new_hidden_presses(sensor: Sensor) -> int:
    """Labelled presses that can be hidden in turn: no earlier sensor's, and not the only one of their class."""
    of_class, press = press_of(sensor.labels, sensor.presses)
    new = np.unique(press[sensor.earlier :])
    return int((np.bincount(of_class)[of_class[new]] > 1).sum())


def copies(labelled: Labelled) -> Iterator[str]:
    """What is odd about images that are the same to the encoder."""
    names, presses = labelled.names, labelled.presses
    first: dict[bytes, int] = {}
    pairs = [(first.setdefault(row.tobytes(), i), i) for i, row in enumerate(labelled.encoded.readouts[0])]
    both = [(names[i], names[j]) for i, j in pairs if names[i] != names[j]]
    if both:
        more = f", and {len(both) - 1} more like it" if len(both) > 1 else ""
        yield f"one image is labelled {shown(both[0][0])} and {shown(both[0][1])}{more}"
    again = sum(names[i] == names[j] and presses[i] != presses[j] for i, j in pairs)
    if again:
        yield (
            f"copies of labelled images as presses of their own: {again}. Copies vouch for each other, and promises "
            "made from them are too bold"
        )
