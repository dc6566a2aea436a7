"""Your own images: ``<class>/*``, ``<sensor>/<class>/*``, a CSV manifest, or any other input that a reader takes."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import DatasetInfo
from bideta.datasets.on_disk.dataset import FileDataset, list_files
from bideta.datasets.on_disk.recorded import RecordedDataset, as_dataset
from bideta.images import background
from bideta.images.folders import (
    check_folder,
    image_files,
    image_tree,
    is_press,
    natural,
    not_read,
    subfolders,
)
from bideta.images.lazy import ImageFiles
from bideta.images.reading import shown
from bideta.readers import FOLDER, format_of, open_contacts
from bideta.spelling import counted

ONLY = "sensor"  # name of the sensor where the folder holds just one
ALL = "all"  # name of the split where nothing was split
ORDER = {"train": 0, "test": 2}  # any other split comes in between

INFO = DatasetInfo(
    name="folder",
    title="Your own images",
    task="classification",
    classes=(),  # the class folders, in natural order
    source="",
    targets=(),
    splits=(ALL,),
    reference="bideta help own-sensor",
)


class Item(NamedTuple):
    """One image and where it belongs."""

    sensor: str
    split: str
    label: str
    path: Path


def load(
    root: str | Path,
    manifest: str | Path | None = None,
    source: str = "",
    test: float = 0.0,
    presses: bool | None = None,
    format: str = "",
    **reading: Any,
) -> FileDataset | RecordedDataset:
    """The images below ``root``, or those that ``manifest`` (a CSV file, paths relative to it) lists.

    ``root`` may also be a video, a bag, arrays or any other input of ``bideta.readers``; ``format`` names the reader
    where its content does not say it, and ``reading`` are the reader's settings.

    ``source`` names the source sensor, all others are targets. Folders have no splits: ``test`` is the fraction of
    every class, last in name order, that becomes the split ``test`` (0: one split called ``all``). With ``presses`` the
    folder is ``<class>/<press>/*`` of one sensor, an image in the class folder itself is a press of its own, and
    ``test`` is a fraction of the presses. None: if folders in class folders are called "press 1", "press 2", …
    """
    root = Path(root)
    reader = FOLDER if manifest is not None else format_of(root, format)
    if reader != FOLDER:
        if test:
            raise ValueError(
                f"test is {test}: splits of other inputs than folders come from the input itself"
            )
        return as_dataset(open_contacts(root, reader, **reading), root, INFO, source, ONLY)
    if reading:
        raise ValueError(f"a folder of images has no setting {', '.join(reading)}")
    if not 0 <= test < 1:
        raise ValueError(f"test is {test}; expected a fraction of at least 0 and below 1")
    if presses is None:
        presses = manifest is None and named_presses(root)
    if presses and manifest is not None:
        raise ValueError("presses goes with a folder <class>/<press>/*, not with a manifest")
    walk = _walk_presses if presses else _walk
    items = _manifest(Path(manifest)) if manifest is not None else walk(root)
    if test:
        items = _split(items, test, root if presses else None)
    classes = tuple(sorted({item.label for item in items}, key=natural))
    sensors = tuple(sorted({item.sensor for item in items}, key=natural))
    # Support is drawn from the first split, queries are the last.
    splits = tuple(sorted(dict.fromkeys(item.split for item in items), key=lambda name: ORDER.get(name, 1)))
    if source and source not in sensors:
        raise ValueError(f"unknown source sensor {source!r} in {shown(root)}. Known: {', '.join(sensors)}")
    info = replace(
        INFO, classes=classes, source=source, targets=tuple(s for s in sensors if s != source), splits=splits
    )
    position = {name: i for i, name in enumerate(classes)}
    items.sort(key=lambda item: position[item.label])  # stable: files keep their order
    listings = {}
    for key in ((sensor, split) for sensor in sensors for split in splits):
        files = [(position[item.label], item.path) for item in items if (item.sensor, item.split) == key]
        listings[key] = list_files(files, _presses([path for _, path in files], root) if presses else None)
    return FileDataset(info, root, listings)


class LabelledImages(NamedTuple):
    """Pictures of one sensor and what is known about them; row i of each is the same picture."""

    images: ImageFiles  # read when they are indexed or encoded
    labels: NDArray[np.str_]
    presses: NDArray[np.int64]


def load_folder(path: str | Path, *, presses: bool | None = None) -> LabelledImages:
    """Images, labels and presses of ``<class>/*`` or ``<class>/<press>/*``: what ``encode`` and ``fit`` take.

    ``presses`` as in ``load``. A folder of several sensors is refused; ``load_dataset("folder", root=…)`` reads it.

    Args:
        path: the folder.
        presses: whether the folders inside a class are presses; None: found out.

    Returns:
        ``(images, labels, presses)``: pictures that are read when they are asked for, (n,) names, (n,) numbers.
    """
    dataset = load(path, presses=presses)
    if dataset.sensors != (ONLY,):
        raise ValueError(
            f"{shown(path)} holds sensor folders ({', '.join(map(shown, dataset.sensors))}); name one of them, or read "
            "all with load_dataset('folder', root=…). Classes with a folder for each press: presses=True"
        )
    frames = dataset.frames(ONLY, ALL)
    return LabelledImages(frames.images, np.array(dataset.info.classes)[frames.labels], frames.presses)


def _walk(root: Path) -> list[Item]:
    """Items of a folder of class folders, or of a folder of sensor folders."""
    check_folder(root, "one folder per class, see bideta help own-sensor#folders", deep=2)
    inside = class_folders(root)
    classes = [name for name, path in inside.items() if image_files(path)]
    sensors = [
        name for name, path in inside.items() if any(image_files(p) for p in class_folders(path).values())
    ]
    if classes and sensors:
        raise ValueError(
            f"{shown(root)} mixes class folders ({shown(classes[0])}) and sensor folders ({shown(sensors[0])}); "
            "expected <class>/* or <sensor>/<class>/*, or folders called press 1, press 2, … inside class folders, "
            "see bideta help own-sensor#folders"
        )
    if not classes and not sensors:
        deep = image_tree(root)
        where = f" (the images lie deeper: {shown(deep[0])})" if deep else ""
        where = " (the images lie in the folder itself)" if image_files(root) else where
        raise ValueError(
            f"{shown(root)} has no folder with images{where}; expected one folder per class, "
            f"see bideta help own-sensor#folders{f'; {not_read(root)}' if not_read(root) else ''}"
        )
    homes = {name: inside[name] for name in sensors} if sensors else {ONLY: root}
    return [
        Item(sensor, ALL, label, path)
        for sensor, home in homes.items()
        for label, folder in class_folders(home).items()
        for path in image_files(folder)
    ]


def class_folders(root: Path) -> dict[str, Path]:
    """Name → path of the folders inside that can be classes: a folder of untouched pictures is none."""
    return {name: path for name, path in subfolders(root).items() if name != background.FOLDER}


def _walk_presses(root: Path) -> list[Item]:
    """Items of a folder of class folders with a folder for each press inside."""
    check_folder(root, "one folder per class, see bideta help own-sensor#folders", deep=2)
    homes = class_folders(root).items()
    items = [Item(ONLY, ALL, label, path) for label, home in homes for path in image_tree(home)]
    expected = "expected <class>/<press>/*, see bideta help own-sensor#folders"
    if not items:
        raise ValueError(f"{shown(root)} has no images in folders of presses; {expected}")
    deep = [item.path for item in items if len(item.path.relative_to(root).parts) > 3]
    if deep:
        raise ValueError(f"{shown(deep[0])} lies deeper than a press; {expected}")
    return items


def named_presses(root: Path) -> bool:
    """Whether the class folders hold folders called "press 1", "press 2", … and no others with images."""
    inner = [path for home in class_folders(root).values() for path in subfolders(home).values()]
    return all(is_press(path.name) for path in inner if image_files(path)) and any(map(image_files, inner))


def _presses(paths: Sequence[Path], root: Path) -> NDArray[np.int64]:
    """Press of each file, numbered as they come."""
    number: dict[Path, int] = {}
    return np.array([number.setdefault(_press(path, root), len(number)) for path in paths], np.int64)


def _press(path: Path, root: Path) -> Path:
    """What makes a press: the file's folder, or the file itself if it lies in its class folder."""
    return path if path.parent.parent == root else path.parent


def overlooked(root: Path, presses: bool = False, table: Path | None = None) -> list[str]:
    """One line for each thing that is not learnt from: a folder without images (often a copy that failed), images that
    lie in no class folder, and files that are neither images nor the ``table`` of quantities."""
    images = image_tree if presses else image_files
    empty = [path for path in class_folders(root).values() if not images(path)]
    lines = [f"{shown(path)} holds no images; it is not a class" for path in empty]
    loose = image_files(root)
    if loose:
        first = f"{shown(loose[0])}{', …' if len(loose) > 1 else ''}"
        lines.append(f"{counted(len(loose), 'image')} in no class folder left out ({first})")
    others = not_read(root, table)
    return [*lines, others] if others else lines


def _manifest(table: Path) -> list[Item]:
    """Items of a CSV with a header; ``sensor`` and ``split`` may be left out."""
    if not table.is_file():
        raise FileNotFoundError(
            f"no manifest {shown(table)}: expected a CSV file with columns path,label,sensor,split"
        )
    items = []
    with table.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        columns = [name.strip() for name in reader.fieldnames or []]
        if not {"path", "label"} <= set(columns):
            raise ValueError(
                f"{shown(table)} has columns {', '.join(columns) or 'none'}; expected path,label[,sensor][,split]"
            )
        reader.fieldnames = columns
        for row in reader:
            path, label = (row["path"] or "").strip(), (row["label"] or "").strip()
            if not path or not label:
                raise ValueError(
                    f"{shown(table)}, line {reader.line_num}: path {path!r} and label {label!r}; both are needed"
                )
            sensor, split = (row.get("sensor") or "").strip(), (row.get("split") or "").strip()
            items.append(Item(sensor or ONLY, split or ALL, label, table.parent / path))
    if not items:
        raise ValueError(f"{shown(table)} lists no images")
    return items


def _split(items: Iterable[Item], test: float, root: Path | None) -> list[Item]:
    """The same items in two splits: ``test`` gets that fraction of every sensor and class, ``train`` the rest.

    ``test`` gets the last ones. Where ``root`` is given, it holds folders of presses, and no press is cut in two.
    """
    classes: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        if item.split != ALL:
            raise ValueError(
                f"test is {test}, but the manifest has its own splits ({item.split!r}); leave one of them out"
            )
        classes.setdefault((item.sensor, item.label), []).append(item)
    out = []
    for (sensor, label), members in classes.items():
        units = [item.path if root is None else _press(item.path, root) for item in members]
        distinct = list(dict.fromkeys(units))
        n_test = round(test * len(distinct))
        if not 0 < n_test < len(distinct):
            what = "images" if root is None else "presses"
            raise ValueError(
                f"{sensor}/{label} has {len(distinct)} {what}: {test:.0%} of them leaves one of the splits empty"
            )
        train = set(distinct[:-n_test])
        for unit, item in zip(units, members, strict=True):
            out.append(item._replace(split="train" if unit in train else "test"))
    return out
