"""Contacts: which object is pressed where, how deep and how tilted; sensor-independent, one row per frame.

During a press the object approaches, slides, turns and lets go, so neighbouring frames are similar.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.sim.shapes import Array, Geometry

# Ends of the phases of a press, as fractions of its duration; the last phase is the release.
APPROACH_END, SLIDE_END, TURN_END = 0.25, 0.6, 0.8
TOUCH_FRACTION = 0.35  # of the full depth: how deep the first and the last frame of a press are
SLIP_MM = 0.8  # the gel follows a sliding object about this far before the object slips


@dataclass(frozen=True)
class Contacts:
    """A batch of N contacts; row i of every array is one frame."""

    geometries: tuple[Geometry, ...]
    object: NDArray[np.int64]  # (N,) index into geometries
    x: Array  # (N,) mm, object centre on the gel
    y: Array  # (N,) mm
    angle: Array  # (N,) degrees, anticlockwise
    depth: Array  # (N,) mm, the object's highest plane under the untouched gel
    tilt_x: Array  # (N,) degrees, rise of the object along x
    tilt_y: Array  # (N,) degrees, rise of the object along y
    shear_x: Array  # (N,) mm, how far the gel is dragged sideways
    shear_y: Array  # (N,) mm
    press: NDArray[np.int64]  # (N,) number of the press that the frame belongs to

    def __len__(self) -> int:
        return len(self.object)

    def __getitem__(self, rows: slice | NDArray[np.int64] | NDArray[np.bool_]) -> Contacts:
        """The chosen frames, as a batch."""
        arrays = {name: getattr(self, name)[rows] for name in self._names()}
        return replace(self, **arrays)

    def columns(self) -> list[NDArray[np.generic]]:
        """All arrays, in a fixed order."""
        return [getattr(self, name) for name in self._names()]

    def previous(self) -> NDArray[np.int64]:
        """Row of the frame before it in the same press; of itself for the first frame of a press."""
        rows = np.arange(len(self))
        before = np.maximum(rows - 1, 0)
        return np.where(self.press[before] == self.press, before, rows)

    def _names(self) -> list[str]:
        return [field.name for field in fields(self) if field.name != "geometries"]

    @property
    def trajectory(self) -> NDArray[np.int64]:
        """The earlier name of ``press``; it goes with the next release."""
        warnings.warn("Contacts.trajectory is called Contacts.press now", DeprecationWarning, stacklevel=2)
        return self.press


@dataclass(frozen=True)
class PressRange:
    """What presses are drawn from; every range is uniform."""

    offset_mm: float = 2.5  # centre within ± this, both axes
    angle_deg: float = 180.0  # within ±
    depth_mm: tuple[float, float] = (0.5, 1.2)  # deepest point of a press
    tilt_deg: float = 4.0  # within ±, both axes
    slide_mm: float = 1.5  # length of the slide, at most
    turn_deg: float = 20.0  # turn during the press, within ±


def presses(
    geometries: Sequence[Geometry],
    objects: ArrayLike,
    rng: np.random.Generator,
    *,
    frames: int = 20,
    ranges: PressRange | None = None,
    first_press: int = 0,
) -> Contacts:
    """One press of ``frames`` frames per entry of ``objects`` (indices into ``geometries``), in order.

    ``frames=1`` gives independent contacts: one frame at a random moment of its own press.
    """
    if frames < 1:
        raise ValueError(f"frames is {frames}; a press has at least one frame")
    ranges = ranges or PressRange()
    chosen = np.asarray(objects, dtype=np.int64)
    k = len(chosen)

    def within(limit: float) -> NDArray[np.float64]:
        return rng.uniform(-limit, limit, (k, 1))

    x, y, angle = within(ranges.offset_mm), within(ranges.offset_mm), within(ranges.angle_deg)
    tilt_x, tilt_y = within(ranges.tilt_deg), within(ranges.tilt_deg)
    peak = rng.uniform(*ranges.depth_mm, (k, 1))
    slide, heading = rng.uniform(0, ranges.slide_mm, (k, 1)), rng.uniform(0, 2 * np.pi, (k, 1))
    turn = within(ranges.turn_deg)
    # Frames fall evenly over the press, each a little early or late.
    moment = (np.arange(frames) + rng.uniform(0, 1, (k, frames))) / frames  # (k, frames) in 0..1

    pressed = _ramp(moment, 0, APPROACH_END) * (1 - _ramp(moment, TURN_END, 1))
    travelled = slide * (_ramp(moment, APPROACH_END, SLIDE_END) - 0.5)
    turned = turn * (_ramp(moment, SLIDE_END, TURN_END) - 0.5)
    drag = SLIP_MM * np.tanh((travelled + slide / 2) / SLIP_MM) * pressed
    columns = {
        "x": x + travelled * np.cos(heading),
        "y": y + travelled * np.sin(heading),
        "angle": angle + turned,
        "depth": peak * (TOUCH_FRACTION + (1 - TOUCH_FRACTION) * pressed),
        "tilt_x": tilt_x,
        "tilt_y": tilt_y,
        "shear_x": drag * np.cos(heading),
        "shear_y": drag * np.sin(heading),
    }
    shape = (k, frames)
    return Contacts(
        geometries=tuple(geometries),
        object=np.repeat(chosen, frames),
        press=np.repeat(np.arange(k, dtype=np.int64) + first_press, frames),
        **{name: np.broadcast_to(v, shape).reshape(-1).astype(np.float32) for name, v in columns.items()},
    )


def _ramp(t: NDArray[np.float64], start: float, end: float) -> NDArray[np.float64]:
    """0 before ``start``, 1 after ``end``, smooth in between."""
    s = np.clip((t - start) / (end - start), 0, 1)
    return s * s * (3 - 2 * s)
