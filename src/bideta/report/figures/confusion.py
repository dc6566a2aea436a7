"""Confusion matrices of SimpleShot and BIDETA on TacVerse at the largest budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.protocol.records import Record
from bideta.report import pyplot, wording
from bideta.report.figures import WIDTH, Figure, save
from bideta.report.grids import Grid, grids

PAIR = ("simpleshot", "bideta")
SHOWN = 0.03  # smaller shares are not written into their cell


def draw(records: Sequence[Record], folder: Path) -> list[Figure]:
    """One row of matrices per encoder; nothing where TacVerse or one of the two methods was not run."""
    for grid in grids(records):
        if grid.role != "tacverse" or not grid.budgets:
            continue
        counts = {
            (encoder, method): total(grid, encoder, method) for encoder in grid.encoders for method in PAIR
        }
        complete = [e for e in grid.encoders if all(counts[e, method] is not None for method in PAIR)]
        if complete:
            return [_matrices(grid, complete, counts, folder / "confusion.png")]
    return []


def total(grid: Grid, encoder: str, method: str) -> NDArray[np.int64] | None:
    """Counts over all sensors and seeds at the largest budget; None where nothing was recorded."""
    matrices = [
        np.array(record.arrays["confusion"], np.int64)
        for record in grid.select(encoder, method, "", grid.budgets[-1])
        if record.status == "ok" and "confusion" in record.arrays
    ]
    return np.sum(matrices, axis=0) if matrices else None


def _matrices(grid: Grid, encoders: Sequence[str], counts: dict[tuple[str, str], Any], path: Path) -> Figure:
    C = len(counts[encoders[0], PAIR[0]])
    names = classes(grid.dataset, C)
    figure, axes = pyplot().subplots(
        len(encoders),
        2,
        figsize=(WIDTH, 4.0 * len(encoders)),
        layout="constrained",
        squeeze=False,
        sharex=True,
        sharey=True,
    )
    for row, encoder in zip(axes, encoders, strict=True):
        for ax, method in zip(row, PAIR, strict=True):
            matrix = counts[encoder, method]
            share = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
            image = ax.imshow(share, vmin=0, vmax=1, cmap="cividis")
            for (i, j), value in np.ndenumerate(share):
                if value >= SHOWN:
                    ax.text(
                        j, i, f"{100 * value:.0f}", ha="center", va="center", fontsize=7,
                        color="black" if value > 0.55 else "white",
                    )  # fmt: skip
            right = np.trace(matrix) / max(matrix.sum(), 1)
            title = wording.method_title(method)
            ax.set_title(f"{title}, {grid.encoders[encoder]}: {right:.1%} of {matrix.sum():,}", fontsize=9)
            ax.set_xticks(range(C), names, rotation=45, ha="right")
            ax.set_yticks(range(C), names)
        row[0].set_ylabel("true class")
    for ax in axes[-1]:
        ax.set_xlabel("predicted class")
    figure.colorbar(image, ax=axes, shrink=0.5, label="share of the true class")
    sensors, seeds = len(grid.sensors), wording.listed(grid.seeds)
    caption = (
        f"{grid.title} with {grid.budgets[-1]} labelled contacts: row-normalised confusion of "
        f"SimpleShot and BIDETA on the same queries, summed over {sensors} sensors and the seeds {seeds}; percent."
    )
    return save(figure, path, caption, gradients=True)


def classes(dataset: str, C: int) -> list[str]:
    """Class names of the dataset, or numbers where they are not known here."""
    info = wording.dataset_info(dataset)
    names = [] if info is None else list(info.classes)
    return names if len(names) == C else [str(i) for i in range(C)]
