"""How well a sensor's quantities agree with known ones: errors with units, coverage, a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from bideta.cli._drawing import draw_quantities
from bideta.cli._encoding import exit_incomplete
from bideta.cli._seen import seen_in_support
from bideta.cli._table import print_table
from bideta.cli._terminal import note
from bideta.datasets.on_disk.target_table import TargetTable
from bideta.images.reading import shown
from bideta.protocol.quantity_metrics import measure
from bideta.quantity_sensor import FALSE_ALARMS, Quantities
from bideta.service.encoding import Encoded
from bideta.service.quantity_answers import foreign_warning
from bideta.service.sensors import OpenQuantities
from bideta.spelling import counted


def evaluate_quantities(
    opened: OpenQuantities, encoded: Encoded, table: TargetTable, coverage: float, picture: Path | None
) -> None:
    """Print MAE, RMSE, R², coverage and width of every quantity that the table knows; draw predicted against true."""
    sensor = opened.adapted.sensor_
    columns = [target.column for target in sensor.targets]
    known = [column for column in columns if column in table.columns] or columns
    truth = table.columns_of(known).values[encoded.rows]
    result = opened.adapted.infer(encoded.readouts, coverage).only(known)
    print_quantities(result, truth)
    if len(known) < len(columns):
        note(f"not in the table: {', '.join(shown(one) for one in columns if one not in known)}")
    seen = seen_in_support(sensor, encoded.readouts)
    if seen.any():
        note(
            f"warning: the sensor was adapted from {seen.sum()} of these {len(seen)} images, which flatters the "
            "figures; leave them out of the table"
        )
    odd = foreign_warning(result)
    if odd:
        note(f"warning: {odd}")
    if picture is not None:
        draw_quantities(result, truth, picture)
    exit_incomplete(encoded)


def print_quantities(result: Quantities, truth: NDArray[np.float64]) -> None:
    """A table with a row for every quantity."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in (
        "quantity",
        "unit",
        "MAE",
        "RMSE",
        "R²",
        f"held by {result.coverage:.0%} intervals",
        "width",
    ):
        table.add_column(head, justify="left" if head in ("quantity", "unit") else "right")
    for target, found in zip(result.targets, measure(result, truth), strict=True):
        numbers = (f"{found[name]:.4g}" for name in ("mae", "rmse"))
        table.add_row(
            target.name,
            target.unit or "–",
            *numbers,
            f"{found['r2']:.3f}",
            f"{found['covered']:.1%}",
            f"{found['width']:.4g}",
        )
    print_table(table)
    note(
        f"{counted(len(truth), 'image')}; {result.foreign.mean():.0%} look foreign ({FALSE_ALARMS:.0%} would be usual)"
    )
