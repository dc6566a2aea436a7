"""Seconds to adapt to a sensor, and contacts answered per second with the encoder included."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import cost
from bideta.report.grids import Grid, grids
from bideta.report.method_rows import UNCALIBRATED
from bideta.report.section import Section
from bideta.report.tables import MISSING, UNAVAILABLE, Entry, Table, first_part, mark_best, row_label

CALIBRATED = {"sitr-calib", "sitr-support"}  # one row of the paper, each on its dataset
TOGETHER = "SITR-Calib / SITR-Support"
COLUMNS = {  # column → (value of the records, decimals)
    "Adapt. (s)": ("adapt_seconds", 3),
    "Query/s": ("queries_per_second", 1),
}


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:costcomparison``."""
    timed = [record for record in records if record.cell.experiment == "cost"]
    return [cost_table(timed)] if timed else []


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
SECTION = Section(title="Cost", tables=tables, figures=cost.draw, needs=("budgets", "ranking"))
