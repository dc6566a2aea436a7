"""Adaptation time against accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bideta.protocol.records import Record
from bideta.report import pyplot, wording
from bideta.report.figures import WIDTH, Figure, method_colour, save
from bideta.report.figures.annotate import label_right
from bideta.report.grids import Grid, grids

NAME = "cost.png"
FLOOR = 1e-4  # seconds: what takes less, or nothing at all, is drawn here


def draw(records: Sequence[Record], folder: Path) -> list[Figure]:
    """One panel per dataset and encoder; a method needs both a time and an accuracy."""
    timed = {grid.dataset: grid for grid in grids([r for r in records if r.cell.experiment == "cost"])}
    scored = {grid.dataset: grid for grid in grids([r for r in records if r.cell.experiment != "cost"])}
    panels = [
        (timed[name], scored[name], encoder)
        for name in timed
        if name in scored
        for encoder in timed[name].encoders
        if points(timed[name], scored[name], encoder)
    ]
    if not panels:
        return []
    words = list(dict.fromkeys(time.encoders[encoder] for time, _, encoder in panels))
    datasets = list(dict.fromkeys(time.dataset for time, _, _ in panels))
    figure, axes = pyplot().subplots(
        len(datasets), len(words), figsize=(WIDTH, 3.2 * len(datasets)), squeeze=False, sharex=True
    )
    figure.subplots_adjust(left=0.07, right=0.86, wspace=0.62, hspace=0.38, top=0.95, bottom=0.06)
    for ax in axes.ravel():
        ax.set_visible(False)
    for time, score, encoder in panels:
        ax = axes[datasets.index(time.dataset), words.index(time.encoders[encoder])]
        ax.set_visible(True)
        _panel(ax, time, score, encoder)
    caption = (
        "Seconds to adapt to a sensor against accuracy (MRR on TacQuad) at the largest label budget, averaged over "
        "sensors and seeds; top left is best. Red: BIDETA; blue: the paper's comparisons; green: ours."
    )
    return [save(figure, folder / NAME, caption)]


def points(time: Grid, score: Grid, encoder: str) -> dict[tuple[str, str], tuple[float, float]]:
    """(method, variant) → seconds, score in percent."""
    value = "mrr" if time.role == "tacquad" else "accuracy"
    places = {}
    for pair in time.methods:
        seconds = time.entry("adapt_seconds", encoder, *pair, (time.budgets or [""])[-1], scale=1.0).mean
        reached = score.entry(value, encoder, *pair, (score.budgets or [""])[-1]).mean
        if seconds is not None and reached is not None:
            places[pair] = max(seconds, FLOOR), reached
    return places


def _panel(ax: Any, time: Grid, score: Grid, encoder: str) -> None:
    from matplotlib.ticker import NullFormatter

    colours, named = {}, {}
    for (method, variant), place in points(time, score, encoder).items():
        name = wording.method_title(method, variant)
        named[name], colours[name] = place, method_colour(method, variant)
        ours = (method, variant) == ("bideta", "")
        marker = "*" if ours else "o" if wording.method_mode(method) == "T" else "s"
        ax.plot(*place, marker, color=colours[name], markersize=12 if ours else 6)
    ax.set_xscale("log")
    ax.set_ylim(0, 104)
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.margins(x=0.1)
    ax.grid(color="0.92")
    ax.set_axisbelow(True)
    ax.set_xlabel("seconds to adapt")
    ax.tick_params(labelbottom=True)
    ax.set_ylabel("MRR (%)" if time.role == "tacquad" else "accuracy (%)")
    budget = (score.budgets or [""])[-1]
    ax.set_title(f"{time.title} {budget}, {time.encoders[encoder]}", fontsize=10)
    label_right(ax, named, colours, bold="BIDETA")
