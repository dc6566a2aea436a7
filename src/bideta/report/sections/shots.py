"""The same number of labelled contacts per class everywhere: 2, 5 and 10 shots, without the development sensor."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import shots
from bideta.report.grids import Grid, grids, sensor_average
from bideta.report.method_rows import UNCALIBRATED, extra_methods, method_entry, notes, paper_methods
from bideta.report.section import Section
from bideta.report.tables import Entry, Table, mark_best

FROZEN = "Frozen + source head"  # the paper's name for the row in these tables
VALUES = {"accuracy": "Acc.", "macro_f1": "Macro-F1"}


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:sitr_tvl_shots`` and its three siblings."""
    return [
        shot_table(grid, encoder) for grid in grids(records, development=False) for encoder in grid.encoders
    ]


def shot_table(grid: Grid, encoder: str) -> Table:
    """Methods × (shots, metric) for one encoder."""
    word, name = grid.encoders[encoder], wording.role(grid.dataset)
    # The paper leaves out the row that could not run.
    paper = [pair for pair in paper_methods(grid) if (name, pair[0]) not in UNCALIBRATED]
    pairs = {_row(*pair): pair for pair in (*paper, *extra_methods(grid))}
    columns = {
        f"{budget} {label}": (budget, value) for budget in grid.budgets for value, label in VALUES.items()
    }
    cells: dict[tuple[str, str], Entry] = {
        (row, column): method_entry(grid, value, encoder, *pair, budget)
        for row, pair in pairs.items()
        for column, (budget, value) in columns.items()
    }
    known = name in wording.DATASETS and word in wording.ENCODERS.values()
    what = f"{wording.METRICS['accuracy']}. {wording.METRICS['macro_f1']}. Encoder {word}, {sensor_average(grid)}"
    return mark_best(
        Table(
            name=f"tab:{name}_{word.lower()}_shots" if known else f"ours:shots:{name}:{word}",
            title=f"{wording.dataset_title(grid.dataset)} with {word}: the same number of shots per class",
            caption=grid.caption(what),
            columns=list(columns),
            rows=list(pairs),
            extra=[_row(*pair) for pair in extra_methods(grid)],
            cells=cells,
            notes=notes(grid, development=False),
            simulated=grid.simulated,
            detail=True,
        )
    )


def _row(method: str, variant: str) -> str:
    return FROZEN if method == "frozen" and not variant else wording.method_title(method, variant)


SECTION = Section(title="Unified shots", tables=tables, figures=shots.draw)
