"""Write a simulated twin to disk in the layout of the release it stands for, so that real loaders can read it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bideta.datasets import sitr, tacquad, tacverse
from bideta.datasets.simulated.dataset import SimulatedDataset
from bideta.images.files import new_folder
from bideta.sim import TACVERSE, render
from bideta.sim.calibration import untouched

# Frames before the contact: a different number for each sensor.
TACQUAD_LEAD = {"GelSightMini": 3, "DIGIT": 4, "DuraGel": 5}
TACQUAD_TAIL = 2  # frames after the contact
TACQUAD_INDOOR = 0.7  # of the identities; the rest is outdoor
PNG_EFFORT = 1  # 0..9; the pictures are noisy, more effort gains little
JPEG_QUALITY = 95

Progress = Callable[[str, int, int], None]  # what, images done, images in all


@dataclass(frozen=True)
class Job:
    """Pictures of one recording and the file that each goes to, relative to the release's root."""

    title: str
    paths: list[Path]
    batches: Iterable[NDArray[np.uint8]]


def write_release(dataset: SimulatedDataset, folder: Path, progress: Progress | None = None) -> int:
    """Number of images written under ``folder``, which must not exist or be empty."""
    with new_folder(folder) as unfinished:
        jobs = list(LAYOUTS[dataset.info.name](dataset))
        total, done = sum(len(job.paths) for job in jobs), 0
        for job in jobs:
            pictures = (picture for batch in job.batches for picture in batch)
            for path, picture in zip(job.paths, pictures, strict=True):
                _save(picture, unfinished / path)
                done += 1
                if progress is not None:
                    progress(job.title, done, total)
        for name, text in _tables(dataset).items():
            (unfinished / name).write_text(text)
    return done


def _sitr(dataset: SimulatedDataset) -> Iterator[Job]:
    """classification_dataset/{train_set,val_set}/sensor_NNNN/{calibration,samples/class_NNNN}/NNNN.png."""
    # The four classes outside the subset hold shapes that are not among the sixteen.
    others = replace(
        dataset,
        info=replace(dataset.info, name="simulated-sitr-dropped"),
        geometries=TACVERSE[: len(sitr.DROPPED)],
    )
    for number, sensor in enumerate(sitr.SENSORS):
        calibration = dataset.calibration(sensor)
        for split, split_folder in sitr.SPLITS.items():
            home = Path(sitr.HOME) / split_folder / sitr.sensor_folder(number)
            if calibration is not None:
                files = [home / "calibration" / f"{i:04d}.png" for i in range(len(calibration))]
                yield Job(f"{sensor} calibration", files, [calibration])
            for part, folders in ((dataset, sitr.CLASSES), (others, sitr.DROPPED)):
                pictures = part.recording(sensor, split)
                labels = pictures.contacts.object
                files = [
                    home / "samples" / folders[label] / f"{i:04d}.png"
                    for label, i in zip(labels, _count_within(labels), strict=True)
                ]
                yield Job(f"{sensor} {split}", files, pictures.stream())


def _tacverse(dataset: SimulatedDataset) -> Iterator[Job]:
    """Shape_Classification/<sensor>/<shape>/<shape>_<id>.jpg, ids in the order train, val, test."""
    for sensor in dataset.sensors:
        home = Path(tacverse.HOME) / tacverse.SENSORS[sensor][0]
        first = 1
        for split in dataset.info.splits:
            pictures = dataset.recording(sensor, split)
            labels = pictures.contacts.object
            names = [dataset.info.classes[label] for label in labels]
            numbers = _count_within(labels) + first
            files = [home / name / f"{name}_{i:04d}.jpg" for name, i in zip(names, numbers, strict=True)]
            yield Job(f"{sensor} {split}", files, pictures.stream())
            first += dataset.counts[split]


def _tacquad(dataset: SimulatedDataset) -> Iterator[Job]:
    """data_{indoor,outdoor}/<item>/{gelsight,digit,duragel}/<t>.png; frames without contact at both ends."""
    length = dataset.level.frames_per_press
    for sensor, folder in tacquad.FOLDERS.items():
        lead = TACQUAD_LEAD[sensor]
        homes = [Path(f"data_{place}") / item / folder for item, place in _tacquad_places(dataset).items()]
        around = [*range(lead), *range(lead + length, lead + length + TACQUAD_TAIL)]
        empty = render(untouched(len(around)), sensor, size=dataset.size, seed=dataset.seed)
        for home in homes:
            yield Job(f"{sensor} untouched", [home / f"{t}.png" for t in around], [empty])
        pressed = [home / f"{lead + t}.png" for home in homes for t in range(length)]
        yield Job(sensor, pressed, dataset.recording(sensor).stream())


def _tacquad_places(dataset: SimulatedDataset) -> dict[str, str]:
    """Item → indoor or outdoor."""
    items = dataset.info.classes
    indoor = round(TACQUAD_INDOOR * len(items))
    return {item: "indoor" if i < indoor else "outdoor" for i, item in enumerate(items)}


def _tables(dataset: SimulatedDataset) -> dict[str, str]:
    """File name → text of the tables that belong to the release; only TacQuad has any."""
    if dataset.info.name != "simulated-tacquad":
        return {}
    length = dataset.level.frames_per_press
    leads = [TACQUAD_LEAD[sensor] for sensor in tacquad.FOLDERS]
    bounds = [bound for lead in leads for bound in (lead, lead + length - 1)]  # inclusive
    texts = {}
    for place in tacquad.PLACES:
        items = [item for item, its_place in _tacquad_places(dataset).items() if its_place == place]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows((i, *bounds, f"a simulated {i}") for i in items)
        texts[f"contact_{place}.csv"] = text.getvalue()
    return texts


LAYOUTS = {"simulated-sitr": _sitr, "simulated-tacverse": _tacverse, "simulated-tacquad": _tacquad}


def _count_within(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, 2, … within each label, in order of appearance."""
    counts = np.empty(len(labels), np.int64)
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        counts[rows] = np.arange(len(rows))
    return counts


def _save(picture: NDArray[np.uint8], path: Path) -> None:
    """Write one picture as PNG or JPEG, by its suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.fromarray(picture)
    if path.suffix == ".jpg":
        image.save(path, quality=JPEG_QUALITY)
    else:
        image.save(path, compress_level=PNG_EFFORT)
