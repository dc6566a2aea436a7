"""Sensitivity on TacQuad: MRR at every budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.presets import RANKING
from bideta.protocol.experiments.sensitivity_tacquad import SWEEPS
from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import Figure, sensitivity
from bideta.report.grids import grids, sensor_average
from bideta.report.section import Section
from bideta.report.sweeps import measured, sweep_table
from bideta.report.tables import Table

VALUE = "mrr"


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:sens15`` to ``tab:sens19``; the paper marks nothing in them but the default."""
    return [
        sweep_table(
            grid,
            sweep,
            variants,
            grid.columns("-"),
            value=VALUE,
            preset=RANKING,
            role="tacquad",
            caption=sensor_average(grid),
            targets=wording.targets(grid.dataset),
        )
        for grid in grids(records)
        for sweep, variants in measured(SWEEPS, grid)
    ]


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """All curves in one picture."""
    return sensitivity.draw(records, folder, SWEEPS, VALUE, RANKING, "sensitivity-tacquad")


SECTION = Section(title="Sensitivity on TacQuad", tables=tables, figures=figures)
