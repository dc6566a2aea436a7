"""Random geometry for pretraining: clutter of outlines that is never one of the evaluation objects."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bideta.sim.pressing import Contacts, PressRange, presses
from bideta.sim.shapes import Geometry, Part

SPREAD_MM = 4.5  # parts lie this far from the middle at most, so that a press shows several at once
MIN_PARTS, MAX_PARTS = 2, 5  # at least two: a single disc or ring would be an evaluation shape


def random_geometry(rng: np.random.Generator) -> Geometry:
    """A new object of two to five joined parts and up to two carvings, drawn from ``rng``."""
    count = int(rng.integers(MIN_PARTS, MAX_PARTS + 1))
    # Parts of unequal height: some are reached only by a deep press.
    parts = [_part(rng, top=0.0 if i == 0 else -float(rng.uniform(0, 0.7))) for i in range(count)]
    parts += [_carving(rng) for _ in range(int(rng.integers(0, 3)))]
    return Geometry("random", tuple(parts))


def random_presses(
    rng: np.random.Generator, count: int, *, frames: int = 20, ranges: PressRange | None = None
) -> Contacts:
    """``count`` presses, each of a new random object; press i is of object i."""
    geometries = [random_geometry(rng) for _ in range(count)]
    return presses(geometries, np.arange(count), rng, frames=frames, ranges=ranges)


def _placed(part: Part, rng: np.random.Generator) -> Part:
    """The part with a random centre and angle."""
    x, y = rng.uniform(-SPREAD_MM, SPREAD_MM, 2)
    return replace(part, x=float(x), y=float(y), angle=float(rng.uniform(-180, 180)))


def _part(rng: np.random.Generator, top: float) -> Part:
    """One outline, sizes from half a millimetre to the width of a finger tip."""
    kind = str(rng.choice(["disc", "ellipse", "box", "box", "ring", "frame", "polygon", "star", "moon"]))
    big, small = float(rng.uniform(1.2, 5.0)), float(rng.uniform(0.4, 1.6))
    crown = float(rng.uniform(0.1, 1.2)) if rng.random() < 0.5 else 0.0
    sizes: dict[str, tuple[float, float, float]] = {
        "disc": (0.8 * big, 0, 0),
        "ellipse": (big, small + 0.4, 0),
        "box": (big, small, min(small, 0.3)),
        "ring": (0.8 * big + 0.6, 0.5 * small + 0.2, 0),
        "frame": (big + 0.8, small + 0.8, 0.3 + 0.2 * small),
        "polygon": (0.7 * big, float(rng.integers(3, 8)), 0),
        "star": (0.8 * big, float(rng.integers(3, 10)), 0.25 * big),
        "moon": (big, 0.85 * big, 0.5 * big),
    }
    a, b, c = sizes[kind]
    return _placed(Part(kind, a, b, c, top=top, crown=crown), rng)


def _carving(rng: np.random.Generator) -> Part:
    """A hole, slot, groove or texture cut into what is there."""
    kind = str(rng.choice(["disc", "box", "ring", "stripes", "dots", "wave", "half"]))
    # Half of the object may be lowered, but never out of reach of a press.
    floor = -float(rng.uniform(0.2, 0.6) if kind == "half" else rng.uniform(0.4, 1.6))
    small = float(rng.uniform(0.35, 1.2))
    period = float(rng.uniform(1.6, 4.5))
    sizes: dict[str, tuple[float, float, float]] = {
        "disc": (small + 0.3, 0, 0),
        "box": (5.0 * small, small, 0),
        "ring": (2.0 + small, 0.5 * small, 0),
        "stripes": (period, 0.25 * period, 0),
        "dots": (period, 0.3 * period, 0),
        "wave": (period, 0.25 * period, 0.2 * period),
        "half": (-float(rng.uniform(0, 3.0)), 0, 0),
    }
    a, b, c = sizes[kind]
    return _placed(Part(kind, a, b, c, top=floor, carve=True), rng)
