"""Bristol's TacTip releases: ``<robot>_<sensor>/<task>/{train,val}/processed_images/*`` and ``targets_images.csv``.

Every picture is a tap of its own. The table names the picture (``sensor_image``) and says what was touched: an object
(``obj_lbl``, as in Braille's alphabet) or only where (``pose_…``, ``shear_…``). Numbers are kept as targets.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import DatasetInfo
from bideta.datasets.on_disk.dataset import FileDataset, Listing
from bideta.datasets.on_disk.layout import some
from bideta.images.folders import natural, subfolders
from bideta.images.reading import shown

TABLE, IMAGES = "targets_images.csv", "processed_images"
PICTURE, LABEL = "sensor_image", "obj_lbl"  # columns
NUMBERED = ("pose_", "shear_")  # how the columns of targets begin
SPLITS = {"train": ("train", "train_data", "data_train"), "test": ("val", "val_data", "data_val")}

INFO = DatasetInfo(
    name="tactip",
    title="TacTip taps",
    task="classification",
    classes=(),  # the labels in the tables, in natural order
    source="",
    targets=(),  # the <robot>_<sensor> folders, in natural order
    reference="Lepora et al., tactile data of the Bristol TacTips; github.com/dexterousrobot/tactile_data",
    licence="none stated",
    url="https://github.com/dexterousrobot/tactile_data",
)

Targets = Mapping[str, NDArray[np.float64]]  # column → number of every frame


@dataclass(frozen=True)
class TactipDataset(FileDataset):
    """Taps, and where they were made."""

    targets: Mapping[tuple[str, str], Targets] = field(default_factory=dict)  # (sensor, split), as the frames


def load(root: str | Path, task: str = "alphabet", source: str = "") -> TactipDataset:
    """The taps of one task on every sensor below ``root`` that has it; the split ``test`` is the release's ``val``.

    Without a column of labels there is a single class, called as the task. ``source`` names the source sensor.
    """
    root = Path(root)
    places = {
        (sensor, split): place
        for sensor, home in subfolders(root).items()
        for split, names in SPLITS.items()
        for place in [
            next((home / task / name for name in names if (home / task / name / TABLE).is_file()), None)
        ]
        if place is not None
    }
    sensors = tuple(sensor for sensor, split in places if split == "train" and (sensor, "test") in places)
    if not sensors:
        there = f"found {some([*subfolders(root)])}" if root.is_dir() else "there is no such folder"
        raise FileNotFoundError(
            f"no TacTip data of the task {task!r} in {shown(root)}: expected "
            f"<robot>_<sensor>/{task}/train/{TABLE} and val/{TABLE}, {there}; see bideta help data#tactip"
        )
    if source and source not in sensors:
        raise ValueError(f"unknown source sensor {source!r} in {shown(root)}. Known: {', '.join(sensors)}")
    tables = {key: _rows(place / TABLE) for key, place in places.items() if key[0] in sensors}
    names = {row.get(LABEL) or task for rows in tables.values() for row in rows}
    classes = tuple(sorted(names, key=natural))
    listings, targets = {}, {}
    for key, rows in tables.items():
        position = np.array([classes.index(row.get(LABEL) or task) for row in rows], np.int64)
        order = np.argsort(position, kind="stable")
        rows = [rows[i] for i in order]
        paths = tuple(places[key] / IMAGES / row[PICTURE] for row in rows)
        listings[key] = Listing(paths, position[order])
        targets[key] = _targets(rows, places[key] / TABLE)
    lost = [path for listing in listings.values() for path in listing.paths if not path.is_file()]
    problems = (f"{len(lost)} pictures of the tables are missing ({shown(lost[0])}, …)",) if lost else ()
    info = replace(INFO, classes=classes, source=source, targets=tuple(s for s in sensors if s != source))
    return TactipDataset(info, root, listings, problems=problems, targets=targets)


def _rows(table: Path) -> list[dict[str, str]]:
    """The lines of a table; an error where a line names no picture."""
    with table.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if PICTURE not in (reader.fieldnames or []):
            raise ValueError(
                f"{shown(table)} has columns {', '.join(reader.fieldnames or []) or 'none'}; expected {PICTURE}, "
                f"{LABEL} and numbers called pose_… or shear_…; see bideta help data#tactip"
            )
        rows = []
        for row in reader:
            name = (row[PICTURE] or "").strip()
            if not name or Path(name).name != name:  # a table must not lead out of its folder
                raise ValueError(
                    f"{shown(table)}, line {reader.line_num}: {PICTURE} is {name!r}, expected a file name"
                )
            rows.append({key: (value or "").strip() for key, value in row.items() if key is not None})
    if not rows:
        raise ValueError(f"{shown(table)} lists no pictures")
    return rows


def _targets(rows: list[dict[str, str]], table: Path) -> Targets:
    """Columns of numbers, in the order of the rows."""
    columns = [name for name in rows[0] if name.startswith(NUMBERED) and not name.endswith("_id")]
    try:
        return {name: np.array([float(row[name]) for row in rows]) for name in columns}
    except ValueError as error:
        raise ValueError(f"{shown(table)}: a pose or shear is no number ({error})") from None
