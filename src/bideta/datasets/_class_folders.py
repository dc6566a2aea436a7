"""Write one simulated sensor as class folders, the shape in which people have their own pictures."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image

from bideta.datasets._simulated import SimulatedDataset

NAMES = {"train": "support", "test": "queries"}  # split → folder


def write_folders(dataset: SimulatedDataset, folder: Path, sensor: str, counts: Mapping[str, int]) -> int:
    """Number of images written: ``counts[split]`` of every class, evenly over its presses; whole or not at all."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} exists and is not empty; choose a new folder or remove it")
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = folder.with_name(f".{folder.name}-{uuid.uuid4().hex}")
    written = 0
    try:
        for split, per_class in counts.items():
            frames = dataset.frames(sensor, split)
            for label, name in enumerate(dataset.info.classes):
                rows = np.flatnonzero(frames.labels == label)
                if per_class > len(rows):
                    raise ValueError(
                        f"{split}: {per_class} pictures of {name} asked for, there are {len(rows)}"
                    )
                place = unfinished / NAMES[split] / name
                place.mkdir(parents=True)
                spread = rows[((np.arange(per_class) + 0.5) * len(rows) / per_class).astype(int)]
                for row, picture in zip(spread, frames.images[spread], strict=True):
                    Image.fromarray(picture).save(place / f"{frames.ids[row].replace('/', '-')}.png")
                    written += 1
        if folder.exists():
            folder.rmdir()
        os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return written
