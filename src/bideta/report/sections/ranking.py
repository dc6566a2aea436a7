"""TacQuad: closed-set identity ranking."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.grids import Grid, each_encoder, grids, sensor_average
from bideta.report.method_rows import extra_methods, method_entry, method_table, notes, paper_methods
from bideta.report.section import Section
from bideta.report.tables import Table, mark_best

NUMBER = {"TVL": "5", "Sparsh": "6"}  # the paper's numbers of the tables with both metrics
VALUES = {"r1": "R@1", "mrr": "MRR"}


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:tacquad`` (MRR), then ``tab:ranking5`` and ``tab:ranking6`` with R@1 beside it."""
    of_datasets = grids(records)
    mrr = [method_table(grid, "mrr", "ranking", "MRR of identity ranking") for grid in of_datasets]
    return mrr + [both_table(*place) for place in each_encoder(of_datasets)]


def both_table(grid: Grid, encoder: str) -> Table:
    """Methods × (budget, metric) for one encoder."""
    word, extra = grid.encoders[encoder], extra_methods(grid)
    rows = {wording.method_title(*pair): pair for pair in (*paper_methods(grid), *extra)}
    paper = word in NUMBER and grid.role == "tacquad"
    table = grid.table(
        f"tab:ranking{NUMBER[word]}" if paper else f"ours:ranking:{grid.role}:{word}",
        f"{grid.title} with {word}: R@1 and MRR",
        f"{wording.METRICS['mrr']}. {wording.METRICS['r1']}. Encoder {word}, {sensor_average(grid)}",
        rows,
        {
            f"{label} {grid.budget_label(budget)}": (value, budget)
            for budget in grid.budgets
            for value, label in VALUES.items()
        },
        lambda pair, asked: method_entry(grid, asked[0], encoder, *pair, asked[1]),
        extra=[row for row, pair in rows.items() if pair in extra],
        notes=notes(grid),
        detail=True,
    )
    return mark_best(table)


SECTION = Section(title="Identity ranking", tables=tables)
