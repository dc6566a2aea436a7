"""TacQuad: closed-set identity ranking."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.grids import Grid, grids, sensor_average
from bideta.report.method_rows import extra_methods, method_entry, method_table, notes, paper_methods
from bideta.report.section import Section
from bideta.report.tables import Entry, Table, mark_best

NUMBER = {"TVL": "5", "Sparsh": "6"}  # the paper's numbers of the tables with both metrics
VALUES = {"r1": "R@1", "mrr": "MRR"}


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:tacquad`` (MRR), then ``tab:ranking5`` and ``tab:ranking6`` with R@1 beside it."""
    of_datasets = grids(records)
    mrr = [method_table(grid, "mrr", "ranking", "MRR of identity ranking") for grid in of_datasets]
    return mrr + [both_table(grid, encoder) for grid in of_datasets for encoder in grid.encoders]


def both_table(grid: Grid, encoder: str) -> Table:
    """Methods × (budget, metric) for one encoder."""
    word, name = grid.encoders[encoder], wording.role(grid.dataset)
    extra = extra_methods(grid)
    pairs = {wording.method_title(*pair): pair for pair in (*paper_methods(grid), *extra)}
    columns = {
        f"{label} {budget}": (budget, value) for budget in grid.budgets for value, label in VALUES.items()
    }
    cells: dict[tuple[str, str], Entry] = {
        (row, column): method_entry(grid, value, encoder, *pair, budget)
        for row, pair in pairs.items()
        for column, (budget, value) in columns.items()
    }
    what = f"{wording.METRICS['mrr']}. {wording.METRICS['r1']}. Encoder {word}, {sensor_average(grid)}"
    return mark_best(
        Table(
            name=f"tab:ranking{NUMBER[word]}"
            if word in NUMBER and name == "tacquad"
            else f"ours:ranking:{name}:{word}",
            title=f"{wording.dataset_title(grid.dataset)} with {word}: R@1 and MRR",
            caption=grid.caption(what),
            columns=list(columns),
            rows=list(pairs),
            extra=[wording.method_title(*pair) for pair in extra],
            cells=cells,
            notes=notes(grid),
            simulated=grid.simulated,
            detail=True,
        )
    )


SECTION = Section(title="Identity ranking", tables=tables)
