"""Sensitivity on SITR: training-only inner validation on the development sensor, 5 % support."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.presets import CLASSIFICATION
from bideta.protocol.experiments.sensitivity_sitr import SWEEPS
from bideta.protocol.records import Record
from bideta.protocol.sweep import Sweep
from bideta.report import wording
from bideta.report.figures import Figure, sensitivity
from bideta.report.grids import Grid, grids
from bideta.report.section import Section
from bideta.report.sweeps import measured, sweep_table
from bideta.report.tables import Table, mark_selected

VALUE = "accuracy"


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:sens8`` to ``tab:sens14``."""
    return [
        mark_selected(_table(grid, sweep, variants))
        for grid in grids(records)
        for sweep, variants in measured(SWEEPS, grid)
    ]


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """All curves in one picture."""
    return sensitivity.draw(records, folder, SWEEPS, VALUE, CLASSIFICATION, "sensitivity-sitr")


def _table(grid: Grid, sweep: Sweep, variants: dict[str, str]) -> Table:
    """Values of one parameter × encoders; the experiment has one budget."""
    columns = {word: (encoder, budget) for encoder, word in grid.encoders.items() for budget in grid.budgets}
    where = wording.sensor_list(grid.sensors)
    caption = f"on an inner validation part of the training frames of {where}, {wording.listed(grid.budgets)} support"
    return sweep_table(
        grid, sweep, variants, columns, value=VALUE, preset=CLASSIFICATION, role="sitr", caption=caption
    )


SECTION = Section(title="Sensitivity on SITR", tables=tables, figures=figures)
