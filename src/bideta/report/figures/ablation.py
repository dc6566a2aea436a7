"""The ablation as a picture: one line per variant, one dot per budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.report import pyplot
from bideta.report.figures import BLUE, GREEN, ORANGE, VERMILION, WIDTH, Figure, save
from bideta.report.grids import Grid

COLOURS = (ORANGE, BLUE, GREEN)  # of the budgets, smallest first
MARKERS = ("o", "s", "^")
FULL = "Full BIDETA"


def draw(grid: Grid, rows: Sequence[str], path: Path) -> Figure:
    """One panel per encoder."""
    size = WIDTH, 0.28 * len(rows) + 1.2
    figure, axes = pyplot().subplots(
        1, len(grid.encoders), figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    for ax, (encoder, word) in zip(axes[0], grid.encoders.items(), strict=True):
        for colour, marker, budget in zip(COLOURS, MARKERS, grid.budgets, strict=False):
            for y, variant in enumerate(rows):
                entry = grid.entry("accuracy", encoder, "bideta", variant, budget)
                if entry.mean is not None:
                    label = f"{budget} labelled" if y == 0 else None
                    bar = entry.std or 0.0
                    ax.errorbar(entry.mean, y, xerr=bar, fmt=marker, color=colour, markersize=5, label=label)
            full = grid.entry("accuracy", encoder, "bideta", FULL, budget).mean
            if full is not None:
                ax.axvline(full, color=colour, linewidth=0.8, linestyle=":")
        ax.set(title=word, xlabel="accuracy (%)")
        ax.grid(axis="y", color="0.92")
        ax.set_axisbelow(True)
    axes[0, 0].set_yticks(range(len(rows)), rows)
    axes[0, 0].invert_yaxis()
    for tick, variant in zip(axes[0, 0].get_yticklabels(), rows, strict=True):
        if variant == FULL:
            tick.set_color(VERMILION)
    handles, words = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, words, loc="outside lower center", ncols=3, frameon=False)
    caption = (
        f"{grid.title}: accuracy of each variant, mean and standard deviation over seeds. "
        "Dotted: the full method."
    )
    return save(figure, path, caption)
