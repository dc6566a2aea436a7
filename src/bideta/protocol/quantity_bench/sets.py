"""Contacts with known quantities: recorded folders, and simulated sensors."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import Frames
from bideta.datasets.on_disk.target_table import read_targets
from bideta.images.folders import subfolders
from bideta.images.lazy import ImageFiles
from bideta.images.reading import shown
from bideta.sim import SENSORS, TACVERSE, PressRange, find_sensor, presses, render
from bideta.sim.truth import quantities

TABLE = "targets.csv"
TWIN = "simulated"  # dataset of the twins in records
OBJECTS = ("column", "cuboid", "edge")  # that a twin is pressed with
RANGE = PressRange(depth_mm=(0.5, 1.5), tilt_deg=8.0)
POOL, QUERIES = 320, 250  # contacts of a twin
QUICK_POOL, QUICK_QUERIES = 60, 60
SPLIT = "train", "test"  # of a table: where labelled contacts are drawn from, and what is asked


@dataclass(frozen=True)
class QuantitySet:
    """Contacts of one sensor."""

    dataset: str  # folder of the recording, or ``TWIN``
    sensor: str
    columns: tuple[str, ...]
    frames: Frames
    values: NDArray[np.float64]  # (n, T)
    pool: NDArray[np.int64]  # rows that may be labelled
    queries: NDArray[np.int64]  # rows that are asked
    simulated: bool


def twin(sensor: str, quick: bool = False) -> QuantitySet:
    """A simulated sensor, pressed with three objects: single contacts at random places, depths and tilts."""
    pool, queries = (QUICK_POOL, QUICK_QUERIES) if quick else (POOL, QUERIES)
    design = find_sensor(sensor)
    geometries = [one for one in TACVERSE if one.name in OBJECTS]
    rng = np.random.default_rng(zlib.crc32(f"quantities/{sensor}".encode()))
    contacts = presses(
        geometries, rng.integers(0, len(geometries), pool + queries), rng, frames=1, ranges=RANGE
    )
    known = quantities(contacts, design)
    rows = np.arange(len(contacts))
    frames = Frames(render(contacts, design, seed=rng), contacts.object, list(map(str, rows)), rows)
    return QuantitySet(
        TWIN,
        sensor,
        tuple(known),
        frames,
        np.stack(list(known.values()), axis=1),
        rows[:pool],
        rows[pool:],
        True,
    )


def twins() -> list[str]:
    """Names of all simulated sensors."""
    return list(SENSORS)


def recorded(root: Path) -> dict[str, Path]:
    """``set/sensor`` → folder with a table of quantities, at most two folders below ``root``."""
    if not root.is_dir():
        raise FileNotFoundError(f"no folder {shown(root)}: expected folders with {TABLE} inside")
    folders = {root.name: root}
    for name, path in subfolders(root).items():
        folders[f"{root.name}/{name}"] = path
        folders |= {f"{name}/{inner}": below for inner, below in subfolders(path).items()}
    found = {name: path for name, path in folders.items() if (path / TABLE).is_file()}
    if not found:
        raise ValueError(f"{shown(root)} has no folder with {TABLE} (columns path, split, depth_mm, …)")
    return found


def read_recorded(name: str, folder: Path) -> QuantitySet:
    """A recorded set with the split of its table: contacts of ``train`` are labelled, those of ``test`` asked."""
    known, asked = (read_targets(folder / TABLE, folder, split) for split in SPLIT)
    asked = asked.columns_of(known.columns)
    paths = [*known.paths, *asked.paths]
    rows = np.arange(len(paths))
    frames = Frames(ImageFiles(paths), np.zeros(len(paths), np.int64), [path.name for path in paths], rows)
    dataset, _, sensor = name.rpartition("/")
    n = len(known.paths)
    values = np.concatenate([known.values, asked.values])
    return QuantitySet(
        dataset or name, sensor or name, known.columns, frames, values, rows[:n], rows[n:], False
    )
