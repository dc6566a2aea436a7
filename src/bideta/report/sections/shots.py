"""The same number of labelled contacts per class everywhere: 2, 5 and 10 shots, without the development sensor."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import shots
from bideta.report.grids import Grid, each_encoder, grids, sensor_average
from bideta.report.method_rows import UNCALIBRATED, extra_methods, method_entry, notes, paper_methods
from bideta.report.section import Section
from bideta.report.tables import Table, mark_best

TITLES = {("frozen", ""): "Frozen + source head"}  # the paper's name for the row in these tables
VALUES = {"accuracy": "Acc.", "macro_f1": "Macro-F1"}


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:sitr_tvl_shots`` and its three siblings."""
    return [shot_table(*place) for place in each_encoder(grids(records, development=False))]


def shot_table(grid: Grid, encoder: str) -> Table:
    """Methods × (shots, metric) for one encoder."""
    word, extra = grid.encoders[encoder], extra_methods(grid)
    # The paper leaves out the row that could not run.
    paper = [pair for pair in paper_methods(grid) if (grid.role, pair[0]) not in UNCALIBRATED]
    rows = {TITLES.get(pair) or wording.method_title(*pair): pair for pair in (*paper, *extra)}
    known = grid.role in wording.DATASETS and word in wording.ENCODERS.values()
    table = grid.table(
        f"tab:{grid.role}_{word.lower()}_shots" if known else f"ours:shots:{grid.role}:{word}",
        f"{grid.title} with {word}: the same number of shots per class",
        f"{wording.METRICS['accuracy']}. {wording.METRICS['macro_f1']}. Encoder {word}, {sensor_average(grid)}",
        rows,
        {f"{budget} {label}": (value, budget) for budget in grid.budgets for value, label in VALUES.items()},
        lambda pair, asked: method_entry(grid, asked[0], encoder, *pair, asked[1]),
        extra=[row for row, pair in rows.items() if pair in extra],
        notes=notes(grid, development=False),
        detail=True,
    )
    return mark_best(table)


SECTION = Section(title="Unified shots", tables=tables, figures=shots.draw)
