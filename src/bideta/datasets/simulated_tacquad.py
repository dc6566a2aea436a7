"""The twin of TacQuad's ranking task: 56 identities, one 20-frame press each, DIGIT → GelSight Mini, DuraGel.

As in the paper, support and queries of an identity come from the same sequence: labelled frames from its first
twelve, four frames of gap, the last four are queries. This is the one twin where they share a press.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bideta.datasets import tacquad
from bideta.datasets.simulated.dataset import SimulatedDataset, twin_info
from bideta.datasets.simulated.levels import DEFAULT_LEVEL, check_settings, find_level
from bideta.sim import IDENTITIES

MIN_IDENTITIES = 2  # ranking one identity means nothing

INFO = twin_info(tacquad.INFO, IDENTITIES, "the TacQuad ranking task")


def load(
    difficulty: str = DEFAULT_LEVEL,
    scale: float = 1.0,
    seed: int = 0,
    size: int = 64,
    cache: str | Path | None = None,
    order: str = "",
) -> SimulatedDataset:
    """Twelve training and four query frames of each identity; ``scale`` keeps that fraction of the identities.

    With ``cache`` (a folder) pictures are rendered once and read from disk afterwards; ``size`` in pixels.
    ``order`` lets light and gel wander while presses are recorded "by class" or "mixed".
    """
    check_settings(scale, size)
    kept = IDENTITIES[: max(MIN_IDENTITIES, round(len(IDENTITIES) * scale))]
    info = replace(INFO, classes=tuple(geometry.name for geometry in kept))
    sensors, counts = (INFO.source, *INFO.targets), tacquad.PER_CLASS
    level = replace(find_level(difficulty), frames_per_press=tacquad.FRAMES)
    return SimulatedDataset(
        info, kept, sensors, counts, level, seed, size, cache, sequence=tacquad.SPLITS, order=order
    )
