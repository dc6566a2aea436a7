"""Quantities on the command line: ``name=number`` options, and the quantities of a folder's pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from bideta.cli._encoding import encode_images
from bideta.datasets.on_disk.target_table import TargetTable
from bideta.encoders import Encoder
from bideta.service.backgrounds import Others
from bideta.service.encoding import Encoded

if TYPE_CHECKING:  # with scikit-learn, which those who only answer classes go without
    from bideta.regressor import BidetaRegressor

Targets = Annotated[
    Path | None,
    typer.Option(help="CSV with the columns path and name_unit: depth_mm, tilt_x_deg, force_z_N, …"),
]
Split = Annotated[str | None, typer.Option(help="rows of --targets whose column split says this")]
Coverage = Annotated[float, typer.Option(help="share of truths that the intervals shall hold")]


def parse_numbers(option: str, pairs: Sequence[str] | None) -> dict[str, float]:
    """``["turn_deg=360"]`` → ``{"turn_deg": 360.0}``; each is above zero.

    >>> parse_numbers("--period", ["turn_deg=360"])
    {'turn_deg': 360.0}
    """
    numbers = {}
    for pair in pairs or ():
        name, _, text = pair.partition("=")
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if not name or not 0 < number < np.inf:
            raise ValueError(f"{option} is {pair!r}, expected name=number with a number above zero")
        numbers[name] = number
    return numbers


def encode_targets(
    table: TargetTable, encoder: Encoder, batch_size: int, others: Others | None = None
) -> tuple[Encoded, NDArray[np.float64], NDArray[np.intp]]:
    """Readouts of the readable pictures of a table, their quantities and presses."""
    encoded = encode_images(encoder, table.contacts.pictures, batch_size, others)
    return encoded, table.values[encoded.rows], table.presses[encoded.rows]


def fit_quantities(
    table: TargetTable,
    periods: Mapping[str, float],
    encoded: Encoded,
    values: NDArray[np.float64],
    presses: NDArray[np.intp],
    origin: Mapping[str, object],
    background: NDArray[np.uint8] | None = None,
) -> BidetaRegressor:
    """The adapted quantities of a table's pictures."""
    from bideta.regressor import BidetaRegressor

    regressor = BidetaRegressor(list(table.columns), dict(periods) or None)
    looks = encoded.sketches
    return regressor.fit(
        encoded.readouts, values, presses, origin=origin, background=background, sketches=looks
    )


def promise(adapted: BidetaRegressor) -> list[str]:
    """One line for each quantity: how far it is off on labelled contacts that were left out."""
    sensor = adapted.sensor_
    errors = sensor.left_out_errors()
    if errors is None:
        return ["there is one labelled press: how far quantities are off cannot be measured"]
    lines = []
    for target, error, y in zip(sensor.targets, errors.tolist(), sensor.values.T, strict=True):
        unit = f" {target.unit}" if target.unit else ""
        lines.append(
            f"{target.name}: mean error {error:.3g}{unit} on labelled contacts that were left out "
            f"(they lie between {y.min():.3g} and {y.max():.3g}{unit})"
        )
    return lines
