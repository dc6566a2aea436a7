"""Files on disk against what is expected: counts, unreadable files, copied or swapped folders, channel order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.datasets.on_disk.dataset import FileDataset, count_classes
from bideta.datasets.on_disk.exchanged import Folder, Thumb, channel_order, swapped, thumbnail
from bideta.images.folders import relative
from bideta.images.reading import ImageError, read_image, shown


@dataclass(frozen=True)
class Row:
    """One sensor's split."""

    sensor: str
    split: str
    counts: NDArray[np.int64]  # images of each class
    expected: int | None  # images of a class
    unreadable: int
    sizes: tuple[str, ...]  # "224×224"
    colour: tuple[float, float, float] | None  # mean red, green, blue


@dataclass
class Report:
    """The table, what does not fit, and what is worth knowing."""

    rows: list[Row] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(
    dataset: FileDataset,
    sample: int | None = None,
    reduced: bool = False,
    step: Callable[[int, int], None] | None = None,
) -> Report:
    """Read every image (``sample``: so many of each class) and compare with the release.

    ``reduced`` accepts a smaller copy: fewer images than the release has, but the same number in every class.
    """
    report = Report(problems=list(dataset.problems), notes=list(dataset.notes))
    (report.notes if reduced else report.problems).extend(dataset.shortfalls)
    thumbs: dict[Folder, Thumb] = {}
    first_places: dict[bytes, tuple[Folder, Path]] = {}  # hash of a picture → where it was seen first
    copies: dict[tuple[Folder, Folder], list[tuple[Path, Path]]] = {}
    done, total = 0, sum(len(listing.paths) for listing in dataset.listings.values())
    for (sensor, split), listing in dataset.listings.items():
        sizes: dict[str, None] = {}
        unreadable = 0
        for label in range(len(dataset.info.classes)):
            folder = (sensor, split, label)
            rows = np.flatnonzero(listing.labels == label)
            class_thumbs: list[Thumb] = []
            for path in (listing.paths[row] for row in _spaced(rows, sample)):
                try:
                    picture = read_image(path)
                except ImageError as error:
                    report.problems.append(str(error))
                    unreadable += 1
                    continue
                sizes[f"{picture.shape[1]}×{picture.shape[0]}"] = None
                class_thumbs.append(thumbnail(picture))
                content = hashlib.blake2b(picture.tobytes(), digest_size=16).digest()
                first_folder, first_path = first_places.setdefault(content, (folder, path))
                if first_folder != folder:
                    copies.setdefault((first_folder, folder), []).append((first_path, path))
            if class_thumbs:
                thumbs[folder] = np.mean(class_thumbs, axis=0)
            done += len(rows)
            if step is not None:
                step(done, total)
        counts, expected = count_classes(dataset.info, listing), dataset.expected.get((sensor, split))
        colour = _mean_colour([thumb for key, thumb in thumbs.items() if key[:2] == (sensor, split)])
        report.rows.append(Row(sensor, split, counts, expected, unreadable, tuple(sizes), colour))
        report.problems += _misfits(dataset.info.classes, report.rows[-1], reduced)
        if len(sizes) > 1:
            report.notes.append(
                f"{sensor} {split}: pictures of {len(sizes)} sizes ({', '.join([*sizes][:4])})"
            )
    for pairs in copies.values():
        first, second = (shown(relative(path, dataset.root)) for path in pairs[0])
        report.problems.append(
            f"{len(pairs)} pictures are the same in two folders, the first: {first} and {second}"
        )
    report.problems += channel_order(thumbs, dataset.info.classes) + swapped(thumbs)
    return report


def _spaced(rows: NDArray[np.intp], sample: int | None) -> NDArray[np.intp]:
    """At most ``sample`` of the rows, evenly spaced (None: all)."""
    if sample is None or not len(rows):
        return rows
    return rows[np.unique(np.linspace(0, len(rows) - 1, sample).astype(int))]


def _misfits(classes: Sequence[str], row: Row, reduced: bool) -> list[str]:
    """A line for every class whose number of images does not fit."""
    counts, expected, place = row.counts, row.expected, f"{row.sensor} {row.split}"
    if not counts.any():
        return [f"{place}: no images at all"]
    if reduced and expected is not None:
        expected = min(expected, int(counts.max()))
    if counts.min() == counts.max():
        same = expected is None or counts[0] == expected
        return [] if same else [f"{place}: {counts[0]} images in every class, expected {expected}"]
    lines = []
    for name, count in zip(classes, counts.tolist(), strict=True):
        if not count:
            lines.append(f"{place}: {shown(name)} is missing")
        elif expected is not None and count != expected:
            lines.append(f"{place}: {shown(name)} has {count} images, expected {expected}")
    return lines


def _mean_colour(thumbs: list[Thumb]) -> tuple[float, float, float] | None:
    if not thumbs:
        return None
    red, green, blue = np.mean(thumbs, axis=(0, 1, 2)).tolist()
    return red, green, blue
