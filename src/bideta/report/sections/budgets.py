"""SITR and TacVerse at growing label budgets: main tables, per-sensor tables, gains and confusion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import Figure, confusion, gains
from bideta.report.grids import Grid, grids
from bideta.report.method_rows import extra_methods, method_entry, method_table, notes, paper_methods
from bideta.report.section import Section
from bideta.report.tables import Entry, Table, mark_best, row_label

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
        for grid in of_datasets:
            made += [sensor_table(grid, encoder, value, suffix) for encoder in grid.encoders]
    return made


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """Gains over the strongest comparison, and confusion matrices."""
    return [*gains.draw(records, folder), *confusion.draw(records, folder)]


def sensor_table(grid: Grid, encoder: str, value: str, suffix: str) -> Table:
    """(Method, budget) × sensor, and the mean over sensors."""
    word, name = grid.encoders[encoder], wording.role(grid.dataset)
    number = DETAIL.get((name, word))
    columns = {wording.sensor_label(sensor): [sensor] for sensor in grid.sensors} | {
        "Mean": list(grid.sensors)
    }
    cells: dict[tuple[str, str], Entry] = {}
    budget_of: dict[str, str | None] = {}
    paper: list[str] = []
    extra: list[str] = []
    for rows, pairs in ((paper, paper_methods(grid)), (extra, extra_methods(grid))):
        for method, variant in pairs:
            for budget in ("0%",) if method == "frozen" else grid.budgets:
                row = row_label(wording.method_title(method, variant), budget)
                rows.append(row)
                budget_of[row] = None if method == "frozen" else budget
                for column, sensors in columns.items():
                    cells[row, column] = method_entry(grid, value, encoder, method, variant, budget, sensors)
    metric = "accuracy" if value == "accuracy" else "macro-F1"
    return mark_best(
        Table(
            name=f"tab:detail{number}{suffix}" if number else f"ours:detail:{name}:{word}:{value}",
            title=f"{wording.dataset_title(grid.dataset)} with {word}: {metric} by sensor",
            caption=grid.caption(
                f"{wording.METRICS[value]}; one encoder, {word}, one column a target sensor"
            ),
            columns=list(columns),
            rows=[*paper, *extra],
            extra=extra,
            cells=cells,
            notes=[
                *notes(grid),
                "Marks compare rows of the same label budget; the source head sees no label.",
            ],
            simulated=grid.simulated,
            detail=True,
            stub=("Method", "Budget"),
        ),
        contest=budget_of.get,
    )


SECTION = Section(title="Classification on unseen sensors, by label budget", tables=tables, figures=figures)
