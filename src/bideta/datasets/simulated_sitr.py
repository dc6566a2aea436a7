"""The twin of SITR's classification set: 16 household objects, DIGIT → four GelSight Minis, Hex and Wedge."""

from __future__ import annotations

from pathlib import Path

from bideta.datasets import sitr
from bideta.datasets.simulated.dataset import SimulatedDataset, scale_twin, twin_info
from bideta.datasets.simulated.levels import DEFAULT_LEVEL, find_level
from bideta.sim import HOUSEHOLD

INFO = twin_info(sitr.INFO, HOUSEHOLD, "the SITR classification set")


def load(
    difficulty: str = DEFAULT_LEVEL,
    scale: float = 1.0,
    seed: int = 0,
    size: int = 64,
    cache: str | Path | None = None,
    order: str = "",
) -> SimulatedDataset:
    """800 training and 200 test frames per class and sensor, times ``scale``; ``size`` in pixels.

    With ``cache`` (a folder) pictures are rendered once and read from disk afterwards. A budget larger than a
    scaled pool shrinks to the pool.
    ``order`` lets light and gel wander while presses are recorded "by class" or "mixed".
    """
    sensors, level = (INFO.source, *INFO.targets), find_level(difficulty)
    full = SimulatedDataset(
        INFO, HOUSEHOLD, sensors, sitr.PER_CLASS, level, seed, size, cache, calibrated=True, order=order
    )
    return scale_twin(full, scale)
