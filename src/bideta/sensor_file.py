"""An adapted sensor on disk: what ``Sensor`` holds, as named arrays and a JSON header in one file (``artifact``)."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import artifact
from bideta.checks import check_alpha, check_settings, object_array
from bideta.extensions.class_prior import Rule
from bideta.extensions.presses import press_numbers
from bideta.extensions.settings import SensorSettings
from bideta.method.memory import Memory
from bideta.method.readout import AdaptedReadout, Standardizer
from bideta.method.spectrum import WithinClass
from bideta.sensor import Sensor

ARRAYS = ("mean", "scale", "values", "vectors", "coefficients", "intercepts")  # of a readout
FACTS = ("rest", "mean_variance", "intensity")  # numbers of its covariance


def save(sensor: Sensor, path: str | os.PathLike[str]) -> None:
    """Write the sensor to one file (safetensors with a JSON header; no pickle), whole or not at all."""
    header = {
        "parameters": {
            part.name: _plain(getattr(sensor.settings, part.name)) for part in fields(SensorSettings)
        },
        "classes": [_to_json(name) for name in sensor.classes.tolist()],
        "classes_dtype": str(sensor.classes.dtype),
        "n_features_in": sum(sensor.widths),
        "origin": dict(sensor.origin),
        "readouts": [
            {name: getattr(readout.covariance, name) for name in FACTS} for readout in sensor.readouts
        ],
    }
    if sensor.rule is not None:
        header["temperature"] = sensor.rule.temperature
    arrays: dict[str, NDArray[Any]] = {"support_labels": sensor.labels.astype(np.int64)}
    if sensor.prior is not None:
        arrays["prior"] = sensor.prior
    if len(np.unique(sensor.presses)) < len(sensor.presses):
        arrays["support_groups"] = sensor.presses.astype(np.int64)
    for v, (readout, H) in enumerate(zip(sensor.readouts, sensor.support, strict=True), 1):
        arrays[f"support{v}"] = H
        for name, array in _arrays(readout).items():
            arrays[f"readout{v}.{name}"] = array
    artifact.write(path, header, arrays)


def load(path: str | os.PathLike[str]) -> Sensor:
    """The sensor that ``save`` wrote; same answers."""
    header, arrays = artifact.read(path)
    if "support_labels" not in arrays:
        raise artifact.ArtifactError(
            f"{path} does not hold its labelled contacts: an earlier bideta wrote it; adapt and save again"
        )
    try:
        return _sensor(header, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise artifact.ArtifactError(f"{path} was written by an incompatible bideta ({error})") from error


def _sensor(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Sensor:
    settings = SensorSettings(**header["parameters"])
    check_settings(settings)
    labels = arrays["support_labels"].astype(np.intp)
    V = len(header["readouts"])
    sensor = Sensor(
        settings,
        _classes(header["classes"], header["classes_dtype"]),
        tuple(arrays[f"support{v}"] for v in range(1, V + 1)),
        labels,
        press_numbers(arrays.get("support_groups"), len(labels)),
        tuple(_readout(v, facts, arrays, settings) for v, facts in enumerate(header["readouts"], 1)),
        arrays.get("prior"),
        None,
        None,
        dict(header["origin"]),
    )
    _check_shapes(sensor, int(header["n_features_in"]))
    if "temperature" in header:  # the rest of the rule follows from the labelled contacts
        rule = Rule(np.bincount(labels), header["temperature"], str(settings.prior))
        sensor = replace(sensor, rule=rule)
    return sensor.with_readouts(sensor.readouts)  # which makes the nodes of the graph


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


def _check_shapes(sensor: Sensor, n_features: int) -> None:
    """Raise unless the arrays of a file fit together."""
    C, widths = len(sensor.classes), sensor.widths
    for readout, H in zip(sensor.readouts, sensor.support, strict=True):
        d, r = readout.covariance.vectors.shape
        shapes = {name: array.shape for name, array in _arrays(readout).items()}
        if tuple(shapes.values()) != ((d,), (d,), (r,), (d, r), (C, d), (C,)):
            raise ValueError(f"arrays do not fit together: {shapes}")
        if H.shape != (len(sensor.labels), d):
            raise ValueError(f"labelled contacts of shape {H.shape} for {d} features")
    if not widths or sum(widths) != n_features:
        raise ValueError(f"{len(widths)} readouts of {sum(widths)} features, {n_features} declared")
    if set(sensor.labels.tolist()) != set(range(C)):
        raise ValueError(f"labelled contacts do not show each of {C} classes")
    if sensor.prior is not None and sensor.prior.shape != (C,):
        raise ValueError(f"a prior of shape {sensor.prior.shape} for {C} classes")
    check_alpha(sensor.settings.alpha, len(widths))


def _classes(values: list[Any], dtype: str) -> NDArray[Any]:
    if dtype == "object":
        return object_array([_from_json(value) for value in values])
    return np.array(values, dtype=np.dtype(dtype))


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


def _from_json(value: Any) -> Any:
    return tuple(_from_json(part) for part in value["tuple"]) if isinstance(value, dict) else value


def _plain(value: Any) -> Any:
    """A numpy number or an array of numbers (``prior``, ``alpha``) as JSON can hold it."""
    return value if value is None or isinstance(value, str) else np.asarray(value).tolist()
