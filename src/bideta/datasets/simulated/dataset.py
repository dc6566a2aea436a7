"""A simulated twin: presses per sensor and split, frames in the paper's sizes."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import DatasetInfo, Frames, check_known, summary
from bideta.datasets.simulated.levels import Level, check_settings
from bideta.datasets.simulated.rendered import Pictures
from bideta.images.lazy import Chosen
from bideta.sim import Contacts, Geometry, find_sensor, presses, render
from bideta.sim.calibration import UNTOUCHED_DEPTH, calibration_contacts
from bideta.sim.session import Session

MIN_PRESSES = 4  # per class and split, also where ``scale`` leaves few frames
ORDERS = ("", "by class", "mixed")
SPLIT_STRIDE = 1_000_000  # press numbers of different splits never meet


@dataclass(repr=False)
class SimulatedDataset:
    """A twin: every (sensor, split) has a set of presses, rendered when its images are first used."""

    info: DatasetInfo
    geometries: tuple[Geometry, ...]  # in the order of info.classes
    sensors: tuple[str, ...]
    counts: Mapping[str, int]  # split → frames per class
    level: Level
    seed: int = 0
    size: int = 64  # px
    cache: str | Path | None = None  # folder of rendered pictures
    calibrated: bool = False  # True: calibration images exist
    # Split → its frames, where all splits share one press of each class.
    sequence: Mapping[str, slice] | None = None
    order: str = ""  # of recording while light and gel wander: "by class", "mixed"; "": nothing wanders

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise ValueError(f"order is {self.order!r}, expected {' or '.join(map(repr, ORDERS))}")

    def __repr__(self) -> str:
        return summary(self.info, self.sensors)

    def frames(self, sensor: str, split: str) -> Frames:
        """All frames of a sensor's split: class by class, press by press, in time."""
        check_known(self.info, self.sensors, sensor, split)
        pictures = self.recording(sensor, split)
        contacts = pictures.contacts
        rows = self._rows(len(contacts), split)
        return Frames(
            images=pictures if len(rows) == len(contacts) else Chosen(pictures, rows),
            labels=contacts.object[rows],
            ids=self._ids(contacts, rows),
            presses=contacts.press[rows],
            previous=Chosen(pictures, contacts.previous()[rows]),
        )

    def recording(self, sensor: str, split: str | None = None) -> Pictures:
        """All pictures recorded for a split (default: the first); those of every split if they share a press."""
        split = split or self.info.splits[0]
        return Pictures(
            contacts=self.contacts(sensor, split),
            sensor=find_sensor(sensor),
            conditions=self.level.conditions,
            size=self.size,
            seed=self._seed(sensor, "noise", self._recording(split)),
            title=f"{self.info.name} {sensor} {self._recording(split)}",
            cache=self.cache,
            session=self._session(sensor, split),
        )

    def untouched(self, sensor: str, split: str) -> Frames:
        """A frame without contact before every press, in the order of the presses."""
        recording = self.recording(sensor, split)
        first = np.flatnonzero(np.diff(recording.contacts.press, prepend=-1))
        contacts = recording.contacts[first]
        contacts = replace(contacts, depth=np.full(len(contacts), UNTOUCHED_DEPTH, np.float32))
        seed = self._seed(sensor, "untouched", self._recording(split))
        pictures = replace(recording, contacts=contacts, seed=seed, title=f"{recording.title} untouched")
        ids = self._ids(recording.contacts, first)
        return Frames(pictures, contacts.object, ids, contacts.press)

    def contacts(self, sensor: str, split: str) -> Contacts:
        """The presses behind a sensor's split (behind all splits, if they share one sequence)."""
        check_known(self.info, self.sensors, sensor, split)
        recording = self._recording(split)
        count = self.counts[split] if self.sequence is None else self.level.frames_per_press
        shortened = max(1, min(self.level.frames_per_press, count // MIN_PRESSES))
        length = shortened if self.sequence is None else count
        per_class = -(-count // length)  # rounded up; the last press is cut
        objects = np.repeat(np.arange(len(self.geometries)), per_class)
        first = SPLIT_STRIDE * (0 if self.sequence else self.info.splits.index(split))
        rng = np.random.default_rng(self._seed(sensor, "contacts", recording))
        drawn = presses(
            self.geometries, objects, rng, frames=length, ranges=self.level.ranges, first_press=first
        )
        return drawn[np.tile(np.arange(per_class * length) < count, len(self.geometries))]

    def calibration(self, sensor: str) -> NDArray[np.uint8] | None:
        """19 images (background, nine balls, nine cube corners), or None where the release has none."""
        check_known(self.info, self.sensors, sensor, self.info.splits[0])
        if not self.calibrated:
            return None
        design = find_sensor(sensor)
        rng = np.random.default_rng(self._seed(sensor, "calibration", ""))
        noise = replace(self.level.conditions, drift=0.0)
        return render(calibration_contacts(design), design, size=self.size, seed=rng, conditions=noise)

    def _session(self, sensor: str, split: str) -> Session | None:
        """When the presses of a split were recorded: all splits in one session, class after class or mixed."""
        if not self.order:
            return None
        press = np.unique(self.contacts(sensor, split).press)
        C = len(self.geometries)
        within = (np.arange(len(press) // C) + 0.5) * C / len(press)  # 0 … 1
        if self.sequence is None:
            within = (self.info.splits.index(split) + within) / len(self.info.splits)
        moments = ((np.arange(C)[:, None] + within) / C).ravel()
        if self.order == "mixed":
            moments = np.random.default_rng(self._seed(sensor, "order", split)).permutation(moments)
        return Session(int(press[0]), tuple(moments.tolist()), self._seed(sensor, "session", ""))

    def _recording(self, split: str) -> str:
        return split if self.sequence is None else "sequence"

    def _rows(self, total: int, split: str) -> NDArray[np.int64]:
        rows = np.arange(total)
        if self.sequence is None:
            return rows
        return rows.reshape(len(self.geometries), -1)[:, self.sequence[split]].reshape(-1)

    def _ids(self, contacts: Contacts, rows: NDArray[np.int64]) -> list[str]:
        """class/press/frame, frames counted within their press."""
        starts = np.flatnonzero(np.diff(contacts.press, prepend=-1))
        within = np.arange(len(contacts)) - np.repeat(starts, np.diff(starts, append=len(contacts)))
        names = self.info.classes
        return [f"{names[contacts.object[i]]}/{contacts.press[i]:07d}/{within[i]:02d}" for i in rows]

    def _seed(self, sensor: str, purpose: str, recording: str) -> tuple[int, ...]:
        """Independent streams for every sensor, purpose and recording."""
        return (self.seed, zlib.crc32(f"{self.info.name}/{sensor}/{purpose}/{recording}".encode()))


def twin_info(real: DatasetInfo, geometries: Iterable[Geometry], task: str) -> DatasetInfo:
    """Facts of a release's twin: its roles, splits and budgets, our objects; ``task`` is what it stands for."""
    return replace(
        real,
        name=f"simulated-{real.name}",
        title=f"{real.title}, simulated",
        classes=tuple(geometry.name for geometry in geometries),
        simulated=True,
        reference=f"Rendered by bideta.sim in the roles and sizes of {task}; see bideta help twin",
        licence="Apache-2.0",
        url="",
    )


def taps_info(info: DatasetInfo) -> DatasetInfo:
    """Facts of a twin whose contacts are single taps."""
    return replace(info, name=f"{info.name}-taps", title=f"{info.title}, single taps")


def as_taps(twin: SimulatedDataset) -> SimulatedDataset:
    """The same sensors, classes and counts, one frame per press: no contact is the neighbour in time of another."""
    return replace(twin, info=taps_info(twin.info), level=replace(twin.level, frames_per_press=1))


def scale_twin(twin: SimulatedDataset, scale: float) -> SimulatedDataset:
    """The same twin with ``scale`` times its frames per class.

    The splits keep their proportions, and the last one keeps at least one frame of every class. A budget larger than
    the scaled pool shrinks to the pool.
    """
    check_settings(scale, twin.size)
    info = twin.info
    queries = twin.counts[info.splits[-1]]
    unit = max(1, round(queries * scale))
    counts = {split: unit * (count // queries) for split, count in twin.counts.items()}
    budgets = {name: min(count, counts[info.splits[0]]) for name, count in info.budgets.items()}
    return replace(twin, info=replace(info, budgets=budgets), counts=counts)
