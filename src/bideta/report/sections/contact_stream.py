"""Contacts one at a time: accuracy over mixed, bursty and single-object streams, and against contacts seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.protocol.experiments.contact_stream import (
    BIN,
    LATE,
    OBJECTS,
    SINGLE,
    STRATEGIES,
    STREAMS,
    variant,
)
from bideta.protocol.records import Record
from bideta.report import pyplot, wording
from bideta.report.figures import BLUE, GREEN, GREY, ORANGE, SKY, WIDTH, Figure, save
from bideta.report.grids import Grid, each_budget, grids_without_development, sensor_average
from bideta.report.our_table import our_table
from bideta.report.section import Section
from bideta.report.tables import Table, mark_best

METHOD = "bideta"
VALUES = {"accuracy": "", "late": " late"}
NAMES = {
    "anchor": "memory alone (anchor)",
    "batch, paper": "paper's preset, whole stream at once",
    "online, paper": "paper's preset, one at a time",
    "batch": "robot preset, whole stream at once",
    "online": "robot preset, one at a time",
    "online, no reservoir": "robot preset, one at a time, no reservoir",
    "online, corrected": "robot preset, one at a time, wrong answers corrected",
}
TITLES = {
    "mixed": "mixed",
    "bursty": f"object by object ({OBJECTS} objects)",
    "single": f"one object (mean of {SINGLE})",
}
LINES: dict[str, dict[str, Any]] = {
    "anchor": {"color": GREY, "linestyle": ":"},
    "batch, paper": {"color": SKY, "linestyle": "--"},
    "online, paper": {"color": SKY},
    "batch": {"color": BLUE, "linestyle": "--"},
    "online": {"color": BLUE, "linewidth": 2.2},
    "online, no reservoir": {"color": ORANGE},
    "online, corrected": {"color": GREEN},
}
AT_ONCE = ("anchor", "batch, paper", "batch")  # do not depend on how many contacts came before: a level
SMOOTH = 4  # bins that a point of a long curve averages: less noise than one bin, finer than an object


def tables(records: Sequence[Record]) -> list[Table]:
    """Strategies × streams, for each encoder and budget; without the development sensor where there are others."""
    return [stream_table(*place) for place in each_budget(grids_without_development(records))]


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """Accuracy against contacts seen, a panel for each stream."""
    return [_curves(*place, folder) for place in each_budget(grids_without_development(records))]


def stream_table(grid: Grid, encoder: str, budget: str) -> Table:
    """Accuracy over the whole stream and over its end."""
    table = our_table(
        grid,
        encoder,
        "stream",
        "a stream of contacts",
        f"{wording.METRICS['accuracy']}, over the whole stream and over its last {LATE:.0%} (late)",
        {NAMES[strategy]: strategy for strategy in STRATEGIES},
        {f"{stream}{suffix}": (stream, value) for stream in STREAMS for value, suffix in VALUES.items()},
        lambda strategy, at: grid.entry(at[1], encoder, METHOD, variant(at[0], strategy), budget),
        budget=budget,
        notes=[
            f"Streams: mixed, classes in random order; bursty, {OBJECTS} objects one after the other; "
            f"single, one object only, mean of {SINGLE} such streams.",
            "Corrected: after a wrong answer the true label is learned; it takes no part in best and second.",
        ],
        stub=("Answers",),
    )
    return mark_best(table, contest=lambda row: None if row == NAMES["online, corrected"] else "all")


def _curves(grid: Grid, encoder: str, budget: str, folder: Path) -> Figure:
    figure, axes = pyplot().subplots(
        1, len(STREAMS), figsize=(WIDTH, 3.4), sharey=True, width_ratios=[2, 2, 1], layout="constrained"
    )
    for axis, stream in zip(axes, STREAMS, strict=True):
        for strategy, line in LINES.items():
            curve = _mean_curve(grid.select(encoder, METHOD, variant(stream, strategy), budget))
            if curve is None:
                continue
            if strategy in AT_ONCE:
                entry = grid.entry("accuracy", encoder, METHOD, variant(stream, strategy), budget)
                if entry.mean is not None:
                    axis.axhline(entry.mean, label=NAMES[strategy], **line)
                continue
            width = min(SMOOTH, max(1, len(curve) // 8))
            smooth = np.convolve(curve, np.ones(width) / width, "valid")
            seen = BIN * (np.arange(len(smooth)) + (width + 1) / 2)
            axis.plot(seen, 100 * smooth, label=NAMES[strategy], **line)
        axis.set_title(TITLES[stream])
        axis.set_xlabel("contacts seen")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("accuracy (%)")
    handles, words = axes[0].get_legend_handles_labels()
    figure.legend(handles, words, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    figure.suptitle(grid.heading(encoder, budget), fontsize=10)
    caption = (
        f"Accuracy against contacts seen, moving average over up to {SMOOTH * BIN} contacts, {sensor_average(grid)}, "
        f"mean over {len(grid.seeds)} seeds. Levels: what does not depend on the contacts seen so far."
    )
    return save(figure, folder / grid.file_name("stream", encoder, budget), caption)


def _mean_curve(records: Sequence[Record]) -> NDArray[np.float64] | None:
    """Mean over sensors and seeds; streams differ little in length, so a place counts those that reach it."""
    curves = [record.arrays["curve"] for record in records if record.status == "ok"]
    if not curves:
        return None
    table = np.full((len(curves), max(map(len, curves))), np.nan)
    for row, curve in zip(table, curves, strict=True):
        row[: len(curve)] = curve
    mean: NDArray[np.float64] = np.nanmean(table, axis=0)
    return mean


SECTION = Section(title="One contact at a time", tables=tables, figures=figures)
