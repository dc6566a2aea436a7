"""TacQuad's ranking task: enrolled object-contact trials of 20 frames, DIGIT → GelSight Mini and DuraGel.

The paper does not say which 56 trials it kept or how it chose their 20 frames. Our rule: trials whose contact
range holds at least 20 frames on all three RGB sensors, in name order; 20 evenly spaced frames of each. The folders
tac3d and img_* are not read: the paper leaves them out.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bideta.datasets import DatasetInfo
from bideta.datasets.on_disk.dataset import FileDataset, Listing
from bideta.datasets.on_disk.layout import find_home, misnamed
from bideta.images.folders import natural, subfolders
from bideta.images.reading import shown

FOLDERS = {"GelSightMini": "gelsight", "DIGIT": "digit", "DuraGel": "duragel"}  # in the tables' column order
PLACES = ("indoor", "outdoor")
RENAMED = {
    "yumaoqiu": "shuttlecock",
    "yumaoqiu2": "shuttlecock2",
}  # table → folder; certain
FRAMES = 20  # of a sequence
SPLITS = {"train": slice(0, 12), "test": slice(16, 20)}  # 12..15 are the temporal gap
PER_CLASS = {split: len(range(FRAMES)[rows]) for split, rows in SPLITS.items()}
IDENTITIES = 56  # in the paper

INFO = DatasetInfo(
    name="tacquad",
    title="TacQuad identities",
    task="ranking",
    classes=(),  # the trials on disk, in name order
    source="DIGIT",
    targets=("GelSightMini", "DuraGel"),
    budgets={"10%": 2, "20%": 4, "30%": 6},
    resize="torch-bilinear",  # the paper's appendix: torchvision, bilinear with antialiasing
    reference="Feng et al., AnyTouch: Learning Unified Static-Dynamic Representation across Sensors, ICLR 2025",
    licence="MIT (dataset card)",
    url="https://huggingface.co/datasets/xxuan01/TacQuad",
)


@dataclass(frozen=True)
class Trial:
    """One object-contact trial: its name, and for every sensor the files of its contact in time."""

    name: str
    files: dict[str, list[Path]]


def load(
    root: str | Path, limit: int | None = IDENTITIES, drop_first: int = 0, previous: int | None = None
) -> FileDataset:
    """The release in ``root`` (or ``root/tacquad``): ``contact_*.csv`` and ``data_*/<item>/<sensor>/<t>.png``.

    ``limit`` keeps that many trials in name order (None: all). ``drop_first`` leaves out the first frames of
    every contact (AnyTouch drops three; the paper does not say). ``previous`` is the distance of the earlier frame in
    recorded frames; None is the frame before in the sequence of 20.
    """
    if drop_first < 0 or (previous is not None and previous < 1) or (limit is not None and limit < 1):
        raise ValueError(
            f"drop_first={drop_first}, previous={previous}, limit={limit}: expected at least 0, 1 and 1 (or None)"
        )
    expected = "contact_indoor.csv and data_indoor/"
    home = find_home(
        root, "data_indoor", title="TacQuad", page="tacquad", expected=expected, inside=["tacquad"]
    )
    trials, problems, notes = [], [], []
    for place in PLACES:
        listed, wrong = _trials(home, place, drop_first)
        trials += listed
        problems += wrong
    whole = [trial for trial in trials if min(map(len, trial.files.values())) >= FRAMES]
    for trial in (trial for trial in trials if trial not in whole):
        counts = ", ".join(f"{sensor} {len(files)}" for sensor, files in trial.files.items())
        notes.append(f"{trial.name}: left out, fewer than {FRAMES} frames of contact ({counts})")
    whole.sort(key=lambda trial: natural(trial.name))
    notes.append(f"{len(whole)} trials with {FRAMES} frames on all sensors, {IDENTITIES} in the paper")
    shortfalls = [notes.pop()] if len(whole) < IDENTITIES else []
    kept = whole[:limit]
    if not kept:
        raise FileNotFoundError(
            f"TacQuad in {shown(home)} has no trial with {FRAMES} frames of contact on all sensors "
            f"({len(trials)} trials in the tables); see bideta help data#tacquad"
        )
    listings = {
        (sensor, split): _listing(kept, sensor, rows, previous)
        for sensor in FOLDERS
        for split, rows in SPLITS.items()
    }
    per_class = {key: PER_CLASS[key[1]] for key in listings}
    info = replace(INFO, classes=tuple(trial.name for trial in kept))
    texts = tuple(problems), tuple(shortfalls), tuple(notes)
    return FileDataset(info, home, listings, per_class, {}, *texts)


def _trials(home: Path, place: str, drop_first: int) -> tuple[list[Trial], list[str]]:
    """The trials of one table, and what does not fit between the table and the folders."""
    table, folder = home / f"contact_{place}.csv", f"data_{place}"
    if not table.is_file():
        return [], [f"contact_{place}.csv is missing"]
    trials, problems = [], []
    for line, (item, *bounds) in enumerate(_rows(table), 1):
        name, found = RENAMED.get(item, item), _folder(home / folder, item)
        files = {}
        for (sensor, part), start, end in zip(FOLDERS.items(), bounds[::2], bounds[1::2], strict=True):
            wanted = [home / folder / found / part / f"{t}.png" for t in range(int(start), int(end) + 1)]
            files[sensor] = [path for path in wanted if path.is_file()][drop_first:]
            lost = sum(not path.is_file() for path in wanted)
            if lost:
                problems.append(
                    f"{folder}/{found}/{part}: {lost} of the frames {start}–{end} are missing "
                    f"(contact_{place}.csv, line {line})"
                )
        trials.append(Trial(name if place == "indoor" else _outdoor(name, home), files))
    listed = [_folder(home / folder, str(item)) for item, *_ in _rows(table)]
    problems += misnamed(subfolders(home / folder), listed, folder)
    return trials, problems


def _rows(table: Path) -> list[tuple[str, int, int, int, int, int, int]]:
    """Item and six frame numbers of every line; captions and blank lines are left out."""
    rows = []
    with table.open(encoding="utf-8-sig", newline="") as file:
        for line, cells in enumerate(csv.reader(file), 1):
            if not any(cell.strip() for cell in cells):
                continue
            try:
                a, b, c, d, e, f = (int(cell) for cell in cells[1:7])
            except ValueError:
                raise ValueError(
                    f"{shown(table)}, line {line}: {cells[:7]}; expected an item and six frame numbers "
                    "(start and end for gelsight, digit, duragel); see bideta help data#tacquad"
                ) from None
            rows.append((cells[0].strip(), a, b, c, d, e, f))
    return rows


def _folder(home: Path, item: str) -> str:
    """The folder of an item; two have one name in the table and another on disk, and either is taken."""
    names = [item, RENAMED.get(item, item), *(old for old, new in RENAMED.items() if new == item)]
    return next((name for name in names if (home / name).is_dir()), names[1])


def _outdoor(name: str, home: Path) -> str:
    """The item's name, marked where an indoor trial has the same."""
    return (
        f"{name}@outdoor" if (home / "data_indoor" / _folder(home / "data_indoor", name)).is_dir() else name
    )


def _listing(trials: list[Trial], sensor: str, rows: slice, previous: int | None) -> Listing:
    paths, earlier, labels = [], [], []
    for label, trial in enumerate(trials):
        files = trial.files[sensor]
        sequence = np.linspace(0, len(files) - 1, FRAMES).round().astype(int)
        before = np.concatenate([sequence[:1], sequence[:-1]]) if previous is None else sequence - previous
        paths += [files[t] for t in sequence[rows]]
        earlier += [files[max(t, 0)] for t in before[rows]]
        labels += [label] * len(sequence[rows])
    numbers = np.array(labels, np.int64)
    return Listing(tuple(paths), numbers, numbers, tuple(earlier))
