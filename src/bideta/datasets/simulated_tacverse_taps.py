"""The twin of TacVerse touched by single taps: one frame per press, same sensors, classes and counts."""

from __future__ import annotations

from pathlib import Path

from bideta.datasets import simulated_tacverse
from bideta.datasets.simulated.dataset import SimulatedDataset, as_taps, taps_info
from bideta.datasets.simulated.levels import DEFAULT_LEVEL

INFO = taps_info(simulated_tacverse.INFO)


def load(
    difficulty: str = DEFAULT_LEVEL,
    scale: float = 1.0,
    seed: int = 0,
    size: int = 64,
    cache: str | Path | None = None,
    order: str = "",
) -> SimulatedDataset:
    """As ``simulated-tacverse``, every frame a press of its own."""
    return as_taps(simulated_tacverse.load(difficulty, scale, seed, size, cache, order))
