"""SITR and TacVerse at growing label budgets: main tables, per-sensor tables, gains and confusion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import Figure, confusion, gains
from bideta.report.grids import Grid, each_encoder, grids
from bideta.report.method_rows import extra_methods, method_entry, method_table, notes, paper_methods
from bideta.report.section import Section
from bideta.report.tables import Table, mark_best, row_label

DETAIL = {  # (dataset, encoder word) → the paper's number of the per-sensor table
    ("sitr", "TVL"): "1",
    ("sitr", "Sparsh"): "2",
    ("tacverse", "TVL"): "3",
    ("tacverse", "Sparsh"): "4",
}


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:sitr``, ``tab:tacverse``, then the per-sensor tables: accuracy, then macro-F1."""
    of_datasets = grids(records)
    title = "accuracy by encoder and label budget"
    made = [method_table(grid, "accuracy", "budgets", title) for grid in of_datasets]
    for value, suffix in (("accuracy", ""), ("macro_f1", "f1")):
        made += [sensor_table(*place, value, suffix) for place in each_encoder(of_datasets)]
    return made


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """Gains over the strongest comparison, and confusion matrices."""
    return [*gains.draw(records, folder), *confusion.draw(records, folder)]


def sensor_table(grid: Grid, encoder: str, value: str, suffix: str) -> Table:
    """(Method, budget) × sensor, and the mean over sensors."""
    word, extra = grid.encoders[encoder], extra_methods(grid)
    number = DETAIL.get((grid.role, word))
    rows = {
        row_label(wording.method_title(*pair), grid.budget_label(budget)): (*pair, budget)
        for pair in (*paper_methods(grid), *extra)
        for budget in (["0%"] if pair[0] == "frozen" else grid.budgets)
    }
    table = grid.table(
        f"tab:detail{number}{suffix}" if number else f"ours:detail:{grid.role}:{word}:{value}",
        f"{grid.title} with {word}: {'accuracy' if value == 'accuracy' else 'macro-F1'} by sensor",
        f"{wording.METRICS[value]}; one encoder, {word}, one column a target sensor",
        rows,
        {wording.sensor_label(sensor): [sensor] for sensor in grid.sensors} | {"Mean": list(grid.sensors)},
        lambda asked, sensors: method_entry(grid, value, encoder, *asked, sensors),
        extra=[row for row, (*pair, _) in rows.items() if tuple(pair) in extra],
        notes=[
            *notes(grid),
            "Marks compare rows of the same label budget; the source head sees no label.",
        ],
        detail=True,
        stub=("Method", "Budget"),
    )
    return mark_best(table, contest=lambda row: None if rows[row][0] == "frozen" else rows[row][2])


SECTION = Section(title="Classification on unseen sensors, by label budget", tables=tables, figures=figures)
