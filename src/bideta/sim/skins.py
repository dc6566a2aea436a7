"""What moves with the gel: printed markers, pins, two-layer grids; and what is seen through a clear skin.

Patterns are drawn at twice the picture's resolution with soft edges, so that a movement of a tenth of a pixel
shows in the grey levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from bideta.sim.design import SensorDesign
from bideta.sim.gel import Surface, blur, enlarge, shrink
from bideta.sim.optics import slopes
from bideta.sim.pressing import Contacts
from bideta.sim.shapes import Array, fold
from bideta.sim.view import to_picture, view_of

SUPERSAMPLING = 2  # of the pattern, each way
CANDIDATES = 3  # dots that may cover a pixel: enough for a hexagonal cell's corner
SWING_LIMIT = 0.6  # of the pitch: neighbouring dots push each other
FOLLOW_MM = 0.25  # indentation at which half of the sideways drag reaches the skin
DEEP_FOLLOW = 0.35  # how much of the surface's movement the deeper of two grid layers makes
DEEP_SHADE = 0.5  # opacity of the deeper layer, relative to the upper one
OBJECT_COLOUR = (0.62, 0.60, 0.56)  # linear; a grey print seen through a clear skin


def draw_skin(light: Array, surface: Surface, contacts: Contacts, sensor: SensorDesign) -> Array:
    """Linear light (N, 3, size, size) with the skin's pattern and what is seen through it."""
    skin = sensor.skin
    if skin.see_through:
        light = _see_through(light, surface, sensor)
    if skin.kind == "plain":
        return light
    cover = {"markers": _dots, "pins": _dots, "grid": _grid}[skin.kind](surface.indentation, contacts, sensor)
    cover = (cover * np.float32(skin.opacity))[:, None]
    return light + (np.array(skin.colour, np.float32)[:, None, None] - light) * cover


def _see_through(light: Array, surface: Surface, sensor: SensorDesign) -> Array:
    """The object behind a clear skin, fading with its distance; steep sides look dark."""
    down, across = slopes(surface.clearance, view_of(sensor, light.shape[-1]).pixel)
    facing = 1 / (1 + down * down + across * across)
    faded = np.exp(surface.clearance * np.float32(-1.1 / sensor.skin.fog))
    seen = faded * np.float32(sensor.skin.see_through)
    coloured = np.array(OBJECT_COLOUR, np.float32)[:, None, None] * facing[:, None].astype(np.float32)
    return light + (coloured - light) * seen[:, None]


def _movement(indentation: Array, contacts: Contacts, sensor: SensorDesign) -> tuple[Array, Array, Array]:
    """Movement of the skin along x and y of the picture, and its smooth indentation, in mm, (N, size/2, size/2).

    It spreads away from what bulges and is dragged along by a sliding object.
    """
    skin, view = sensor.skin, view_of(sensor, indentation.shape[-1])
    pixel = (2 * view.pixel[0], 2 * view.pixel[1])
    # A dot stands on a patch of skin, not on a point: it feels the slope over a third of the pitch.
    smooth = blur(shrink(indentation), skin.pitch / 3 / pixel[1], skin.pitch / 3 / pixel[0])
    down, across = slopes(smooth, pixel)
    follow = smooth / (smooth + np.float32(FOLLOW_MM))
    shear_x, shear_y = to_picture(sensor, contacts.shear_x, contacts.shear_y)
    limit = np.float32(SWING_LIMIT * skin.pitch)
    lever = np.float32(skin.lever)
    x, y = (
        limit * np.tanh((shear[:, None, None] * follow - lever * slope) / limit)
        for shear, slope in ((shear_x, across), (shear_y, down))
    )
    return x, y, smooth


@dataclass(frozen=True)
class _Lattice:
    """Dots at rest, and for each supersampled pixel the dots that may cover it."""

    cell: NDArray[np.intp]  # (dots,) flat index of the half-resolution pixel under each dot
    nearest: NDArray[np.intp]  # (CANDIDATES, pixels)
    from_x: Array  # (CANDIDATES, pixels) mm from the dot at rest to the pixel
    from_y: Array


@lru_cache(maxsize=32)
def _lattice(sensor: SensorDesign, size: int) -> _Lattice:
    """The lattice of a sensor's dots, a little larger than the picture."""
    skin, fine, half = sensor.skin, view_of(sensor, size * SUPERSAMPLING), view_of(sensor, size // 2)
    reach = 1.2 * max(float(np.abs(fine.x).max()), float(np.abs(fine.y).max()))
    row = skin.pitch * (np.sqrt(0.75) if skin.hexagonal else 1.0)
    j, i = (a.ravel() for a in np.mgrid[-int(reach / row) - 1 : int(reach / row) + 2, -60:61])
    x, y = (i + (j % 2) / 2 * skin.hexagonal) * skin.pitch + skin.shift, j * row + skin.shift
    inside = (np.abs(x) < reach) & (np.abs(y) < reach)
    x, y = x[inside], y[inside]
    pixels = np.column_stack([fine.x.ravel(), fine.y.ravel()])
    nearest = cKDTree(np.column_stack([x, y])).query(pixels, k=CANDIDATES)[1].T
    cell = cKDTree(np.column_stack([half.x.ravel(), half.y.ravel()])).query(np.column_stack([x, y]))[1]
    return _Lattice(
        cell=np.asarray(cell, np.intp),
        nearest=np.ascontiguousarray(nearest),
        from_x=(pixels[:, 0] - x[nearest]).astype(np.float32),
        from_y=(pixels[:, 1] - y[nearest]).astype(np.float32),
    )


def _dots(indentation: Array, contacts: Contacts, sensor: SensorDesign) -> Array:
    """How much of each pixel the displaced dots cover, (N, size, size) in 0..1; every dot stays round."""
    n, size = len(indentation), indentation.shape[-1]
    lattice, moved = _lattice(sensor, size), _movement(indentation, contacts, sensor)
    ux, uy, deep = (field.reshape(n, -1)[:, lattice.cell] for field in moved)
    radius = np.float32(sensor.skin.radius) * (1 + np.float32(sensor.skin.growth) * deep)
    edge = np.float32(1 / max(view_of(sensor, size * SUPERSAMPLING).pixel))
    cover = np.zeros((n, lattice.nearest.shape[1]), np.float32)
    for nearest, from_x, from_y in zip(lattice.nearest, lattice.from_x, lattice.from_y, strict=True):
        dx, dy = from_x - ux[:, nearest], from_y - uy[:, nearest]
        inside = (radius[:, nearest] - np.sqrt(dx * dx + dy * dy)) * edge + np.float32(0.5)
        np.maximum(cover, inside, out=cover)
    np.minimum(cover, 1, out=cover)
    return shrink(cover.reshape(n, size * SUPERSAMPLING, size * SUPERSAMPLING))


def _grid(indentation: Array, contacts: Contacts, sensor: SensorDesign) -> Array:
    """How much of each pixel two layers of displaced lines cover, (N, size, size) in 0..1."""
    n, size = len(indentation), indentation.shape[-1]
    fine = view_of(sensor, size * SUPERSAMPLING)
    ux, uy, deep = (
        enlarge(enlarge(field, (n, size, size)), (n, size * SUPERSAMPLING, size * SUPERSAMPLING))
        for field in _movement(indentation, contacts, sensor)
    )
    pitch = sensor.skin.pitch
    radius = np.float32(sensor.skin.radius) * (1 + np.float32(sensor.skin.growth) * deep)
    edge = np.float32(1 / max(fine.pixel))

    def layer(follow: float, shift: float) -> Array:
        shift -= sensor.skin.shift
        across = np.abs(fold(fine.x - ux * np.float32(follow) + np.float32(shift), pitch))
        down = np.abs(fold(fine.y - uy * np.float32(follow) + np.float32(shift), pitch))
        inside: Array = (radius - np.minimum(across, down)) * edge + np.float32(0.5)
        return np.clip(inside, 0, 1)

    upper, deeper = layer(1.0, 0.0), layer(DEEP_FOLLOW, pitch / 2)
    return shrink(np.maximum(upper, deeper * np.float32(DEEP_SHADE)))
