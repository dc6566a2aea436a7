"""Object geometry as analytic height fields: outlines with a profile, joined or carved, in millimetres.

Coordinates are in the frame of the object, in mm. Its highest plane is height 0 and everything else lies
below it, down to ``FLOOR``. A field can be evaluated on any grid, so every sensor samples the same object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

FLOOR = np.float32(-4.0)  # mm; deeper than any press, so that what lies there never touches the gel
WALL_SLOPE = 2.5  # mm per mm; steep sides that a 64-pixel grid can still sample


def _disc(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Disc of radius a."""
    return np.sqrt(u * u + v * v) - np.float32(a)


def _ellipse(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Ellipse with half-axes a and b; the distance is exact on the outline only."""
    p, q = u * np.float32(1 / a), v * np.float32(1 / b)
    return (np.sqrt(p * p + q * q) - np.float32(1)) * np.float32(min(a, b))


def _box(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Rectangle with half-sides a and b, corners rounded by c."""
    p, q = np.abs(u) - np.float32(a - c), np.abs(v) - np.float32(b - c)
    inside = np.minimum(np.maximum(p, q), 0)
    p, q = np.maximum(p, 0), np.maximum(q, 0)
    return np.sqrt(p * p + q * q) + inside - np.float32(c)


def _ring(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Ring of middle radius a and half-width b."""
    return np.abs(_disc(u, v, a, 0, 0)) - np.float32(b)


def _frame(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Stadium-shaped wire loop with half-sides a and b and half-width c."""
    return np.abs(_box(u, v, a, b, min(a, b))) - np.float32(c)


def _polygon(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Regular polygon with b sides and inscribed radius a, one side facing +u; straight walls."""
    directions = np.arange(round(b)) * (2 * np.pi / round(b))
    d = np.full_like(u, -np.inf)
    for angle in directions:
        np.maximum(d, u * np.float32(np.cos(angle)) + v * np.float32(np.sin(angle)), out=d)
    return d - np.float32(a)


def _star(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Rounded star or gear: radius a, b lobes of amplitude c."""
    lobes: Array = np.cos(np.float32(round(b)) * np.arctan2(v, u))
    return _disc(u, v, a, 0, 0) - np.float32(c) * lobes


def _moon(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Crescent: disc of radius a without the disc of radius b whose centre lies c along +u."""
    return np.maximum(_disc(u, v, a, 0, 0), -_disc(u - np.float32(c), v, b, 0, 0))


def _half(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Half plane u < a."""
    return u - np.float32(a)


def fold(u: Array, period: float) -> Array:
    """Signed distance to the nearest multiple of the period."""
    nearest: Array = np.rint(u * np.float32(1 / period))
    return u - np.float32(period) * nearest


def _stripes(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Endless straight stripes along v: period a, half-width b."""
    return np.abs(fold(u, a)) - np.float32(b)


def _dots(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Endless square lattice of discs: period a, radius b."""
    return _disc(fold(u, a), fold(v, a), b, 0, 0)


def _wave(u: Array, v: Array, a: float, b: float, c: float) -> Array:
    """Wavy stripes along u: distance a between stripes, half-width b, amplitude c, wavelength 2.5 a."""
    shifted = v - np.float32(c) * np.sin(u * np.float32(2 * np.pi / (2.5 * a)))
    return np.abs(fold(shifted, a)) - np.float32(b)


Outline = Callable[[Array, Array, float, float, float], Array]
Reach = Callable[[float, float, float], float]

# kind → (signed distance in mm, negative inside; how far the middle lies from the outline, in mm)
OUTLINES: dict[str, tuple[Outline, Reach]] = {
    "disc": (_disc, lambda a, b, c: a),
    "ellipse": (_ellipse, lambda a, b, c: min(a, b)),
    "box": (_box, lambda a, b, c: min(a, b)),
    "ring": (_ring, lambda a, b, c: b),
    "frame": (_frame, lambda a, b, c: c),
    "polygon": (_polygon, lambda a, b, c: a),
    "star": (_star, lambda a, b, c: a),
    "moon": (_moon, lambda a, b, c: (a - b + c) / 2),
    "half": (_half, lambda a, b, c: 6.0),
    "stripes": (_stripes, lambda a, b, c: b),
    "dots": (_dots, lambda a, b, c: b),
    "wave": (_wave, lambda a, b, c: b),
}


@dataclass(frozen=True)
class Part:
    """One outline with a height: joined to the parts before it, or carved out of them."""

    kind: str  # key of OUTLINES
    a: float  # mm; what a, b and c mean is said at the outline
    b: float = 0.0  # mm (polygon, star: a count)
    c: float = 0.0  # mm
    x: float = 0.0  # mm, centre
    y: float = 0.0  # mm, centre
    angle: float = 0.0  # degrees
    top: float = 0.0  # mm, at most 0: the middle of the part under the object's highest plane
    crown: float = 0.0  # mm: how far the rim lies under the middle; 0 is a flat top
    slope: float = WALL_SLOPE  # mm per mm, of the sides
    carve: bool = False  # True: a hole with its floor at ``top``


@dataclass(frozen=True)
class Geometry:
    """A named object; ``parts`` are applied in order."""

    name: str
    parts: tuple[Part, ...]

    def height(self, u: Array, v: Array) -> Array:
        """Height in mm (at most 0, at least FLOOR) at object coordinates u, v in mm, float32, any shape."""
        h = np.full_like(u, FLOOR)
        for part in self.parts:
            outline, reach = OUTLINES[part.kind]
            d = outline(*_into(part, u, v), part.a, part.b, part.c)
            wall = np.maximum(d, 0) * np.float32(part.slope)
            if part.carve:
                np.minimum(h, wall + np.float32(part.top), out=h)
                continue
            profile = np.float32(part.top) - wall
            if part.crown:
                # Round towards the rim: 0 in the middle, −crown on the outline, as a cap of a parabola.
                rim = np.clip(d * np.float32(1 / reach(part.a, part.b, part.c)) + np.float32(1), 0, 1)
                profile -= np.float32(part.crown) * rim * rim
            np.maximum(h, profile, out=h)
        return np.maximum(h, FLOOR, out=h)


def _into(part: Part, u: Array, v: Array) -> tuple[Array, Array]:
    """Object coordinates seen from the frame of the part."""
    if part.x or part.y:
        u, v = u - np.float32(part.x), v - np.float32(part.y)
    if not part.angle:
        return u, v
    angle = np.deg2rad(part.angle)
    cos, sin = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    return u * cos + v * sin, v * cos - u * sin
