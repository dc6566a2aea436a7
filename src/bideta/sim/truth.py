"""What is true of simulated contacts: depth, tilt, position, force with units, and slip between two frames.

The force is that of an elastic foundation (Winkler): under the object the gel is a bed of springs that do not know of
each other, each pressed by u millimetres into a gel of thickness h, so that F = E/h ∫ u dA. It grows with depth and
area as a real one does; friction, the gel's flow and its time dependence are left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.sim.design import SensorDesign
from bideta.sim.gel import overlap_of
from bideta.sim.pressing import Contacts
from bideta.sim.view import view_of

MODULUS = 0.2  # N/mm², of a soft silicone
GRID = 48  # pixels a side on which the force is integrated
CHUNK = 256  # contacts worked on at once
SLIP_MM = 0.1  # that the object moves over the gel between two frames: less is called sticking


def quantities(contacts: Contacts, sensor: SensorDesign) -> dict[str, NDArray[np.float64]]:
    """Column → (N,) numbers: ``depth_mm``, ``tilt_x_deg``, ``tilt_y_deg``, ``x_mm``, ``y_mm``, ``force_z_N``."""
    columns = {
        "depth_mm": contacts.depth,
        "tilt_x_deg": contacts.tilt_x,
        "tilt_y_deg": contacts.tilt_y,
        "x_mm": contacts.x,
        "y_mm": contacts.y,
    }
    return {name: column.astype(np.float64) for name, column in columns.items()} | {
        "force_z_N": normal_force(contacts, sensor)
    }


def normal_force(contacts: Contacts, sensor: SensorDesign) -> NDArray[np.float64]:
    """(N,) newtons that press the object into the gel."""
    view = view_of(sensor, GRID)
    area = view.pixel[0] * view.pixel[1]
    force = np.empty(len(contacts))
    for start in range(0, len(contacts), CHUNK):
        rows = slice(start, start + CHUNK)
        pressed = np.maximum(overlap_of(contacts[rows], sensor, view), 0).sum(axis=(1, 2), dtype=np.float64)
        force[rows] = pressed * area * MODULUS / sensor.gel_thickness
    return force


def earlier(contacts: Contacts, k: int) -> NDArray[np.int64]:
    """(N,) row of the frame ``k`` before it in the same press; its own row where the press is younger."""
    rows = np.arange(len(contacts))
    before = np.maximum(rows - k, 0)
    there = (rows >= k) & (contacts.press[before] == contacts.press)
    return np.where(there, before, rows)


def slipped(contacts: Contacts, before: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(N,) whether the object moved over the gel since the frame ``before``, and not only with it."""
    moved = [
        getattr(contacts, place)
        - getattr(contacts, place)[before]
        - (getattr(contacts, drag) - getattr(contacts, drag)[before])
        for place, drag in (("x", "shear_x"), ("y", "shear_y"))
    ]
    return np.hypot(*moved) > SLIP_MM
