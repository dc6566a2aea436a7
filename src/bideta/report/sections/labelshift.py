"""Batches that do not follow the support's classes: accuracy by scenario, batch size and class prior; calibration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bideta.protocol.experiments.labelshift import (
    BATCHES,
    BURST,
    PRIORS,
    RELIABILITY,
    RIVALS,
    SCENARIOS,
    variant,
)
from bideta.protocol.records import Record
from bideta.report import pyplot, wording
from bideta.report.figures import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, WIDTH, Figure, save
from bideta.report.grids import Grid, each_budget, grids_without_development, sensor_average
from bideta.report.our_table import our_table
from bideta.report.section import Section
from bideta.report.tables import Table, first_part, mark_best, row_label

METHOD = "bideta"
NAMES = {
    "anchor": "memory alone (anchor)",
    "paper": "BIDETA as in the paper",
    "paper, no prior": "BIDETA, no prior step",
    "support": "labelled nodes, support's prior",
    "none": "labelled nodes, no prior step",
    "mixed": "labelled nodes, mixed prior",
    "auto": "labelled nodes, automatic prior (robot preset)",
}
LINES: dict[str, dict[str, Any]] = {
    "anchor": {"color": GREY, "linestyle": ":"},
    "paper": {"color": SKY, "linestyle": "--"},
    "support": {"color": ORANGE},
    "none": {"color": GREEN},
    "mixed": {"color": PURPLE, "linestyle": "-."},
    "auto": {"color": BLUE, "linewidth": 2.2},
    "em-lda": {"color": VERMILION, "linestyle": "--"},
    "paddle": {"color": "black", "linestyle": ":"},
}
DIAGRAMS = {"anchor": "memory alone (anchor)", "joint": "joint answer (robot preset)"}


def tables(records: Sequence[Record]) -> list[Table]:
    """Priors × batch sizes for every scenario, then calibration errors; for each encoder and budget."""
    places = each_budget(grids_without_development(records))
    return [make(*place) for place in places for make in (shift_table, calibration_table)]


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """Accuracy against batch size, a panel for each scenario; reliability before and after calibration."""
    made = []
    for grid, encoder, budget in each_budget(grids_without_development(records)):
        made.append(_curves(grid, encoder, budget, folder))
        if grid.select(encoder, METHOD, RELIABILITY, budget):
            made.append(_diagrams(grid, encoder, budget, folder))
    return made


def shift_table(grid: Grid, encoder: str, budget: str) -> Table:
    """Accuracy; marks compare the priors of one scenario."""
    rows = {
        row_label(scenario, _title(name)): (method, asked)
        for scenario in SCENARIOS
        for name, method, asked in _answers(scenario, grid)
    }
    batches = ", ".join(f"{count} batches of {m:,}" for m, count in BATCHES.items())
    table = our_table(
        grid,
        encoder,
        "labelshift",
        "class priors by batch",
        f"{wording.METRICS['accuracy']}, by batch size m",
        rows,
        {f"m = {m:,}": m for m in BATCHES},
        lambda answer, m: grid.entry(f"accuracy@{m}", encoder, *answer, budget, digits=1),
        budget=budget,
        notes=[
            "Batches: balanced, a random part of the test split; Dirichlet a, class frequencies drawn anew for "
            "every batch; 4 of 16, a quarter of the classes; one class; bursts, class after class, each for "
            f"{BURST} contacts on average. A batch is cut where a class runs out of contacts"
            f"{_shorter(grid, encoder, budget)}.",
            f"Each entry averages {batches} for every sensor and seed; all rows see the same batches.",
        ],
        stub=("Batch", "Answers"),
    )
    return mark_best(table, contest=first_part)


def calibration_table(grid: Grid, encoder: str, budget: str) -> Table:
    """Expected calibration error before and after, and the temperatures chosen on the support."""
    return our_table(
        grid,
        encoder,
        "calibration",
        "calibration",
        "Expected calibration error (%, ten bins) on the balanced test split, before and after one temperature chosen "
        "on the labelled contacts alone",
        {title: name for name, title in DIAGRAMS.items()},
        {
            "before": ("ece {}", 100.0),
            "after": ("ece {} calibrated", 100.0),
            "temperature": ("temperature {}", 1.0),
        },
        lambda name, at: grid.entry(at[0].format(name), encoder, METHOD, RELIABILITY, budget, scale=at[1]),
        budget=budget,
        stub=("Probabilities",),
    )


def _answers(scenario: str, grid: Grid) -> list[tuple[str, str, str]]:
    """(name, method, variant) of everything that answers a scenario, rivals only where they were run."""
    priors = [(prior, METHOD, variant(scenario, prior)) for prior in PRIORS]
    run = {record.cell.method for record in grid.records}
    return priors + [(rival, rival, variant(scenario)) for rival in RIVALS if rival in run]


def _contacts(grid: Grid, encoder: str, budget: str, scenario: str, m: int) -> float:
    """Contacts that batches of m really had, on average; m where nothing was run."""
    sizes = [
        record.values[f"contacts@{m}"]
        for prior in PRIORS
        for record in grid.select(encoder, METHOD, variant(scenario, prior), budget)
        if f"contacts@{m}" in record.values
    ]
    return float(np.mean(sizes)) if sizes else m


def _shorter(grid: Grid, encoder: str, budget: str) -> str:
    """Where that made batches shorter than their column says."""
    cut = [
        f"{scenario} {size:,.0f} instead of {m:,}"
        for scenario in SCENARIOS
        for m in BATCHES
        if (size := _contacts(grid, encoder, budget, scenario, m)) < 0.95 * m
    ]
    return f", on average: {'; '.join(cut)}" if cut else ""


def _title(name: str) -> str:
    return NAMES.get(name) or wording.method_title(name, "")


def _curves(grid: Grid, encoder: str, budget: str, folder: Path) -> Figure:
    figure, axes = pyplot().subplots(2, 4, figsize=(WIDTH, 4.6), sharex=True, layout="constrained")
    panels = dict(zip(SCENARIOS, axes.flat, strict=False))
    for scenario, axis in panels.items():
        sizes = [_contacts(grid, encoder, budget, scenario, m) for m in BATCHES]
        for name, method, asked in _answers(scenario, grid):
            if name not in LINES:
                continue
            entries = [grid.entry(f"accuracy@{m}", encoder, method, asked, budget) for m in BATCHES]
            means = [np.nan if entry.mean is None else entry.mean for entry in entries]
            axis.plot(sizes, means, label=_title(name), **LINES[name])
        axis.set_title(scenario, fontsize=9)
        axis.set_xscale("log")
        axis.grid(alpha=0.3)
    for axis in axes[:, 0]:
        axis.set_ylabel("accuracy (%)")
    for axis in axes[1]:
        axis.set_xlabel("contacts in the batch")
    handles, words = axes[0, 0].get_legend_handles_labels()
    axes[1, 3].axis("off")
    axes[1, 3].legend(handles, words, loc="center", frameon=False, fontsize=6.5)
    figure.suptitle(grid.heading(encoder, budget), fontsize=10)
    caption = (
        f"Accuracy against batch size under each class prior, {sensor_average(grid)}, mean over {len(grid.seeds)} "
        "seeds. Batches of one object end at the contacts of a class."
    )
    return save(figure, folder / grid.file_name("labelshift", encoder, budget), caption)


def _diagrams(grid: Grid, encoder: str, budget: str, folder: Path) -> Figure:
    figure, axes = pyplot().subplots(1, 2, figsize=(WIDTH * 0.7, 3.2), sharey=True, layout="constrained")
    good = [r for r in grid.select(encoder, METHOD, RELIABILITY, budget) if r.status == "ok"]
    for axis, (name, title) in zip(axes, DIAGRAMS.items(), strict=True):
        axis.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        for key, colour, word in ((name, VERMILION, "before"), (f"{name} calibrated", BLUE, "after")):
            parts = np.array([record.arrays[key] for record in good])  # (records, 3, bins)
            if not len(parts):
                continue
            count = parts[:, 2].sum(axis=0)
            filled = count > 0
            x, y = ((parts[:, i] * parts[:, 2]).sum(axis=0)[filled] / count[filled] for i in (0, 1))
            axis.plot(x, y, "o-", markersize=3, color=colour, label=word)
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("probability of the answer")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("share of right answers")
    axes[0].legend(frameon=False, fontsize=8)
    caption = (
        f"Reliability before and after calibration on the labelled contacts, balanced test split, "
        f"{sensor_average(grid)}. On the diagonal a probability is the share of answers that are right."
    )
    return save(figure, folder / grid.file_name("reliability", encoder, budget), caption)


SECTION = Section(title="Class priors: unbalanced and small batches", tables=tables, figures=figures)
