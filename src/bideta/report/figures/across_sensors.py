"""The same object as each sensor sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import Dataset
from bideta.datasets.simulated.dataset import SimulatedDataset
from bideta.report import pyplot, wording
from bideta.report.figures import WIDTH, Figure, save
from bideta.report.grids import Grid
from bideta.report.run_data import RunData
from bideta.sim import render

OBJECTS = 6
SIZE = 64  # px of a rendered picture
FRAME = 10  # of a simulated press of 20: pressed deepest


def draw(grid: Grid, data: RunData, folder: Path) -> Figure:
    """Rows are sensors, columns objects; on simulated data every column is one and the same contact."""
    dataset = data.dataset(grid.dataset)
    classes = np.linspace(0, len(dataset.info.classes) - 1, OBJECTS).round().astype(int).tolist()
    shown = {sensor: _pictures(dataset, sensor, classes) for sensor in grid.sensors}
    height = 0.98 * len(shown) + 0.3
    figure, axes = pyplot().subplots(len(shown), OBJECTS, figsize=(0.7 * WIDTH, height), squeeze=False)
    figure.subplots_adjust(
        left=0.2, right=0.995, top=1 - 0.25 / height, bottom=0.01, wspace=0.06, hspace=0.06
    )
    for row, (sensor, images) in zip(axes, shown.items(), strict=True):
        for ax, image in zip(row, images, strict=True):
            ax.imshow(image, aspect="auto")
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_visible(False)
        source = "\n(source)" if sensor == dataset.info.source else ""
        row[0].set_ylabel(f"{wording.sensor_label(sensor)}{source}", rotation=0, ha="right", va="center")
    for ax, label in zip(axes[0], classes, strict=True):
        ax.set_title(dataset.info.classes[label].replace("_", " "), fontsize=8)
    path = folder / f"contacts-{grid.role}.jpg"
    same = "the same contact" if isinstance(dataset, SimulatedDataset) else "the same object"
    caption = f"{grid.title}: {same} in every column, one sensor a row."
    return save(figure, path, caption)


def _pictures(dataset: Dataset, sensor: str, classes: list[int]) -> list[NDArray[np.uint8]]:
    if isinstance(dataset, SimulatedDataset):
        contacts = dataset.contacts(dataset.info.source, dataset.info.splits[-1])
        firsts = [np.flatnonzero(contacts.object == label) for label in classes]
        rows = np.array([rows[min(FRAME, len(rows) - 1)] for rows in firsts])
        return list(render(contacts[rows], sensor, size=SIZE, seed=0))
    frames = dataset.frames(sensor, dataset.info.splits[-1])
    chosen = [_middle(np.flatnonzero(frames.labels == label)) for label in classes]
    return [_small(np.asarray(frames.images[row : row + 1])[0]) for row in chosen]


def _middle(rows: NDArray[np.intp]) -> int:
    if not len(rows):
        raise ValueError("a class has no test frames; bideta data check names what is missing")
    return int(rows[len(rows) // 2])


def _small(image: Any) -> NDArray[np.uint8]:
    """Every n-th pixel: a thumbnail needs no more."""
    step = max(1, min(image.shape[:2]) // (2 * SIZE))
    small: NDArray[np.uint8] = image[::step, ::step]
    return small
