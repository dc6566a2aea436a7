"""What experiments work on: readouts of whole splits and of episodes, all from the readout cache.

One ``Supply`` lives in every worker process. It opens datasets and encoders when they are first needed; where the
readouts are already cached, no picture is rendered or read and no network is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import Dataset, DatasetInfo, Frames
from bideta.encoders import Readouts
from bideta.plugins import load_dataset
from bideta.protocol.deferred_encoder import DeferredEncoder
from bideta.protocol.draw import check_target, draw_support, draw_validation, per_class, shots, source_rows
from bideta.protocol.episode import Contacts, Episode, digest_of
from bideta.protocol.experiment import Cell
from bideta.protocol.readout_cache import read_or_encode

CALIBRATION = "calibration"  # stands where a split's name stands: the sensor's calibration images

Key = tuple[str, str, str, str]  # dataset, encoder, sensor, split


@dataclass
class Supply:
    """Hands contacts to experiments. What is ``loaded`` needs neither cache nor encoder."""

    datasets: Mapping[str, Mapping[str, Any]]  # plugin name → settings
    encoders: Mapping[str, DeferredEncoder]  # plugin name → encoder
    cache: Path | None = None
    quick: bool = False
    # (encoder, dataset) → the same network, where this dataset's pictures are resized in another way.
    resized: Mapping[tuple[str, str], DeferredEncoder] = field(default_factory=dict)
    loaded: dict[Key, Contacts | None] = field(default_factory=dict)
    infos: dict[str, DatasetInfo] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)  # split hashes handed out since ``begin``
    kept: dict[Any, Any] = field(default_factory=dict)  # by experiments, between cells of this process
    _open: dict[str, Dataset] = field(default_factory=dict)
    _frames: tuple[tuple[str, str, str], Frames] | None = None  # the last split, which both encoders read

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": {}, "_frames": None, "loaded": {}, "used": [], "kept": {}}

    def begin(self) -> None:
        """Forget which splits were handed out: a new cell begins."""
        self.used.clear()

    def dataset(self, name: str) -> Dataset:
        """The dataset itself, for experiments that need pictures."""
        if name not in self._open:
            self._open[name] = load_dataset(name, **self.datasets[name])
        return self._open[name]

    def encoder(self, dataset: str, name: str) -> DeferredEncoder:
        """The encoder as it reads this dataset."""
        if name not in self.encoders:
            raise ValueError(f"unknown encoder {name!r}. Known here: {', '.join(self.encoders)}")
        return self.resized.get((name, dataset), self.encoders[name])

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
        contacts = self._load((dataset, encoder, sensor, split))
        self.used.append(contacts.digest)
        return contacts

    def calibration(self, dataset: str, encoder: str, sensor: str) -> Readouts | None:
        """Readouts of a sensor's calibration images, or None where the dataset has none."""
        key = dataset, encoder, sensor, CALIBRATION
        if key not in self.loaded:
            images = self.dataset(dataset).calibration(sensor)
            if images is None:
                self.loaded[key] = None
            else:
                rows = np.arange(len(images))
                frames = Frames(images, rows, [str(row) for row in rows], rows)
                self.loaded[key] = self._encode(key, frames)
        contacts = self.loaded[key]
        return None if contacts is None else contacts.readouts

    def source(self, dataset: str, encoder: str) -> Contacts:
        """Labelled contacts of the source sensor, as ``source_rows`` thins them."""
        info = self.info(dataset)
        whole = self._load((dataset, encoder, info.source, info.splits[0]))
        key = "source", dataset, encoder
        if key not in self.kept:
            self.kept[key] = whole[source_rows(whole.labels, info)]
        thinned: Contacts = self.kept[key]
        return thinned

    def prepared(self, dataset: str, encoder: str) -> dict[str, Any]:
        """What comparisons have made of a source sensor so far, in this process."""
        made: dict[str, Any] = self.kept.setdefault(("prepared", dataset, encoder), {})
        return made

    def episode(self, cell: Cell) -> Episode:
        """Source, support and queries of a cell: labelled contacts from the first split, queries are the last."""
        info, pool = self._pool(cell)
        query = self._load((cell.dataset, cell.encoder, cell.target, info.splits[-1]))
        rows = draw_support(pool.labels, per_class(cell.budget, info, pool.labels), cell.seed, cell.target)
        size = int(np.bincount(pool.labels).min())
        return self._episode(cell, pool, rows, query, size)

    def inner_episode(self, cell: Cell) -> Episode:
        """Support and validation queries of a cell, both from the target's first split and of different presses.

        The last split, which holds the queries of the tables, is not opened.
        """
        info, pool = self._pool(cell)
        rest, validation = draw_validation(pool.labels, pool.presses, cell.seed, cell.target)
        size = int(np.bincount(pool.labels[rest]).min())
        wanted = min(shots(cell.budget, info), size)
        rows = rest[draw_support(pool.labels[rest], wanted, cell.seed, cell.target)]
        return self._episode(cell, pool, rows, pool[validation], size)

    def _pool(self, cell: Cell) -> tuple[DatasetInfo, Contacts]:
        """The contacts of the target from which labelled ones are drawn."""
        info = self.info(cell.dataset)
        check_target(info, cell.target)
        return info, self._load((cell.dataset, cell.encoder, cell.target, info.splits[0]))

    def _episode(
        self, cell: Cell, pool: Contacts, rows: NDArray[np.int64], query: Contacts, size: int
    ) -> Episode:
        info = self.info(cell.dataset)
        source = self.source(cell.dataset, cell.encoder)
        support = pool[rows]
        facts = f"{cell.dataset} {info.source} {cell.target}"
        split_hash = digest_of(facts, *(part.digest.encode() for part in (source, support, query)))
        self.used.append(split_hash)
        calibration = partial(self._calibrations, cell, info)
        prepared = self.prepared(cell.dataset, cell.encoder)
        classes = tuple(info.classes)
        return Episode(source, support, query, classes, split_hash, rows, calibration, prepared, size)

    def _calibrations(self, cell: Cell, info: DatasetInfo) -> tuple[Readouts | None, Readouts | None]:
        target = self.calibration(cell.dataset, cell.encoder, cell.target)
        return target, self.calibration(cell.dataset, cell.encoder, info.source)

    def _load(self, key: Key) -> Contacts:
        if key not in self.loaded:
            self.loaded[key] = self._encode(key, self.frames(key[0], key[2], key[3]))
        contacts = self.loaded[key]
        if contacts is None:
            raise ValueError(f"no contacts of {' '.join(key)}")
        return contacts

    def _encode(self, key: Key, frames: Frames) -> Contacts:
        dataset, encoder, sensor, split = key
        title = f"{dataset} {sensor} {split}"
        readouts = read_or_encode(self.encoder(dataset, encoder), frames, self.cache, title=title)
        return Contacts(readouts, frames.labels, frames.presses, _identity(title, frames))


def _identity(title: str, frames: Frames) -> str:
    """Hash of what the frames are called, their labels and presses; the encoder is not part of it."""
    columns = (np.ascontiguousarray(column, np.int64).tobytes() for column in (frames.labels, frames.presses))
    return digest_of(title, "\n".join(frames.ids).encode(), *columns)
