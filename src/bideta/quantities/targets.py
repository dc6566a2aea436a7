"""What is measured: a name, a unit, and for angles the period after which they begin again.

A column ``tilt_x_deg`` is the quantity *tilt_x* in *deg*. An angle of period p becomes the point (cos, sin) of
2π·angle/p: two columns that know that 359° and 1° are neighbours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bideta.method import Floats64


@dataclass(frozen=True)
class Target:
    """One quantity."""

    name: str  # "depth"
    unit: str = ""  # "mm"; empty where none is given
    period: float | None = None  # of an angle, in its unit; None: an ordinary number
    signed: bool = False  # an angle's answers lie in −period/2 … period/2, not in 0 … period

    @property
    def column(self) -> str:
        """Name and unit as the header of a table has them.

        >>> Target("depth", "mm").column, Target("texture").column
        ('depth_mm', 'texture')
        """
        return f"{self.name}_{self.unit}" if self.unit else self.name


def parse_column(column: str, period: float | None = None) -> Target:
    """The quantity of a column ``name_unit``; a column without an underscore has no unit.

    >>> parse_column("tilt_x_deg")
    Target(name='tilt_x', unit='deg', period=None, signed=False)
    """
    name, underscore, unit = column.rpartition("_")
    return Target(name, unit, period) if underscore and name and unit else Target(column, "", period)


def wrap(difference: Floats64, target: Target) -> Floats64:
    """Differences of a quantity; of angles, the short way round.

    >>> wrap(np.array([359.0, -190.0]), Target("turn", "deg", 360.0)).tolist()
    [-1.0, 170.0]
    """
    if target.period is None:
        return difference
    p = target.period
    return (difference + p / 2) % p - p / 2


def to_columns(y: Floats64, target: Target) -> Floats64:
    """(n, 1) the numbers themselves, or (n, 2) the points on the circle."""
    if target.period is None:
        return y[:, None]
    turn = y * (2 * math.pi / target.period)
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


def from_columns(mean: Floats64, variance: Floats64, target: Target) -> tuple[Floats64, Floats64]:
    """(m,) values and their standard deviations from the mean and variance of the columns, both (m, 1 or 2).

    A point near the middle of the circle says little about its angle: its deviation grows as 1/length, up to half a
    period.
    """
    if target.period is None:
        return mean[:, 0], np.sqrt(variance[:, 0])
    p = target.period
    length = np.hypot(mean[:, 0], mean[:, 1])
    cos, sin = (
        np.divide(mean[:, k], length, out=np.full(len(mean), 1.0 - k), where=length > 0) for k in (0, 1)
    )
    across = np.sqrt(variance[:, 0] * sin**2 + variance[:, 1] * cos**2)  # along the circle
    half = np.full(len(mean), p / 2)
    spread = np.divide(across * p / (2 * math.pi), length, out=half, where=length > 0)
    angle = np.arctan2(sin, cos) * p / (2 * math.pi)
    return (angle if target.signed else angle % p), np.minimum(spread, p / 2)
