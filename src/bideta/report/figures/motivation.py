"""Accuracy of the source head on every sensor, beside what BIDETA reaches there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bideta.report import wording
from bideta.report.figures import BLUE, GREY, VERMILION, Figure, accuracy_panels, save
from bideta.report.grids import Grid, each_encoder

NAME = "motivation.png"
BAR = 0.38  # of the distance between sensors


def draw(of_heads: Sequence[Grid], scores: Sequence[Grid], folder: Path) -> list[Figure]:
    """One panel per dataset and encoder; ``scores`` are the records of the budgets."""
    panels = each_encoder(of_heads)
    if not panels:
        return []
    figure, axes = accuracy_panels(len(panels), 2.7, layout="constrained", sharey=True)
    budgets = set()
    for ax, (grid, encoder) in zip(axes, panels, strict=True):
        score = next((other for other in scores if other.dataset == grid.dataset), None)
        budget = score.budgets[-1] if score is not None and score.budgets else ""
        x = np.arange(len(grid.sensors))
        before = [_mean(grid, "frozen", encoder, "0%", sensor) for sensor in grid.sensors]
        after = [
            np.nan if score is None else _mean(score, "bideta", encoder, budget, sensor)
            for sensor in grid.sensors
        ]
        known = np.isfinite(after)
        shift = np.where(known, BAR / 2, 0.0)
        ax.bar(x - shift, before, BAR, color=GREY)
        ax.bar(x[known] + BAR / 2, np.array(after)[known], BAR, color=VERMILION)
        for place, value in (*zip(x - shift, before, strict=True), *zip(x + BAR / 2, after, strict=True)):
            if np.isfinite(value):
                ax.text(place, value + 1, f"{value:.0f}", ha="center", fontsize=7)
        if known.any():
            budgets.add(budget)
        info = wording.dataset_info(grid.dataset)
        if info is not None:
            ax.axhline(100 / len(info.classes), color=BLUE, linestyle="--", linewidth=1)
        source = None if info is None else info.source
        names = [
            wording.sensor_label(sensor) + ("\n(source)" if sensor == source else "")
            for sensor in grid.sensors
        ]
        longest = max(len(line) for name in names for line in name.split("\n"))
        ax.set_xticks(x, names, fontsize=7.5, rotation=15 if longest > 12 else 0)
        ax.set(ylim=(0, 105))
        ax.set_title(f"{grid.title}, {grid.encoders[encoder]}", fontsize=10)
    figure.legend(handles=_legend(bool(budgets)), loc="outside upper center", ncols=3, frameon=False)
    reached = f", and BIDETA with {wording.listed(sorted(budgets))} labelled contacts" if budgets else ""
    caption = f"A linear head learned on the source sensor's frozen readouts, on every sensor{reached}."
    return [save(figure, folder / NAME, f"{caption} The dashed line is chance.")]


def _legend(adapted: bool) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(color=GREY, label="source head, unchanged")]
    handles += [Patch(color=VERMILION, label="BIDETA")] if adapted else []
    return [*handles, Line2D([], [], color=BLUE, linestyle="--", label="chance")]


def _mean(grid: Grid, method: str, encoder: str, budget: str, sensor: str) -> float:
    mean = grid.entry("accuracy", encoder, method, "", budget, sensors=[sensor]).mean
    return np.nan if mean is None else mean
