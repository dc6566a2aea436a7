"""SITR's classification set: 16 household objects on seven sensors, DIGIT → four GelSight Minis, Hex and Wedge.

The release numbers its sensors and does not say which is which beyond 0000; ``sensors`` is that map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bideta.datasets import DatasetInfo
from bideta.datasets.on_disk.dataset import FileDataset, Listing, list_files
from bideta.datasets.on_disk.layout import find_home, misnamed
from bideta.images.folders import image_files, subfolders

HOME = "classification_dataset"  # folder of the set inside the release
SPLITS = {"train": "train_set", "test": "val_set"}  # split → folder; likely, not certain
# Label → class folder; certain.
CLASSES = tuple(f"class_{i:04d}" for i in (0, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18))
DROPPED = tuple(f"class_{i:04d}" for i in (1, 6, 12, 19))  # in the release, outside the 16-class subset
# Name of the sensor in sensor_0000, sensor_0001, … Seven is certain. It is likely that 0000 is Mini_1, that 0001–0003
# are Wedge, Hex and DIGIT, and that 0004–0006 are the other Minis. The order within the last two is a guess until
# somebody looks at the backgrounds (bideta data check).
SENSORS = ("Mini_1", "Wedge", "Hex", "DIGIT", "Mini_2", "Mini_3", "Mini_4")
CALIBRATION = 19  # 0000 background, 0001–0009 ball, 0010–0018 cube corner
PER_CLASS = {"train": 800, "test": 200}

INFO = DatasetInfo(
    name="sitr",
    title="SITR classification",
    task="classification",
    classes=CLASSES,  # the release does not name its objects
    source="DIGIT",
    targets=("Mini_1", "Mini_2", "Mini_3", "Mini_4", "Hex", "Wedge"),
    development=("Mini_3",),
    budgets={"1%": 8, "5%": 40, "10%": 80},
    reference="Gupta et al., Sensor-Invariant Tactile Representation, ICLR 2025",
    licence="MIT (dataset card)",
    url="https://huggingface.co/datasets/hgupt3/sitr_dataset",
)


def load(
    root: str | Path,
    sensors: Sequence[str] | str | None = None,
    train: str = SPLITS["train"],
    test: str = SPLITS["test"],
) -> FileDataset:
    """The release in ``root`` (or ``root/classification_dataset``).

    ``sensors`` names sensor_0000 … sensor_0006 in that order (a list, or one text with commas); without it the likely
    order is taken, and everything that is made of it says that it was assumed. ``train`` and ``test`` are the two
    split folders, whose names are likely but not certain.
    """
    names = _sensor_names(SENSORS if sensors is None else sensors)
    info = INFO if sensors is not None else replace(INFO, assumed=assumption(names))
    home = find_home(root, f"{train}/{sensor_folder(0)}", title="SITR", page="sitr", inside=[HOME])
    numbered = {sensor_folder(number): name for number, name in enumerate(names)}
    listings: dict[tuple[str, str], Listing] = {}
    backgrounds: dict[str, tuple[Path, ...]] = {}
    problems: list[str] = []
    for split, folder in (("train", train), ("test", test)):
        problems += misnamed(subfolders(home / folder), numbered, folder)
        for number, sensor in numbered.items():
            place = home / folder / number
            listings[sensor, split] = _samples(place / "samples")
            calibration = image_files(place / "calibration")
            if place.is_dir():
                known = (*CLASSES, *DROPPED)
                problems += misnamed(subfolders(place / "samples"), known, f"{folder}/{number}/samples")
                if len(calibration) != CALIBRATION:
                    problems.append(
                        f"{folder}/{number}/calibration: {len(calibration)} images, expected {CALIBRATION}"
                    )
            if len(calibration) == CALIBRATION:
                backgrounds.setdefault(sensor, tuple(calibration))
    expected = {(sensor, split): PER_CLASS[split] for sensor, split in listings}
    return FileDataset(info, home, listings, expected, backgrounds, tuple(problems))


def sensor_folder(number: int) -> str:
    """Name of a sensor's folder."""
    return f"sensor_{number:04d}"


def assumption(names: Sequence[str]) -> str:
    """What must be said while nobody has looked at the backgrounds."""
    numbered = ", ".join(f"{number:04d} = {name}" for number, name in enumerate(names))
    return (
        f"SITR does not say which number is which sensor; assumed is {numbered}. Numbers per sensor mean nothing until "
        "this is settled: look at the backgrounds (bideta data check sitr DIR --picture FILE.png), then set sensors."
    )


def _samples(folder: Path) -> Listing:
    names = enumerate(INFO.classes)
    return list_files((label, path) for label, name in names for path in image_files(folder / name))


def _sensor_names(sensors: Sequence[str] | str) -> list[str]:
    names = [name.strip() for name in sensors.split(",")] if isinstance(sensors, str) else list(sensors)
    if sorted(names) != sorted(SENSORS):
        raise ValueError(
            f"sensors is {names}, expected each of {', '.join(SENSORS)} once, in the order sensor_0000 … sensor_0006"
        )
    return names
