"""What experiments work on: readouts of whole splits and of episodes, all from the feature cache.

One ``Bench`` lives in every worker process. It opens datasets and encoders when they are first needed; where the
readouts are already cached, no picture is rendered or read and no network is loaded.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import Dataset, DatasetInfo, Frames
from bideta.encoders import Encoder, EncoderInfo, Readouts
from bideta.plugins import find, load_dataset, load_encoder
from bideta.protocol.draw import draw_support, inner_split
from bideta.protocol.experiments import Cell
from bideta.protocol.readout_cache import features

CALIBRATION = "calibration"  # stands where a split's name stands: the sensor's calibration images
SOURCE_STRIDE = 4  # neighbouring frames of a simulated press are nearly alike
SOURCE_PER_CLASS = 16  # contacts that thinning must leave (the trained heads draw so many a step)
SHOTS = "-shot"
UNLABELLED = "0%"  # a budget that uses no labelled contact of the target

Key = tuple[str, str, str, str]  # dataset, encoder, sensor, split


@dataclass(frozen=True)
class Contacts:
    """Both readouts of some contacts; row i of every field is the same contact."""

    views: Readouts  # (n, d1), (n, d2)
    labels: NDArray[np.int64]  # (n,) index into the dataset's classes
    groups: NDArray[np.int64]  # (n,) press trajectory or trial
    digest: str = ""  # hash of what the contacts are: names, labels, groups

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: NDArray[Any] | slice) -> Contacts:
        """Some of the contacts; ``rows`` is an index array, a mask or a slice."""
        chosen = np.arange(len(self))[rows]
        views = np.asarray(self.views[0][rows]), np.asarray(self.views[1][rows])
        return Contacts(views, self.labels[rows], self.groups[rows], _hash(self.digest, chosen.tobytes()))


@dataclass(frozen=True)
class EpisodeData:
    """One adaptation: source, labelled contacts and queries of a target sensor, as readouts."""

    source: Contacts
    support: Contacts
    query: Contacts
    classes: tuple[str, ...]
    split_hash: str
    rows: NDArray[np.int64]  # where the support lies in the target's first split
    calibration_keys: tuple[Key, Key]  # target, source
    bench: Bench = field(repr=False)

    @property
    def n_classes(self) -> int:
        """C, fixed by the dataset."""
        return len(self.classes)

    @property
    def calibration(self) -> Readouts | None:
        """Readouts of the target's calibration images, or None where the dataset has none."""
        return self.bench.calibration(*self.calibration_keys[0][:3])

    @property
    def source_calibration(self) -> Readouts | None:
        """Readouts of the source's calibration images, or None where the dataset has none."""
        return self.bench.calibration(*self.calibration_keys[1][:3])


class DeferredEncoder:
    """An encoder that is loaded when it must encode; its facts are known before."""

    def __init__(self, name: str, settings: Mapping[str, Any], info: EncoderInfo, fingerprint: str) -> None:
        self.name, self.settings = name, dict(settings)
        self.info, self.fingerprint = info, fingerprint
        self._loaded: Encoder | None = None

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Two float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        if self._loaded is None:
            self._loaded = open_encoder(self.name, self.settings)
        return self._loaded.encode(images, previous, batch_size)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loaded": None}  # other processes load their own


def open_encoder(name: str, settings: Mapping[str, Any]) -> Encoder:
    """The encoder on one thread (where it can be told): cells and pictures are what is spread over cores."""
    known = inspect.signature(find("encoder", name).load).parameters
    threads = {"threads": 1} if "threads" in known else {}
    encoder: Encoder = load_encoder(name, **{**threads, **settings})
    return encoder


def defer_encoder(name: str, settings: Mapping[str, Any]) -> DeferredEncoder:
    """The encoder's facts; it is loaded once here, for its fingerprint, and dropped."""
    encoder = open_encoder(name, settings)
    return DeferredEncoder(name, settings, encoder.info, encoder.fingerprint)


@dataclass
class Bench:
    """Hands contacts to experiments. ``held`` are readouts that need neither cache nor encoder."""

    datasets: Mapping[str, Mapping[str, Any]]  # plugin name → settings
    encoders: Mapping[str, DeferredEncoder]  # plugin name → encoder
    cache: Path | None = None
    quick: bool = False
    held: dict[Key, Contacts | None] = field(default_factory=dict)
    infos: dict[str, DatasetInfo] = field(default_factory=dict)
    touched: list[str] = field(default_factory=list)  # split hashes handed out since ``begin``
    memory: dict[Any, Any] = field(
        default_factory=dict
    )  # what experiments keep between cells of this process
    _open: dict[str, Dataset] = field(default_factory=dict)
    _frames: tuple[tuple[str, str, str], Frames] | None = None  # the last split, which both encoders read

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": {}, "_frames": None, "held": {}, "touched": [], "memory": {}}

    def begin(self) -> None:
        """Forget which splits were handed out: a new cell begins."""
        self.touched.clear()

    def dataset(self, name: str) -> Dataset:
        """The dataset itself, for experiments that need pictures."""
        if name not in self._open:
            self._open[name] = load_dataset(name, **self.datasets[name])
        return self._open[name]

    def info(self, name: str) -> DatasetInfo:
        """Facts of a dataset."""
        if name not in self.infos:
            self.infos[name] = self.dataset(name).info
        return self.infos[name]

    def frames(self, dataset: str, sensor: str, split: str) -> Frames:
        """Frames of a split; the last one asked for is kept, so that two encoders share its pictures."""
        key = dataset, sensor, split
        if self._frames is None or self._frames[0] != key:
            self._frames = None  # let go of the old pictures first
            self._frames = key, self.dataset(dataset).frames(sensor, split)
        return self._frames[1]

    def contacts(self, dataset: str, encoder: str, sensor: str, split: str) -> Contacts:
        """Readouts of a whole split, in the dataset's order."""
        found = self._contacts((dataset, encoder, sensor, split))
        self.touched.append(found.digest)
        return found

    def calibration(self, dataset: str, encoder: str, sensor: str) -> Readouts | None:
        """Readouts of a sensor's calibration images, or None where the dataset has none."""
        key = dataset, encoder, sensor, CALIBRATION
        if key not in self.held:
            images = self.dataset(dataset).calibration(sensor)
            if images is None:
                self.held[key] = None
            else:
                rows = np.arange(len(images))
                frames = Frames(images, rows, [str(row) for row in rows], rows)
                self.held[key] = self._encode(key, frames)
        held = self.held[key]
        return None if held is None else held.views

    def source(self, dataset: str, encoder: str) -> Contacts:
        """Labelled contacts of the source sensor, as ``source_rows`` thins them."""
        info = self.info(dataset)
        whole = self._contacts((dataset, encoder, info.source, info.splits[0]))
        key = "source", dataset, encoder
        if key not in self.memory:
            self.memory[key] = whole[source_rows(whole.labels, info)]
        thinned: Contacts = self.memory[key]
        return thinned

    def episode(self, cell: Cell) -> EpisodeData:
        """Source, support and queries of a cell: labelled contacts from the first split, queries are the last."""
        info = self.info(cell.dataset)
        check_target(info, cell.target)
        pool = self._contacts((cell.dataset, cell.encoder, cell.target, info.splits[0]))
        query = self._contacts((cell.dataset, cell.encoder, cell.target, info.splits[-1]))
        rows = draw_support(pool.labels, per_class(cell.budget, info, pool.labels), cell.seed, cell.target)
        return self._episode(cell, pool, rows, query)

    def inner_episode(self, cell: Cell) -> EpisodeData:
        """Support and validation queries of a cell, both from the target's first split and of different presses.

        The last split, which holds the queries of the tables, is not opened.
        """
        info = self.info(cell.dataset)
        check_target(info, cell.target)
        pool = self._contacts((cell.dataset, cell.encoder, cell.target, info.splits[0]))
        rest, validation = inner_split(pool.labels, pool.groups, cell.seed, cell.target)
        wanted = min(shots(cell.budget, info), int(np.bincount(pool.labels[rest]).min()))
        rows = rest[draw_support(pool.labels[rest], wanted, cell.seed, cell.target)]
        return self._episode(cell, pool, rows, pool[validation])

    def _episode(self, cell: Cell, pool: Contacts, rows: NDArray[np.int64], query: Contacts) -> EpisodeData:
        info = self.info(cell.dataset)
        source = self.source(cell.dataset, cell.encoder)
        support = pool[rows]
        facts = f"{cell.dataset} {info.source} {cell.target}"
        split_hash = _hash(facts, *(part.digest.encode() for part in (source, support, query)))
        self.touched.append(split_hash)
        keys = tuple(
            (cell.dataset, cell.encoder, sensor, CALIBRATION) for sensor in (cell.target, info.source)
        )
        return EpisodeData(
            source, support, query, tuple(info.classes), split_hash, rows, (keys[0], keys[1]), self
        )

    def _contacts(self, key: Key) -> Contacts:
        if key not in self.held:
            self.held[key] = self._encode(key, self.frames(key[0], key[2], key[3]))
        found = self.held[key]
        if found is None:
            raise ValueError(f"no contacts of {' '.join(key)}")
        return found

    def _encode(self, key: Key, frames: Frames) -> Contacts:
        if key[1] not in self.encoders:
            raise ValueError(f"unknown encoder {key[1]!r}. Known here: {', '.join(self.encoders)}")
        encoder = self.encoders[key[1]]
        views = features(encoder, frames, self.cache, title=" ".join((key[0], *key[2:])))
        return Contacts(views, frames.labels, frames.groups, _identity(key, frames))


def source_rows(labels: NDArray[np.int64], info: DatasetInfo) -> NDArray[np.int64]:
    """Which contacts of the source's first split are used.

    All of a recorded dataset. Of a simulated one every fourth frame, where that leaves 16 contacts per class:
    SITR's 12,800 become 3,200, TacVerse's 2,700 become 675, TacQuad keeps all its 672.
    """
    rows = np.arange(len(labels))
    thinned = rows[::SOURCE_STRIDE]
    counts = np.bincount(labels[thinned], minlength=len(info.classes))
    return thinned if info.simulated and counts.min() >= SOURCE_PER_CLASS else rows


def shots(budget: str, info: DatasetInfo) -> int:
    """Labelled contacts per class of a budget: "5%", "5-shot", or "0%" (one, to name the classes; not learned from)."""
    if budget in info.budgets:
        return info.budgets[budget]
    if budget == UNLABELLED:
        return 1
    if budget.endswith(SHOTS) and budget.removesuffix(SHOTS).isdecimal():
        return int(budget.removesuffix(SHOTS))
    raise ValueError(
        f"unknown budget {budget!r} of {info.name}. Known: {', '.join(info.budgets)}, {UNLABELLED}, <number>{SHOTS}"
    )


def per_class(budget: str, info: DatasetInfo, labels: NDArray[np.int64]) -> int:
    """Labelled contacts per class; a twin's budgets and shots shrink to a scaled pool, a recorded one's never do."""
    asked = shots(budget, info)
    return min(asked, int(np.bincount(labels).min())) if info.simulated else asked


def check_target(info: DatasetInfo, target: str) -> None:
    """Refuse an episode whose target is the source, or a dataset without separate queries."""
    if len(info.splits) < 2:
        raise ValueError(
            f"{info.name} has the single split {info.splits[0]!r}: support and queries would be the same frames"
        )
    if target == info.source:
        raise ValueError(f"{target} is the source of {info.name}, expected one of {', '.join(info.targets)}")


def _identity(key: Key, frames: Frames) -> str:
    """Hash of what the frames are called, their labels and groups; the encoder is not part of it."""
    names = "\n".join(frames.ids)
    labels, groups = (np.ascontiguousarray(column, np.int64) for column in (frames.labels, frames.groups))
    return _hash(f"{key[0]} {key[2]} {key[3]}", names.encode(), labels.tobytes(), groups.tobytes())


def _hash(text: str, *parts: bytes) -> str:
    digest = hashlib.sha256(text.encode())
    for part in parts:
        digest.update(
            hashlib.sha256(part).digest()
        )  # of fixed length, so that no two lists of parts read alike
    return digest.hexdigest()
