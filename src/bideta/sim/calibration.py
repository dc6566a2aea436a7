"""Calibration contacts as SITR records them: untouched, then a ball and a cube's corner on a 3 × 3 grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bideta.sim.design import SensorDesign
from bideta.sim.gel import dome
from bideta.sim.objects import BALL, CORNER
from bideta.sim.pressing import Contacts, PressRange, presses
from bideta.sim.view import view_of

GRID = (0.2, 0.5, 0.8)  # of the picture's width and height
CALIBRATION_DEPTH = 1.0  # mm
UNTOUCHED_DEPTH = -50.0  # mm: the object is so far away that no skin shows it
FINE = 128  # pixels of the grid on which positions are looked up
_STILL = PressRange(0, 0, (CALIBRATION_DEPTH, CALIBRATION_DEPTH), 0, 0, 0)  # no slide, no turn, no tilt


def calibration_contacts(sensor: SensorDesign) -> Contacts:
    """19 contacts: none; the ball on nine places, row by row from the picture's top left; the corner there."""
    frozen = presses(
        (BALL, CORNER), [0] + [0] * 9 + [1] * 9, np.random.default_rng(0), frames=1, ranges=_STILL
    )
    view = view_of(sensor, FINE)
    steps = (np.array(GRID) * FINE).astype(int)
    rows, columns = steps.repeat(3), np.tile(steps, 3)
    x, y = (np.concatenate([[0], gel[rows, columns], gel[rows, columns]]) for gel in (view.gel_x, view.gel_y))
    # A hand presses until it feels the gel: the depth counts from the curved surface under the tool.
    sag = dome(sensor, view)[rows, columns]
    depth = np.concatenate([[UNTOUCHED_DEPTH], CALIBRATION_DEPTH + sag, CALIBRATION_DEPTH + sag])
    x, y, depth = (column.astype(np.float32) for column in (x, y, depth))
    return replace(frozen, x=x, y=y, depth=depth)


def untouched(count: int = 1) -> Contacts:
    """``count`` frames of a sensor that nothing touches."""
    frozen = presses((BALL,), np.zeros(count, np.int64), np.random.default_rng(0), frames=1, ranges=_STILL)
    return replace(frozen, depth=np.full(count, UNTOUCHED_DEPTH, np.float32))
