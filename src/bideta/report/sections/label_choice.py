"""Which contact to label next: learning curves of suggested and random labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bideta.protocol.experiments.label_choice import COUNTS, POOL, ROUND
from bideta.protocol.records import Record
from bideta.report import pyplot, wording
from bideta.report.figures import BLUE, GREY, ORANGE, WIDTH, Figure, save
from bideta.report.grids import Grid, each_encoder, grids_without_development, sensor_average
from bideta.report.our_table import our_table
from bideta.report.section import Section
from bideta.report.tables import Entry, Table, mark_best

METHOD = "bideta"
NAMES = {"suggested": "suggested", "random": "random", "random, balanced": "random, class by class"}
NEEDED = "labels that random choice needs for this"  # a row of factors
LINES: dict[str, dict[str, Any]] = {
    "suggested": {"color": BLUE, "linewidth": 2.2},
    "random": {"color": GREY},
    "random, balanced": {"color": ORANGE, "linestyle": "--"},
}


def tables(records: Sequence[Record]) -> list[Table]:
    """Accuracy at every number of labels; without the development sensor where there are others."""
    return [_table(*place) for place in each_encoder(grids_without_development(records))]


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """Learning curves, the mean over the sensors and one panel for each."""
    return [_curves(*place, folder) for place in each_encoder(grids_without_development(records))]


def labels_needed(accuracy: float, means: Sequence[float]) -> float | None:
    """How many random labels reach an accuracy, on the line through the measured means; None beyond the last.

    >>> labels_needed(0.5, [0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.92, 0.94, 0.95])
    24.0
    """
    best = np.maximum.accumulate(means)  # a curve that dips does not need fewer labels
    if accuracy > best[-1]:
        return None
    return float(np.interp(accuracy, best, COUNTS)) if accuracy > best[0] else float(COUNTS[0])


def _table(grid: Grid, encoder: str) -> Table:
    table = our_table(
        grid,
        encoder,
        "labels",
        "accuracy against the number of labels",
        f"{wording.METRICS['accuracy']}, after so many labels",
        {name: variant for variant, name in NAMES.items()},
        {str(count): count for count in COUNTS},
        lambda variant, count: grid.entry(f"accuracy {count}", encoder, METHOD, variant),
        notes=[
            f"Chosen from {POOL:,} unlabelled contacts, {ROUND} at a time; a seed is a draw of these contacts.",
            "Class by class is how the paper draws; it needs the labels before they are given.",
        ],
        stub=("Labels",),
    )
    rows, cells = [*table.rows, NEEDED], {**mark_best(table).cells, **_needed(table)}
    return replace(table, rows=rows, extra=rows, cells=cells)


def _needed(table: Table) -> dict[tuple[str, str], Entry]:
    """For the suggested labels of each column, how many random ones are as good."""
    known = [table.entry(NAMES["random"], column).mean for column in table.columns]
    means = [mean for mean in known if mean is not None]
    if len(means) < len(known):
        return {}  # a run that is still going, or a pool too small for the largest counts
    entries = {}
    for column in table.columns:
        suggested = table.entry(NAMES["suggested"], column).mean
        if suggested is None:
            continue
        needed = labels_needed(suggested, means)
        words = f"> {COUNTS[-1]}" if needed is None else f"{needed:.0f}"
        entries[NEEDED, column] = Entry(mean=needed or COUNTS[-1], words=words)
    return entries


def _curves(grid: Grid, encoder: str, folder: Path) -> Figure:
    sensors = list(grid.sensors)
    panels = [(wording.sensor_label(sensor), [sensor]) for sensor in sensors]
    if len(sensors) > 1:
        panels.insert(0, ("mean of the sensors", sensors))
    rows = -(-len(panels) // 3)
    figure, axes = pyplot().subplots(
        rows,
        min(3, len(panels)),
        figsize=(WIDTH, 2.9 * rows + 0.4),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for axis, (title, shown) in zip(axes.flat, panels, strict=False):
        for variant, line in LINES.items():
            entries = [
                grid.entry(f"accuracy {count}", encoder, METHOD, variant, sensors=shown) for count in COUNTS
            ]
            counts = [count for count, entry in zip(COUNTS, entries, strict=True) if entry.mean is not None]
            means = np.array([entry.mean for entry in entries if entry.mean is not None])
            spread = np.array([entry.std or 0.0 for entry in entries if entry.mean is not None])
            axis.plot(counts, means, label=NAMES[variant], marker=".", **line)
            axis.fill_between(
                counts, means - spread, means + spread, color=line["color"], alpha=0.15, linewidth=0
            )
        axis.set_title(title)
        axis.grid(alpha=0.3)
    for axis in list(axes.flat)[len(panels) :]:
        axis.set_visible(False)
    for axis in axes[-1]:
        axis.set_xlabel("labels")
    for axis in axes[:, 0]:
        axis.set_ylabel("accuracy (%)")
    axes.flat[0].legend(loc="lower right", frameon=False)
    figure.suptitle(grid.heading(encoder), fontsize=10)
    caption = (
        f"Accuracy against labels, {sensor_average(grid)}, mean over {len(grid.seeds)} draws; "
        "the band is one standard deviation over the draws."
    )
    return save(figure, folder / grid.file_name("labels", encoder), caption)


SECTION = Section(title="Which contact to label next", tables=tables, figures=figures)
