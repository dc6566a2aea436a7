"""TacQuad: closed-set identity ranking."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import Figure
from bideta.report.grids import Grid, grids, sensor_average
from bideta.report.method_rows import extra_methods, method_entry, method_rows, notes, paper_methods
from bideta.report.tables import Entry, Table, mark_best

TITLE = "Identity ranking"
NUMBER = {"TVL": "5", "Sparsh": "6"}  # the paper's numbers of the tables with both metrics
VALUES = {"r1": "R@1", "mrr": "MRR"}


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:tacquad`` (MRR), then ``tab:ranking5`` and ``tab:ranking6`` with R@1 beside it."""
    found = grids(records)
    return [mrr_table(grid) for grid in found] + [
        both_table(grid, encoder) for grid in found for encoder in grid.encoders
    ]


def figures(records: Sequence[Record], folder: Path) -> list[Path | Figure]:
    """None: the tables are small."""
    return []


def mrr_table(grid: Grid) -> Table:
    """Methods × (encoder, budget)."""
    name = wording.role(grid.dataset)
    paper, extra = method_rows(grid)
    columns = {
        f"{word} {budget}": (encoder, budget)
        for encoder, word in grid.encoders.items()
        for budget in grid.budgets
    }
    cells = {
        (row, column): method_entry(grid, "mrr", encoder, method, variant, budget)
        for row, method, variant in (*paper, *extra)
        for column, (encoder, budget) in columns.items()
    }
    return mark_best(
        Table(
            name=f"tab:{name}" if name in wording.DATASETS else f"ours:ranking:{name}",
            title=f"{wording.dataset_title(grid.dataset)}: MRR of identity ranking",
            caption=grid.caption(f"{wording.METRICS['mrr']}, {sensor_average(grid)}"),
            columns=list(columns),
            rows=[row for row, _, _ in (*paper, *extra)],
            extra=[row for row, _, _ in extra],
            cells=cells,
            notes=notes(grid),
            simulated=grid.simulated,
            stub=("Method", "Mode"),
        )
    )


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
