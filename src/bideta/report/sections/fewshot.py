"""One, two and five shots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bideta.protocol.draw import SHOTS
from bideta.protocol.experiments.fewshot import RIVALS, VARIANTS
from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, Figure, accuracy_panels, save
from bideta.report.grids import Grid, each_encoder, grids_without_development
from bideta.report.our_table import our_table
from bideta.report.section import Section
from bideta.report.tables import Table, mark_best

METHOD = "bideta"
NAMES = {
    "": "BIDETA, paper's preset",
    "robot": "BIDETA, robot preset",
    "touch": "BIDETA, touch preset",
}
LINES: dict[tuple[str, str], dict[str, Any]] = {
    ("logistic", ""): {"color": GREY, "linestyle": ":"},
    ("lda", ""): {"color": ORANGE, "linestyle": ":"},
    ("em-lda", ""): {"color": GREEN, "linestyle": "--"},
    (METHOD, ""): {"color": SKY},
    (METHOD, "robot"): {"color": BLUE, "linestyle": "--"},
    (METHOD, "touch"): {"color": VERMILION, "linewidth": 2.2},
}


def tables(records: Sequence[Record]) -> list[Table]:
    """Methods × shots for each dataset and encoder; without the development sensor where there are others."""
    return [fewshot_table(*place) for place in each_encoder(grids_without_development(records))]


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """Accuracy against labelled contacts per class, a panel for each dataset and encoder."""
    panels = each_encoder(grids_without_development(records))
    if not panels:
        return []
    figure, axes = accuracy_panels(len(panels), 3.2, legend=0.6, layout="constrained")
    for axis, (grid, encoder) in zip(axes, panels, strict=True):
        budgets = [budget for budget in grid.budgets if budget.endswith(SHOTS)]
        for (method, variant), line in LINES.items():
            entries = [grid.entry("accuracy", encoder, method, variant, budget) for budget in budgets]
            known = [
                (budget, e.mean) for budget, e in zip(budgets, entries, strict=True) if e.mean is not None
            ]
            if known:
                axis.plot(
                    *zip(*known, strict=True), marker="o", markersize=4, label=_row(method, variant), **line
                )
        axis.set_ylim(0, 100)
        axis.set_title(grid.heading(encoder), fontsize=10)
        axis.grid(alpha=0.3)
    handles, words = axes[0].get_legend_handles_labels()
    figure.legend(handles, words, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    caption = (
        "Accuracy with one, two and five labelled contacts per class, averaged over sensors and seeds"
        f"{', simulated' if any(grid.simulated for grid, _ in panels) else ''}."
    )
    return [save(figure, folder / "fewshot.png", caption)]


def fewshot_table(grid: Grid, encoder: str) -> Table:
    """Accuracy of every method and variant."""
    recorded = set(grid.methods)
    known = [(method, "") for method in RIVALS] + [(METHOD, variant) for variant in VARIANTS]
    pairs = {_row(*pair): pair for pair in (*known, *sorted(recorded.difference(known))) if pair in recorded}
    # Shots first, then shares of the pool.
    budgets = sorted(grid.budgets, key=lambda budget: not budget.endswith(SHOTS))
    table = our_table(
        grid,
        encoder,
        "fewshot",
        "few shots",
        f"{wording.METRICS['accuracy']}.",
        pairs,
        {budget: budget for budget in budgets},
        lambda pair, budget: grid.entry("accuracy", encoder, *pair, budget),
    )
    return mark_best(table)


def _row(method: str, variant: str) -> str:
    return NAMES.get(variant, variant) if method == METHOD else wording.method_title(method, variant)


SECTION = Section(title="One and two shots", tables=tables, figures=figures)
