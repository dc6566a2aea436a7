"""Sensitivity on TacQuad: MRR at every budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.presets import RANKING
from bideta.protocol.experiments.sensitivity_tacquad import SWEEPS
from bideta.protocol.records import Record
from bideta.protocol.sweep import Sweep
from bideta.report import wording
from bideta.report.figures import Figure
from bideta.report.grids import Grid, grids, sensor_average
from bideta.report.sweeps import default_label, measured, title
from bideta.report.tables import Table

TITLE = "Sensitivity on TacQuad"
VALUE = "mrr"


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:sens15`` to ``tab:sens19``; the paper marks nothing in them but the default."""
    return [
        sweep_table(grid, sweep, rows) for grid in grids(records) for sweep, rows in measured(SWEEPS, grid)
    ]


def figures(records: Sequence[Record], folder: Path) -> list[Path | Figure]:
    """All curves in one picture."""
    from bideta.report.figures import sensitivity

    return sensitivity.draw(records, folder, SWEEPS, VALUE, RANKING, "sensitivity-tacquad")


def sweep_table(grid: Grid, sweep: Sweep, rows: dict[str, str]) -> Table:
    """Values of one parameter × (encoder, budget)."""
    columns = {
        f"{word}-{budget}": (encoder, budget)
        for encoder, word in grid.encoders.items()
        for budget in grid.budgets
    }
    cells = {
        (row, column): grid.entry(VALUE, encoder, "bideta", variant, budget)
        for row, variant in rows.items()
        for column, (encoder, budget) in columns.items()
    }
    default = default_label(sweep, RANKING)
    return Table(
        name=sweep.table
        if wording.role(grid.dataset) == "tacquad"
        else f"ours:{sweep.table[4:]}:{grid.dataset}",
        title=f"{wording.dataset_title(grid.dataset)}: {title(sweep)}",
        caption=grid.caption(f"{wording.METRICS[VALUE]}, {sensor_average(grid)}"),
        columns=list(columns),
        rows=list(rows),
        extra=[row for row in rows if row not in sweep.labels],
        cells=cells,
        notes=grid.notes(wording.targets(grid.dataset)),
        simulated=grid.simulated,
        detail=True,
        stub=("Value",),
        starred=[default] if default in rows else [],
    )
