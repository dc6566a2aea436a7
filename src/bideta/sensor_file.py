"""An adapted sensor on disk: what ``Sensor`` holds, as named arrays and a JSON header in one file (``artifact``)."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import artifact, quantity_file
from bideta.checks import object_array
from bideta.extensions.class_prior import Rule
from bideta.extensions.presses import press_numbers
from bideta.extensions.settings import SensorSettings
from bideta.method.memory import Memory
from bideta.method.readout import AdaptedReadout, Standardizer
from bideta.method.spectrum import WithinClass
from bideta.quantity_sensor import QuantitySensor
from bideta.sensor import Sensor
from bideta.sensor_content import (
    ARRAYS,
    FACTS,
    NAME_DEPTH,
    check_classes,
    check_header,
    check_limits,
    check_sensor,
    look_arrays,
    look_of,
)

LONGEST = 300  # characters of a reason: a file can hold any text


def save(sensor: Sensor, path: str | os.PathLike[str], quantities: QuantitySensor | None = None) -> None:
    """Write the sensor to one file (safetensors with a JSON header; no pickle), whole or not at all.

    ``quantities`` of the same sensor go into a section of their own. Both share one background and one look, which are
    those of the classes where there are two.
    """
    check_limits(sensor.settings)
    header = {
        "parameters": _of_a_file(
            {part.name: _plain(getattr(sensor.settings, part.name)) for part in fields(SensorSettings)}
        ),
        "classes": [_to_json(name) for name in sensor.classes.tolist()],
        "classes_dtype": str(sensor.classes.dtype),
        "n_features_in": sum(sensor.widths),
        "origin": dict(sensor.origin),
        "readouts": [
            {name: getattr(readout.covariance, name) for name in FACTS} for readout in sensor.readouts
        ],
    }
    if sensor.earlier:
        header["earlier"] = sensor.earlier
    if sensor.rule is not None:
        header["temperature"] = sensor.rule.temperature
    arrays: dict[str, NDArray[Any]] = {"support_labels": sensor.labels.astype(np.int64)}
    if sensor.prior is not None:
        arrays["prior"] = sensor.prior
    if sensor.background is not None:
        arrays["background"] = sensor.background
    arrays |= look_arrays(sensor.look)
    if len(np.unique(sensor.presses)) < len(sensor.presses):
        arrays["support_groups"] = sensor.presses.astype(np.int64)
    for v, (readout, H) in enumerate(zip(sensor.readouts, sensor.support, strict=True), 1):
        arrays[f"support{v}"] = H
        for name, array in _arrays(readout).items():
            arrays[f"readout{v}.{name}"] = array
    if quantities is not None:
        section, more = quantity_file.contents(quantities)
        header, arrays = {**header, **section}, {**more, **arrays}
    artifact.write(path, header, arrays)


def load(path: str | os.PathLike[str]) -> Sensor:
    """The sensor that ``save`` wrote; same answers."""
    header, arrays = artifact.read(path)
    if quantity_file.SECTION in header and "support_labels" not in arrays:
        raise artifact.ArtifactError(
            f"{path} answers quantities, not classes; load it with BidetaRegressor.load, or adapt with labels"
        )
    if "support_labels" not in arrays:
        raise artifact.ArtifactError(
            f"{path} does not hold its labelled contacts: an earlier bideta wrote it; adapt and save again"
        )
    try:
        return _sensor(header, arrays)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise artifact.ArtifactError(
            f"{path} was written by an incompatible bideta, or changed ({str(error)[:LONGEST]}); adapt and save again"
        ) from error


def _sensor(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Sensor:
    check_header(header)
    settings = SensorSettings(**_of_a_file(header["parameters"]))
    classes = _classes(header["classes"], header["classes_dtype"])
    check_sensor(settings, header, arrays)
    labels = arrays["support_labels"].astype(np.intp)
    V = len(header["readouts"])
    sensor = Sensor(
        settings,
        classes,
        tuple(arrays[f"support{v}"] for v in range(1, V + 1)),
        labels,
        press_numbers(arrays.get("support_groups"), len(labels)),
        tuple(_readout(v, facts, arrays, settings) for v, facts in enumerate(header["readouts"], 1)),
        arrays.get("prior"),
        None,
        None,
        dict(header["origin"]),
        arrays.get("background"),
        look_of(arrays),
        header.get("earlier", 0),
    )
    if "temperature" in header:  # the rest of the rule follows from the labelled contacts
        rule = Rule(np.bincount(labels), header["temperature"], str(settings.prior))
        sensor = replace(sensor, rule=rule)
    return sensor.with_readouts(sensor.readouts)  # which makes the nodes of the graph


def _of_a_file(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Without what a file does not decide: ``n_jobs`` would start processes, "approximate" compile for ten seconds."""
    engine = parameters.get("neighbors", "auto")
    return {**parameters, "n_jobs": None, "neighbors": "auto" if engine == "approximate" else engine}


def _readout(
    v: int, facts: Mapping[str, float], arrays: Mapping[str, NDArray[Any]], settings: SensorSettings
) -> AdaptedReadout:
    mean, scale, values, vectors, coefficients, intercepts = (arrays[f"readout{v}.{name}"] for name in ARRAYS)
    covariance, memory = WithinClass(values, vectors, **facts), Memory(coefficients, intercepts)
    return AdaptedReadout(Standardizer(mean, scale), covariance, memory, settings.gamma)


def _arrays(readout: AdaptedReadout) -> dict[str, NDArray[Any]]:
    standardizer, covariance, memory = readout.standardizer, readout.covariance, readout.memory
    parts = (standardizer.mean, standardizer.scale, covariance.values, covariance.vectors)
    return dict(zip(ARRAYS, (*parts, memory.coefficients, memory.intercepts), strict=True))


def _classes(values: list[Any], dtype: str) -> NDArray[Any]:
    kind = check_classes(values, dtype)
    names = object_array([_from_json(value) for value in values]) if kind is None else np.array(values, kind)
    if len(set(names.tolist())) != len(names):
        raise ValueError("two classes have the same name")
    return names


def _to_json(label: Hashable) -> Any:
    """A class name as JSON: plain scalars as themselves, tuples and None marked by their kind."""
    if label is None or isinstance(label, str | bool | int | float):
        return label
    if isinstance(label, tuple):
        return {"tuple": [_to_json(part) for part in label]}
    raise TypeError(
        f"class name {label!r} of type {type(label).__name__} cannot be saved; "
        "use strings, numbers, None or tuples of these"
    )


def _from_json(value: Any, depth: int = 0) -> Any:
    if not isinstance(value, dict):
        return value
    if set(value) != {"tuple"} or not isinstance(value["tuple"], list) or depth > NAME_DEPTH:
        raise ValueError(f"{str(value)[:40]} is no name of a class")
    return tuple([_from_json(part, depth + 1) for part in value["tuple"]])


def _plain(value: Any) -> Any:
    """A numpy number or an array of numbers (``prior``, ``alpha``) as JSON can hold it."""
    return value if value is None or isinstance(value, str) else np.asarray(value).tolist()
