"""Write one simulated sensor as class folders, as people keep the pictures of their sensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bideta.datasets.simulated.dataset import SimulatedDataset
from bideta.images.files import new_folder

NAMES = {"train": "support", "test": "queries"}  # split → folder


def write_folders(
    dataset: SimulatedDataset,
    folder: Path,
    sensor: str,
    counts: Mapping[str, int],
    report: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Number of images written: ``counts[split]`` of every class; whole or not at all.

    They are spread over the presses of the class. Frames of one press are nearly alike. If there are enough presses, no
    two images are of the same one, and a labelled contact that is hidden leaves none behind that looks like it.
    """
    written, total = 0, sum(counts.values()) * len(dataset.info.classes)
    with new_folder(folder) as unfinished:
        for split, per_class in counts.items():
            recording = dataset.recording(sensor, split)
            frames = dataset.frames(sensor, split)
            chosen = spread(frames.labels, per_class, split, dataset.info.classes)
            # Only these are rendered.
            pictures = replace(recording, contacts=recording.contacts[chosen], cache=None)
            for row, picture in zip(chosen, chain.from_iterable(pictures.stream()), strict=True):
                place = unfinished / NAMES[split] / dataset.info.classes[frames.labels[row]]
                place.mkdir(parents=True, exist_ok=True)
                Image.fromarray(picture).save(place / f"{frames.ids[row].replace('/', '-')}.png")
                written += 1
                report(written, total)
    return written


def spread(labels: NDArray[np.int64], per_class: int, split: str, classes: Sequence[str]) -> NDArray[np.intp]:
    """Rows of a random frame in each of ``per_class`` equal stretches of every class."""
    rng = np.random.default_rng(0)
    rows = []
    for label, name in enumerate(classes):
        frames = np.flatnonzero(labels == label)
        if per_class > len(frames):
            raise ValueError(f"{split}: {per_class} pictures of {name} asked for, there are {len(frames)}")
        edges = np.arange(per_class + 1) * len(frames) // per_class
        rows.append(frames[rng.integers(edges[:-1], edges[1:])])
    return np.concatenate(rows)
