"""TacVerse's shape task: nine stamps, GelSight without markers → MagicGripper, MagicTac, TacTip, ViTac, ViTacTip."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from bideta.datasets import DatasetInfo
from bideta.datasets.on_disk.dataset import FileDataset, list_files
from bideta.datasets.on_disk.layout import find_home, misnamed
from bideta.images.folders import image_files, subfolders
from bideta.images.reading import shown

HOME = "Shape_Classification"  # folder of the task inside the release
# Sensor → how its folder may be spelled, compared without case; the first is likely what is on disk.
SENSORS: Mapping[str, tuple[str, ...]] = {
    "GelSightNoMarker": ("GelsigntNoMarker", "GelsightNoMarker"),
    "GelSightMarker": ("GelsightMarker", "GelsigntMarker"),
    **{name: (name,) for name in ("MagicGripper", "MagicTac", "TacTip", "ViTac", "ViTacTip")},
}
SHAPES = ("column", "cuboid", "dots", "edge", "hexagon", "moon", "ring", "triangles", "wave")
PER_CLASS = {"train": 300, "val": 100, "test": 100}  # GelSightMarker has 3,094 images in all
UNCOUNTED = "GelSightMarker"

INFO = DatasetInfo(
    name="tacverse",
    title="TacVerse shapes",
    task="classification",
    classes=SHAPES,
    source="GelSightNoMarker",
    targets=("MagicGripper", "MagicTac", "TacTip", "ViTac", "ViTacTip"),
    development=("GelSightMarker",),
    splits=("train", "val", "test"),
    budgets={"1%": 3, "5%": 15, "10%": 30},
    reference="Wei et al., TacVerse, 2026; revision 0bc27afe0d8f6c878b79e1eb0825255541ccaceb",
    licence="CC-BY-4.0 (dataset card); the paper is reported as CC BY-NC-ND",
    url="https://huggingface.co/datasets/Lan-2025/Tactile",
)


def load(root: str | Path, folder: str = HOME) -> FileDataset:
    """The release in ``root``: ``<root>/Shape_Classification/<sensor>/<shape>/*.jpg``, split by sample number.

    ``folder`` is the task's folder. The case of sensors and shapes does not matter; shapes may be singular or plural.
    """
    layout = f"{folder}/<sensor>/<shape>"
    home = find_home(root, folder, title="TacVerse", page="tacverse", expected=layout) / folder
    places = _match(subfolders(home), _plain, SENSORS, "sensor")
    problems = misnamed(_spelled(places, home), SENSORS, folder)
    listings = {}
    for sensor in SENSORS:
        place = places.get(sensor)
        shapes: dict[str, Path] = {}
        if place is not None:
            spellings = {shape: (shape,) for shape in SHAPES}
            shapes = _match(subfolders(place), _singular, spellings, f"shape of {place.name}")
            problems += misnamed(_spelled(shapes, place), SHAPES, f"{folder}/{place.name}")
        files: dict[str, list[tuple[int, int, Path]]] = {split: [] for split in INFO.splits}
        for label, shape in enumerate(SHAPES):
            if shape in shapes:
                for split, number, path in split_by_number(image_files(shapes[shape])):
                    files[split].append((label, number, path))
        for split, numbered in files.items():
            # A sample number belongs to one shape: the pair of them is the press.
            presses = np.array([label * 10**9 + number for label, number, _ in numbered], np.int64)
            listings[sensor, split] = list_files(((label, path) for label, _, path in numbered), presses)
    expected = {key: PER_CLASS[key[1]] for key in listings if key[0] != UNCOUNTED}
    return FileDataset(INFO, home, listings, expected, problems=tuple(problems))


def split_by_number(files: Iterable[Path]) -> list[tuple[str, int, Path]]:
    """(split, sample number, file) by the authors' rule: 60 / 20 / 20 % of the sorted numbers of one folder.

    The number is the last run of digits in the file's stem; files that share it stay together.
    """
    numbered = []
    for path in files:
        digits = re.findall(r"[0-9]+", path.stem)
        if not digits:
            raise ValueError(
                f"{shown(path)} has no sample number: expected digits in its name, as in ring_0001.jpg"
            )
        numbered.append((int(digits[-1]), path))
    numbers = sorted({number for number, _ in numbered})
    n = len(numbers)
    n_train = max(1, round(0.6 * n))
    val_end = min(n, max(n_train + 1, round(0.8 * n)))
    split = {
        number: "train" if i < n_train else "val" if i < val_end else "test"
        for i, number in enumerate(numbers)
    }
    return [(split[number], number, path) for number, path in sorted(numbered)]


def _match(
    folders: Mapping[str, Path],
    plain: Callable[[str], str],
    spellings: Mapping[str, tuple[str, ...]],
    what: str,
) -> dict[str, Path]:
    """Our name → its folder."""
    matched: dict[str, Path] = {}
    for folder, path in folders.items():
        for name, accepted in spellings.items():
            if plain(folder) in map(plain, accepted):
                if name in matched:
                    raise ValueError(
                        f"two folders for the {what} {name}: {shown(matched[name].name)} and {shown(folder)}; "
                        "keep one"
                    )
                matched[name] = path
    return matched


def _spelled(places: Mapping[str, Path], home: Path) -> list[str]:
    """Folder names as they are, except that a folder we recognised goes by our name."""
    ours = {path.name: name for name, path in places.items()}
    return [ours.get(name, name) for name in subfolders(home)]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _singular(name: str) -> str:
    return _plain(name).removesuffix("s")
