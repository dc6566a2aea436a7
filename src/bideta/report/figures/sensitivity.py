"""One curve per parameter: how much the answer depends on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bideta.protocol.records import Record
from bideta.protocol.sweep import Sweep
from bideta.report import pyplot, wording
from bideta.report.figures import CYCLE, ENCODERS, GREY, WIDTH, Figure, save
from bideta.report.grids import Grid, grids
from bideta.report.sweeps import default_label, measured, title

STYLES = (("-", "o"), ("--", "s"), (":", "^"))  # of the budgets


def draw(
    records: Sequence[Record],
    folder: Path,
    sweeps: Sequence[Sweep],
    value: str,
    preset: Mapping[str, Any],
    name: str,
) -> list[Figure]:
    """All curves of each dataset in one picture."""
    made: list[Figure] = []
    for grid in grids(records):
        curves = measured(sweeps, grid)
        if curves:
            path = folder / f"{name}.png" if not made else folder / f"{name}-{len(made)}.png"
            made.append(_curves(grid, curves, value, preset, path))
    return made


def _curves(
    grid: Grid,
    curves: Sequence[tuple[Sweep, dict[str, str]]],
    value: str,
    preset: Mapping[str, Any],
    path: Path,
) -> Figure:
    columns = 4 if len(curves) > 5 else 3
    rows = -(-(len(curves) + 1) // columns)  # one place for the legend
    figure, axes = pyplot().subplots(
        rows, columns, figsize=(WIDTH, 2.3 * rows), layout="constrained", sharey=True, squeeze=False
    )
    flat = axes.ravel()
    for ax, (sweep, variants) in zip(flat, curves, strict=False):
        _panel(ax, grid, sweep, variants, value, preset)
    for ax in axes[:, 0]:
        ax.set_ylabel("MRR (%)" if value == "mrr" else "accuracy (%)")
    handles, words = flat[0].get_legend_handles_labels()
    for ax in flat[len(curves) :]:
        ax.axis("off")
    flat[len(curves)].legend(handles, words, loc="center", frameon=False)
    where = wording.sensor_list(grid.sensors)
    caption = (
        f"{grid.title}: sensitivity on {where}; mean and, shaded, one standard deviation over "
        f"the seeds {wording.listed(grid.seeds)}. The dotted line is the paper's setting."
    )
    return save(figure, path, caption)


def _panel(
    ax: Any, grid: Grid, sweep: Sweep, variants: dict[str, str], value: str, preset: Mapping[str, Any]
) -> None:
    rows = list(variants)
    places = np.arange(len(rows))  # evenly spaced: the paper's grids are neither linear nor logarithmic
    for number, (encoder, word) in enumerate(grid.encoders.items()):
        colour = ENCODERS.get(word, CYCLE[(number + 2) % len(CYCLE)])
        for (line, marker), budget in zip(STYLES, grid.budgets, strict=False):
            entries = [grid.entry(value, encoder, "bideta", variants[row], budget) for row in rows]
            mean = np.array([np.nan if e.mean is None else e.mean for e in entries])
            std = np.array([e.std or 0.0 for e in entries])
            several = len(grid.budgets) > 1
            ax.plot(
                places, mean, line, marker=marker, markersize=3.5, color=colour, linewidth=1.4,
                label=f"{word} {budget}" if several else word,
            )  # fmt: skip
            ax.fill_between(
                places, mean - std, mean + std, color=colour, alpha=0.08 if several else 0.15, linewidth=0
            )
    default = default_label(sweep, preset)
    if default in rows:
        ax.axvline(rows.index(default), color=GREY, linestyle=":", linewidth=1.2, label="paper's setting")
    ax.set_xticks(places, rows, rotation=45 if ":" in rows[0] else 0, fontsize=7.5)
    ax.set_title(title(sweep), fontsize=9)
