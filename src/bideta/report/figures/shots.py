"""Accuracy against the number of labelled contacts per class."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import Figure, accuracy_panels, method_colour, save
from bideta.report.figures.annotate import label_right
from bideta.report.grids import each_encoder, grids

NAME = "shots.png"


def draw(records: Sequence[Record], folder: Path) -> list[Figure]:
    """One panel per dataset and encoder, names at the end of the lines."""
    shown = [grid for grid in grids(records, development=False) if len(grid.budgets) > 1]
    panels = each_encoder(shown)
    if not panels:
        return []
    figure, axes = accuracy_panels(len(panels), 3.6)
    figure.subplots_adjust(left=0.07, right=0.86, wspace=0.62, hspace=0.35, top=0.93, bottom=0.08)
    for ax, (grid, encoder) in zip(axes, panels, strict=True):
        x = [int(budget.removesuffix("-shot")) for budget in grid.budgets]
        ends, colours = {}, {}
        for method, variant in grid.methods:
            entries = [grid.entry("accuracy", encoder, method, variant, budget) for budget in grid.budgets]
            known = [(place, e.mean) for place, e in zip(x, entries, strict=True) if e.mean is not None]
            if not known:
                continue
            name, colour = wording.method_title(method, variant), method_colour(method, variant)
            width = 2.2 if (method, variant) == ("bideta", "") else 1
            ax.plot(*zip(*known, strict=True), marker="o", markersize=3, color=colour, linewidth=width)
            ends[name], colours[name] = known[-1], colour
        ax.set_xticks(x)
        ax.set(xlabel="labelled contacts per class", ylim=(0, 100))
        ax.set_title(f"{grid.title}, {grid.encoders[encoder]}", fontsize=10)
        label_right(ax, ends, colours, bold="BIDETA")
    caption = (
        "Accuracy at the same number of labelled contacts per class, averaged over sensors and seeds. Red: BIDETA; "
        "blue: the paper's comparisons; green: ours."
    )
    return [save(figure, folder / NAME, caption)]
