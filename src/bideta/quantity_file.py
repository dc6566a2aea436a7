"""The section of a sensor's file that holds quantities: labelled contacts, their values, names and units.

Everything else of the model follows from them in closed form and is made again when the file is read, with the scales
that were chosen when it was written. One file may hold classes beside it (``sensor_file``).
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import artifact
from bideta.extensions.presses import press_numbers
from bideta.quantities.targets import Target
from bideta.quantity_sensor import MOST_CONTACTS, QuantitySensor
from bideta.sensor_content import check_background, look_arrays, look_of

SECTION = "quantities"  # of the header; its arrays begin with the same word
LONGEST_NAME = 200  # characters of a name or a unit
MOST_READOUTS, MOST_TARGETS = 64, 64


def contents(sensor: QuantitySensor) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of the section."""
    header = {
        "targets": [{"name": one.name, "unit": one.unit, "period": one.period} for one in sensor.targets],
        "scales": list(sensor.model.scales),
    }
    arrays: dict[str, NDArray[Any]] = {f"{SECTION}.values": sensor.values}
    if len(np.unique(sensor.presses)) < len(sensor.presses):
        arrays[f"{SECTION}.presses"] = sensor.presses.astype(np.int64)
    if sensor.background is not None:  # one for the whole file, as the look is
        arrays["background"] = sensor.background
    arrays |= look_arrays(sensor.look)
    for v, H in enumerate(sensor.support, 1):
        arrays[f"{SECTION}.support{v}"] = H
    return {SECTION: header}, arrays


def save(sensor: QuantitySensor, path: str | os.PathLike[str]) -> None:
    """Write a file that answers quantities only, whole or not at all."""
    header, arrays = contents(sensor)
    artifact.write(path, {**header, "origin": dict(sensor.origin)}, arrays)


def load(path: str | os.PathLike[str]) -> QuantitySensor:
    """The quantities of a file; an error where it holds classes only."""
    sensor = load_if_any(path)
    if sensor is None:
        raise artifact.ArtifactError(
            f"{path} answers classes, not quantities; load it with Bideta.load, or adapt with targets"
        )
    return sensor


def load_if_any(path: str | os.PathLike[str]) -> QuantitySensor | None:
    """The quantities of a file; None where it holds classes only."""
    header, arrays = artifact.read(path)
    if SECTION not in header:
        return None
    try:
        return _sensor(header[SECTION], header.get("origin", {}), arrays)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise artifact.ArtifactError(
            f"{path} was written by an incompatible bideta, or changed ({str(error)[:300]}); adapt and save again"
        ) from error


def _sensor(
    section: Mapping[str, Any], origin: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> QuantitySensor:
    if len(section["targets"]) > MOST_TARGETS or len(section["scales"]) > MOST_READOUTS:
        raise ValueError(f"more than {MOST_TARGETS} targets or {MOST_READOUTS} readouts")
    targets = [_target(facts) for facts in section["targets"]]
    scales = [float(scale) for scale in section["scales"]]
    values = arrays[f"{SECTION}.values"]
    support = tuple(arrays[f"{SECTION}.support{v}"] for v in range(1, len(scales) + 1))
    n = len(values)
    if not targets or not support or values.shape != (n, len(targets)) or not 0 < n <= MOST_CONTACTS:
        raise ValueError(
            f"values of shape {values.shape} for {len(targets)} targets, {len(support)} readouts"
        )
    if len({target.column for target in targets}) < len(targets):
        raise ValueError("two targets have the same name")
    for array in (values, *support):
        if array.dtype.kind != "f" or array.ndim != 2 or len(array) != n or not np.isfinite(array).all():
            raise ValueError(
                f"an array of shape {array.shape} and kind {array.dtype} among {n} labelled contacts"
            )
    if not all(0 < scale < math.inf for scale in scales) or 0 in {H.shape[1] for H in support}:
        raise ValueError(f"scales {scales[:9]} of readouts of {[H.shape[1] for H in support][:9]} features")
    check_background(arrays)
    look = look_of(arrays)
    presses = press_numbers(arrays.get(f"{SECTION}.presses"), n)
    sensor = QuantitySensor.adapt(targets, support, values.astype(np.float64), presses, dict(origin), scales)
    return replace(sensor, background=arrays.get("background"), look=look)


def _target(facts: Mapping[str, Any]) -> Target:
    name, unit, period = facts["name"], facts["unit"], facts["period"]
    if not (isinstance(name, str) and name and isinstance(unit, str) and len(name + unit) <= LONGEST_NAME):
        raise ValueError(f"{str(name)[:40]!r} in {str(unit)[:40]!r} is no name and unit of a quantity")
    if period is not None and not 0 < float(period) < math.inf:
        raise ValueError(f"{period!r} is no period of an angle")
    return Target(name, unit, None if period is None else float(period))
