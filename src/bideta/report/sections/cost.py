"""Seconds to adapt to a sensor, and contacts answered per second with the encoder included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import cost
from bideta.report.grids import Grid, each_budget, grids
from bideta.report.method_rows import UNCALIBRATED, paper_methods
from bideta.report.section import Section
from bideta.report.tables import MISSING, UNAVAILABLE, Entry, Table, first_part, mark_best, row_label

CALIBRATED = {"sitr-calib", "sitr-support"}  # one row of the paper, each on its dataset
TOGETHER = "SITR-Calib / SITR-Support"
SCORED = ("budgets", "ranking")  # experiments that say which comparison is the best
SPEED = ("Best comparison", "Its adapt. (s)", "BIDETA adapt. (s)", "Times faster")
COLUMNS = {  # column → (value of the records, decimals)
    "Adapt. (s)": ("adapt_seconds", 3),
    "Query/s": ("queries_per_second", 1),
}


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:costcomparison``, and how much sooner BIDETA is done than the best comparison."""
    timed = [record for record in records if record.cell.experiment == "cost"]
    if not timed:
        return []
    return [cost_table(timed), *speed_table(timed, [r for r in records if r.cell.experiment in SCORED])]


def cost_table(records: Sequence[Record]) -> Table:
    """(Encoder, method) × (dataset, measure)."""
    of_datasets = grids(records)
    words = wording.encoder_labels(records)
    paper, extra = wording.method_order((r.cell.method, r.cell.variant) for r in records)
    # Label → (encoder, method, variant), merged where the paper does.
    rows: dict[str, list[tuple[str, str, str]]] = {}
    ours: set[str] = set()
    for encoder, word in words.items():
        for method, variant in (*paper, *extra):
            together = method in CALIBRATED and not variant
            title = TOGETHER if together else wording.method_title(method, variant)
            label = row_label(word, title, wording.method_mode(method))
            rows.setdefault(label, []).append((encoder, method, variant))
            if (method, variant) in extra:
                ours.add(label)
    columns = {
        f"{grid.title} {label}": (grid, *measure)
        for grid in of_datasets
        for label, measure in COLUMNS.items()
    }
    where = "; ".join(
        f"{g.title}: {wording.sensor_list(g.sensors)} at {wording.listed(g.budgets)}" for g in of_datasets
    )
    whole = Grid(records, "", (), of_datasets[0].seeds, words)
    table = whole.table(
        "tab:costcomparison",
        "Cost of adaptation and of answering",
        "Adapt. (s): seconds from labelled readouts to a method that can answer, less is better. Query/s: "
        f"contacts answered per second, encoding included, more is better. {where}; measured on the machine "
        "of the run",
        {row: rows[row] for row in sorted(rows, key=ours.__contains__)},
        columns,
        lambda sources, at: _entry(at[0], sources, *at[1:]),
        extra=ours,
        notes=[note for grid in of_datasets for note in grid.notes(())],
        stub=("Backbone", "Method", "Mode"),
    )
    lower = [column for column in columns if column.endswith("(s)")]
    return mark_best(table, lower=lower, contest=first_part)


def speed_table(timed: Sequence[Record], scored: Sequence[Record]) -> list[Table]:
    """The abstract's line: seconds to adapt of the most accurate of the paper's comparisons, over those of BIDETA."""
    rows: dict[str, tuple[Grid, str, str]] = {}
    of_scores = {grid.dataset: grid for grid in grids(scored)}
    for grid, encoder, budget in each_budget(grids(timed)):
        scores = of_scores.get(grid.dataset)
        if scores is None or encoder not in scores.encoders:
            continue
        value = "mrr" if grid.role == "tacquad" else "accuracy"
        known = {
            method: entry.mean
            for method, _ in paper_methods(scores)
            if method not in ("frozen", "bideta")
            and (entry := scores.entry(value, encoder, method, budget=budget)).mean is not None
        }
        if known:
            row = row_label(grid.title, f"{grid.encoders[encoder]} {grid.budget_label(budget)}")
            rows[row] = grid, encoder, max(known, key=known.__getitem__)
    if not rows:
        return []
    first = next(iter(rows.values()))[0]
    whole = Grid(timed, "", (), first.seeds, wording.encoder_labels(timed))
    table = whole.table(
        "ours:speed",
        "How much sooner BIDETA has adapted than the best comparison",
        "The abstract says about 20 times on SITR with TVL. Best comparison: the most accurate of the paper's at the "
        "same budget, the source head left out. Seconds to adapt, averaged over the target sensors; times faster: "
        "their ratio, seed by seed",
        rows,
        {name: name for name in SPEED},
        lambda asked, column: _speed(*asked, column),
        extra=list(rows),
        stub=("Dataset", "Encoder and budget"),
    )
    return [table]


def _speed(grid: Grid, encoder: str, rival: str, column: str) -> Entry:
    budget = grid.budgets[-1]

    def seconds(method: str, seeds: Sequence[int] | None = None) -> Entry:
        chosen = grid if seeds is None else replace(grid, seeds=seeds)
        return chosen.entry("adapt_seconds", encoder, method, budget=budget, scale=1.0, digits=3)

    if column == SPEED[0]:
        return Entry(words=wording.method_title(rival))
    if column in SPEED[1:3]:
        return seconds(rival if column == SPEED[1] else "bideta")
    pairs = [(seconds(rival, [seed]).mean, seconds("bideta", [seed]).mean) for seed in grid.seeds]
    ratios = [theirs / ours for theirs, ours in pairs if theirs is not None and ours]
    if len(ratios) < len(grid.seeds):
        return MISSING
    return Entry(fmean(ratios), stdev(ratios) if len(ratios) > 1 else None, digits=1)


def _entry(grid: Grid, sources: Sequence[tuple[str, str, str]], value: str, digits: int) -> Entry:
    """The first of the merged methods that has a number here."""
    entries = [
        grid.entry(value, encoder, method, variant, budget, scale=1.0, digits=digits, spread=digits == 3)
        for encoder, method, variant in sources
        for budget in grid.budgets or [""]
    ]
    if any((grid.role, method) in UNCALIBRATED for _, method, _ in sources):
        entries.append(UNAVAILABLE)
    order = {"value": 0, "incomplete": 1, "unavailable": 2, "missing": 3}
    return min(entries, key=lambda entry: order[entry.state], default=MISSING)


# The picture sets times beside the accuracies of the other two experiments.
SECTION = Section(title="Cost", tables=tables, figures=cost.draw, needs=SCORED)
