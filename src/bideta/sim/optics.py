"""Light on the gel: normals, near-field coloured LEDs (Lambert and specular), the grain of the gel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bideta.sim.design import SensorDesign
from bideta.sim.gel import dome
from bideta.sim.shapes import Array
from bideta.sim.view import View, view_of

SPECULAR_SQUARINGS = 4  # exponent 2**4 = 16: a rubber coat shines broadly
GRAIN_WAVES = 24  # plane waves whose sum is the gel's uneven colour
GRAIN_WAVELENGTHS = (1.5, 14.0)  # mm, of those waves
# Light falls with distance to this power: 2 for a point, 1 for a bar, LEDs behind a diffuser lie in between.
FALLOFF = 1.5


@dataclass(frozen=True)
class LightField:
    """What does not depend on the contact; L lights, P = size² pixels."""

    direction: Array  # (L, 3, P) unit vectors towards each light, scaled by how much light arrives
    halfway: Array  # (L, 3, P) unit vectors between light and camera
    colour: Array  # (3, L)
    ambient: Array  # (3, 1)
    grain: Array  # (3, P), about 1
    slope_x: Array  # (size, size) of the untouched, curved gel
    slope_y: Array


@lru_cache(maxsize=64)
def light_field(sensor: SensorDesign, size: int) -> LightField:
    """Directions and falloff of every light at every pixel of the sensor."""
    view = view_of(sensor, size)
    sag = dome(sensor, view)
    pixels = np.stack([view.x, view.y, -sag]).reshape(3, -1)
    direction, halfway = [], []
    for light in sensor.lights:
        azimuth = np.deg2rad(light.azimuth)
        place = np.array([np.cos(azimuth) * light.distance, np.sin(azimuth) * light.distance, light.height])
        ray = place[:, None] - pixels
        length = np.linalg.norm(ray, axis=0)
        unit = ray / length
        middle = np.linalg.norm(place)
        # Scaled so that the untouched middle of the gel has the light's power.
        direction.append(unit * (middle / length) ** FALLOFF * light.power * middle / light.height)
        between = unit + np.array([[0.0], [0.0], [1.0]])
        halfway.append(between / np.linalg.norm(between, axis=0))
    return LightField(
        direction=np.asarray(direction, np.float32),
        halfway=np.asarray(halfway, np.float32),
        colour=np.array([light.colour for light in sensor.lights], np.float32).T.copy(),
        ambient=np.array(sensor.ambient, np.float32)[:, None],
        grain=_grain(sensor, view),
        slope_x=-view.x / np.float32(sensor.dome_radius),
        slope_y=-view.y / np.float32(sensor.dome_radius),
    )


def _grain(sensor: SensorDesign, view: View) -> Array:
    """Relative colour (3, P) of the untouched gel: one pattern for all channels, and a third of that for each."""
    rng = np.random.default_rng(sensor.texture_seed)
    shared, per_channel = np.zeros(view.x.size), np.zeros((3, view.x.size))
    x, y = (axis.ravel() - np.float32(sensor.skin.shift) for axis in (view.x, view.y))
    for _ in range(GRAIN_WAVES):
        wavelength, angle = rng.uniform(*GRAIN_WAVELENGTHS), rng.uniform(0, 2 * np.pi)
        along = (x * np.cos(angle) + y * np.sin(angle)) * 2 * np.pi / wavelength
        shared += np.sin(along + rng.uniform(0, 2 * np.pi))
        per_channel += np.sin(along + rng.uniform(0, 2 * np.pi, (3, 1)))
    unit = sensor.texture / np.sqrt(GRAIN_WAVES / 2)
    return np.asarray(1 + unit * (shared + per_channel / 3), np.float32)


def shade(indentation: Array, sensor: SensorDesign, size: int) -> Array:
    """Linear light (N, 3, size, size) that leaves the gel towards the camera."""
    view, field = view_of(sensor, size), light_field(sensor, size)
    down, across = slopes(indentation, view.pixel)
    relief = np.float32(sensor.relief)
    nx = -(across + field.slope_x) * relief
    ny = -(down + field.slope_y) * relief
    nz = 1 / np.sqrt(nx * nx + ny * ny + 1)
    nx *= nz
    ny *= nz
    flat = (len(indentation), 1, size * size)
    nx, ny, nz = nx.reshape(flat), ny.reshape(flat), nz.reshape(flat)
    lit = _clipped_dot(nx, ny, nz, field.direction)  # (N, L, P)
    light = field.colour @ lit
    light += field.ambient
    light *= field.grain
    if sensor.specular:
        shine = _clipped_dot(nx, ny, nz, field.halfway)
        for _ in range(SPECULAR_SQUARINGS):
            shine *= shine
        light += (field.colour * np.float32(sensor.specular)) @ shine
    return light.reshape(len(indentation), 3, size, size)


def _clipped_dot(nx: Array, ny: Array, nz: Array, vectors: Array) -> Array:
    """Scalar product of normals (N, 1, P) with vectors (L, 3, P), at least 0, (N, L, P)."""
    product: Array = nx * vectors[:, 0]
    product += ny * vectors[:, 1]
    product += nz * vectors[:, 2]
    np.maximum(product, 0, out=product)
    return product


def slopes(field: Array, pixel: tuple[float, float]) -> tuple[Array, Array]:
    """Central differences of (N, h, w), down and across, per mm; one-sided at the edges."""
    return _slope(field, 1, pixel[1]), _slope(field, 2, pixel[0])


def _slope(field: Array, axis: int, step: float) -> Array:
    slope = np.empty_like(field)
    f, s = np.moveaxis(field, axis, 0), np.moveaxis(slope, axis, 0)
    np.subtract(f[2:], f[:-2], out=s[1:-1])
    np.subtract(f[1], f[0], out=s[0])
    np.subtract(f[-1], f[-2], out=s[-1])
    slope *= np.float32(0.5 / step)
    s[[0, -1]] *= 2
    return slope
