"""Contacts and a sensor in, pictures out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bideta.sim.ageing import Wear, aged, worn
from bideta.sim.camera import expose
from bideta.sim.design import SensorDesign
from bideta.sim.gel import press
from bideta.sim.optics import shade
from bideta.sim.pressing import Contacts
from bideta.sim.sensors import find_sensor
from bideta.sim.shapes import Array
from bideta.sim.skins import draw_skin
from bideta.sim.view import view_of

MIN_SIZE = 8  # px
CHUNK_PIXELS = 65_536  # pixels worked on at once: the intermediate arrays stay in the processor's cache


@dataclass(frozen=True)
class Conditions:
    """How a recording differs from the design's ideal."""

    noise: float = 1.0  # factor on the noise of the sensor's design; 0 is a perfect camera
    drift: float = 0.0  # relative standard deviation of each colour's brightness between presses
    wear: Wear | None = None  # None: as new


def render(
    contacts: Contacts,
    sensor: SensorDesign | str,
    *,
    size: int = 64,
    seed: int | np.random.Generator = 0,
    conditions: Conditions | None = None,
) -> NDArray[np.uint8]:
    """Pictures (N, size, size, 3) uint8 RGB of the contacts as this sensor sees them.

    ``size`` is even. The same contacts, sensor, size and seed give the same pixels; the same contacts on two
    sensors are a pair. The noise is drawn in the order of the frames.
    """
    check_size(size)
    design = find_sensor(sensor) if isinstance(sensor, str) else sensor
    conditions = conditions or Conditions()
    wear = conditions.wear
    design = design if wear is None else aged(design, wear)
    rng = np.random.default_rng(seed)
    gain = _drift(contacts, conditions, rng)
    pictures = np.empty((len(contacts), size, size, 3), np.uint8)
    step = max(1, CHUNK_PIXELS // (size * size))
    level = np.float32(design.noise * conditions.noise)
    for start in range(0, len(contacts), step):
        rows = slice(start, start + step)
        batch = contacts[rows]
        light = light_of(batch, design, size)
        light = light if wear is None else worn(light, design, wear)
        noise = rng.standard_normal(light.shape, np.float32) * level if level else None
        pictures[rows] = expose(light, design, gain[rows], noise)
    return pictures


def check_size(size: int) -> None:
    """Refuse a picture size that the half-resolution steps of gel and skin cannot work with."""
    if size < MIN_SIZE or size % 2:
        raise ValueError(f"size is {size}; expected an even number of pixels, at least {MIN_SIZE}")


def light_of(contacts: Contacts, sensor: SensorDesign, size: int) -> Array:
    """Linear light (N, 3, size, size) before the camera."""
    surface = press(contacts, sensor, view_of(sensor, size))
    return draw_skin(shade(surface.indentation, sensor, size), surface, contacts, sensor)


def _drift(contacts: Contacts, conditions: Conditions, rng: np.random.Generator) -> Array:
    """Brightness factor (N, 3) of each frame's colours, the same within a press."""
    numbers, member = np.unique(contacts.press, return_inverse=True)
    factor = np.exp(rng.normal(0, conditions.drift, (len(numbers), 3))) if conditions.drift else None
    return np.ones((len(contacts), 3), np.float32) if factor is None else factor[member].astype(np.float32)
