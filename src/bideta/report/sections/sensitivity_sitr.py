"""Sensitivity on SITR: training-only inner validation on the development sensor, 5 % support."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.presets import CLASSIFICATION
from bideta.protocol.experiments.sensitivity_sitr import SWEEPS
from bideta.protocol.records import Record
from bideta.protocol.sweep import Sweep
from bideta.report import wording
from bideta.report.figures import Figure
from bideta.report.grids import Grid, grids
from bideta.report.sweeps import default_label, measured, title
from bideta.report.tables import Table, mark_selected

TITLE = "Sensitivity on SITR"
VALUE = "accuracy"


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:sens8`` to ``tab:sens14``."""
    return [
        sweep_table(grid, sweep, rows) for grid in grids(records) for sweep, rows in measured(SWEEPS, grid)
    ]


def figures(records: Sequence[Record], folder: Path) -> list[Path | Figure]:
    """All curves in one picture."""
    from bideta.report.figures import sensitivity

    return sensitivity.draw(records, folder, SWEEPS, VALUE, CLASSIFICATION, "sensitivity-sitr")


def sweep_table(grid: Grid, sweep: Sweep, rows: dict[str, str]) -> Table:
    """Values of one parameter × encoders."""
    cells = {
        (row, word): grid.entry(VALUE, encoder, "bideta", variant, budget)
        for row, variant in rows.items()
        for encoder, word in grid.encoders.items()
        for budget in grid.budgets
    }
    default = default_label(sweep, CLASSIFICATION)
    where = wording.listed([wording.sensor_label(name) for name in grid.sensors])
    return mark_selected(
        Table(
            name=sweep.table
            if wording.role(grid.dataset) == "sitr"
            else f"ours:{sweep.table[4:]}:{grid.dataset}",
            title=f"{wording.dataset_title(grid.dataset)}: {title(sweep)}",
            caption=grid.caption(
                f"{wording.METRICS[VALUE]}, on an inner validation part of the training frames of {where}, "
                f"{wording.listed(grid.budgets)} support"
            ),
            columns=list(grid.encoders.values()),
            rows=list(rows),
            extra=[row for row in rows if row not in sweep.labels],
            cells=cells,
            notes=grid.notes([]),
            simulated=grid.simulated,
            detail=True,
            stub=("Value",),
            starred=[default] if default in rows else [],
        )
    )
