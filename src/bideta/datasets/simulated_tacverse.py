"""The twin of TacVerse's shape task: nine stamps, GelSight without markers → grids, pins and clear skins."""

from __future__ import annotations

from pathlib import Path

from bideta.datasets import tacverse
from bideta.datasets.simulated.dataset import SimulatedDataset, scale_twin, twin_info
from bideta.datasets.simulated.levels import DEFAULT_LEVEL, find_level
from bideta.sim import TACVERSE

INFO = twin_info(tacverse.INFO, TACVERSE, "TacVerse's shape task")


def load(
    difficulty: str = DEFAULT_LEVEL,
    scale: float = 1.0,
    seed: int = 0,
    size: int = 64,
    cache: str | Path | None = None,
    order: str = "",
) -> SimulatedDataset:
    """300 training, 100 validation and 100 test frames per class and sensor, times ``scale``; ``size`` in pixels.

    With ``cache`` (a folder) pictures are rendered once and read from disk afterwards. A budget larger than a
    scaled pool shrinks to the pool. GelSightMarker can be asked for, but is not one of the paper's targets.
    ``order`` lets light and gel wander while presses are recorded "by class" or "mixed".
    """
    sensors, level = (INFO.source, *INFO.development, *INFO.targets), find_level(difficulty)
    full = SimulatedDataset(
        INFO, TACVERSE, sensors, tacverse.PER_CLASS, level, seed, size, cache, order=order
    )
    return scale_twin(full, scale)
