"""A small episode with its readouts, for the picture of the method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import Dataset
from bideta.datasets.simulated.dataset import SimulatedDataset
from bideta.encoders import Encoder, Readouts
from bideta.protocol.draw import draw_support
from bideta.sim import render

CLASSES = 6
SHOTS = 5
QUERIES = 40  # per class
SEED = 0


@dataclass(frozen=True)
class SmallEpisode:
    """Support and queries of a few classes of one target sensor."""

    sensor: str
    classes: tuple[str, ...]
    support: Readouts
    support_labels: NDArray[np.int64]
    query: Readouts
    query_labels: NDArray[np.int64]
    example: NDArray[np.uint8]  # one of the queries


def small_episode(dataset: Dataset, encoder: Encoder) -> SmallEpisode:
    """A few classes of the last but one target, some shots, some queries each; only these pictures are made."""
    info = dataset.info
    sensor = info.targets[-2]
    chosen = np.linspace(0, len(info.classes) - 1, CLASSES).round().astype(np.int64)

    def contacts(split: str, count: int) -> tuple[Readouts, NDArray[np.int64], NDArray[np.uint8]]:
        labels = _labels(dataset, sensor, split)
        rows = np.flatnonzero(np.isin(labels, chosen))
        count = min(count, int(np.bincount(labels[rows])[chosen].min()))
        rows = rows[draw_support(labels[rows], count, SEED, sensor)]
        images, previous = _images(dataset, sensor, split, rows, encoder.info.channels > 3)
        return encoder.encode(images, previous), np.searchsorted(chosen, labels[rows]), images

    support, support_labels, _ = contacts(info.splits[0], SHOTS)
    query, query_labels, images = contacts(info.splits[-1], QUERIES)
    names = tuple(info.classes[label] for label in chosen)
    return SmallEpisode(sensor, names, support, support_labels, query, query_labels, images[0])


def _labels(dataset: Dataset, sensor: str, split: str) -> NDArray[np.int64]:
    """Labels of a split, without making a picture."""
    if isinstance(dataset, SimulatedDataset) and dataset.sequence is None:
        return dataset.contacts(sensor, split).object
    return dataset.frames(sensor, split).labels


def _images(
    dataset: Dataset, sensor: str, split: str, rows: NDArray[np.int64], paired: bool
) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
    """The pictures, and their earlier neighbours for encoders that take two frames."""
    if isinstance(dataset, SimulatedDataset) and dataset.sequence is None:
        contacts = dataset.contacts(sensor, split)
        before = contacts.previous()[rows]
        both = np.concatenate([rows, before]) if paired else rows
        made = render(
            contacts[both], sensor, size=dataset.size, seed=SEED, conditions=dataset.level.conditions
        )  # a few hundred pictures instead of the whole split
        return made[: len(rows)], made[len(rows) :] if paired else None
    frames = dataset.frames(sensor, split)
    previous = frames.previous[rows] if paired and frames.previous is not None else None
    return frames.images[rows], previous
