"""Sensor × split → frames and labels. One file per dataset; this page is what they share."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bideta.spelling import counted, did_you_mean

NAMED = 4  # classes, sensors or splits that a summary names


@dataclass(frozen=True)
class DatasetInfo:
    """Facts of a dataset, as the paper uses it.

    Attributes:
        name: as ``load_dataset`` takes it
        title: for tables
        task: "classification" or "ranking"
        classes: label = index in this tuple
        source: the sensor the source head is trained on
        targets: unseen sensors, in the paper's column order
        development: sensors that settings may be chosen on
        splits: support is drawn from the first, queries are the last
        budgets: "1%" → labelled frames per class
        resize: how its pictures come to an encoder's size, where the encoder lets one choose
        simulated: whether its pictures are rendered
        assumed: what its numbers rest on and the user has not settled; pages say it loudly
        reference: whom to cite
        licence: of the pictures
        url: where to get it
    """

    name: str
    title: str
    task: Literal["classification", "ranking"]
    classes: tuple[str, ...]
    source: str
    targets: tuple[str, ...]
    development: tuple[str, ...] = ()
    splits: tuple[str, ...] = ("train", "test")
    budgets: dict[str, int] = field(default_factory=dict)
    resize: str = "pil-bicubic"
    simulated: bool = False
    assumed: str = ""
    reference: str = ""
    licence: str = ""
    url: str = ""


@dataclass(frozen=True, repr=False)
class Frames:
    """One sensor's frames of one split; row i of every field is the same frame.

    ``images`` is indexable by a slice or an index array and yields ``(…, H, W, 3)`` uint8 RGB; it may read
    from disk lazily. ``previous`` is the earlier neighbour for two-frame encoders (None: the frame itself).
    ``presses`` numbers the press (or trial) a frame belongs to.

    Attributes:
        images: frames, read when they are asked for
        labels: (n,) into the dataset's classes
        ids: a name for each frame
        presses: (n,) the press that each frame is of
        previous: the frame before each, or None
    """

    images: Any
    labels: NDArray[np.int64]
    ids: Sequence[str]
    presses: NDArray[np.int64]
    previous: Any = None

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        classes, presses = (len(np.unique(column)) for column in (self.labels, self.presses))
        of = f"{counted(classes, 'class')}, {counted(presses, 'press')}"
        return f"<Frames: {counted(len(self), 'image')} of {of}>"

    @property
    def groups(self) -> NDArray[np.int64]:
        """The earlier name of ``presses``; it goes with the next release."""
        warnings.warn("Frames.groups is called Frames.presses now", DeprecationWarning, stacklevel=2)
        return self.presses


class Dataset(Protocol):
    """What every dataset offers.

    Attributes:
        info: facts of the dataset
    """

    info: DatasetInfo

    def frames(self, sensor: str, split: str) -> Frames:
        """All frames of a sensor's split, in a fixed order."""
        ...

    def calibration(self, sensor: str) -> Any:
        """The sensor's calibration images ``(K, H, W, 3)``, or None where the dataset has none."""
        ...


def summary(info: DatasetInfo, sensors: Sequence[str], images: int | None = None) -> str:
    """What a dataset is, in one line; names are cut where there are many."""

    def listed(one: str, many: str, names: Sequence[str]) -> str:
        some = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
        return f"{len(names)} {one if len(names) == 1 else many} ({some})"

    parts = [
        listed("class", "classes", info.classes),
        listed("sensor", "sensors", sensors),
        listed("split", "splits", info.splits),
        *([] if images is None else [counted(images, "image")]),
        *(["simulated"] if info.simulated else []),
    ]
    return f"<dataset {info.name}: {', '.join(parts)}>"


def check_known(info: DatasetInfo, sensors: Sequence[str], sensor: str, split: str) -> None:
    """Refuse a sensor or a split that the dataset does not have; the error lists the known ones."""
    for kind, name, known in (("sensor", sensor, sensors), ("split", split, info.splits)):
        if name not in known:
            hint = did_you_mean(name, known)
            raise ValueError(f"unknown {kind} {name!r} of {info.name}.{hint} Known: {', '.join(known)}")
