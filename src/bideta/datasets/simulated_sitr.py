"""The twin of SITR's classification set: 16 household objects, DIGIT → four GelSight Minis, Hex and Wedge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bideta.datasets import DatasetInfo
from bideta.datasets.simulated.dataset import SimulatedDataset
from bideta.datasets.simulated.levels import DEFAULT_LEVEL, check_settings, find_level
from bideta.sim import HOUSEHOLD

TEST_PER_CLASS = 200  # frames per class and sensor; training holds four times as many

INFO = DatasetInfo(
    name="simulated-sitr",
    title="SITR classification, simulated",
    task="classification",
    classes=tuple(geometry.name for geometry in HOUSEHOLD),
    source="DIGIT",
    targets=("Mini_1", "Mini_2", "Mini_3", "Mini_4", "Hex", "Wedge"),
    development=("Mini_3",),
    budgets={"1%": 8, "5%": 40, "10%": 80},
    simulated=True,
    reference="Rendered by bideta.sim in the roles and sizes of the SITR classification set; see docs/twin.md",
    licence="Apache-2.0",
)


def load(
    difficulty: str = DEFAULT_LEVEL,
    scale: float = 1.0,
    seed: int = 0,
    size: int = 64,
    cache: str | Path | None = None,
) -> SimulatedDataset:
    """800 training and 200 test frames per class and sensor, times ``scale``; ``size`` in pixels.

    With ``cache`` (a folder) pictures are rendered once and read from disk afterwards. Budgets larger than a
    scaled pool shrink to the pool.
    """
    check_settings(scale, size)
    unit = max(1, round(TEST_PER_CLASS * scale))
    budgets = {name: min(count, 4 * unit) for name, count in INFO.budgets.items()}
    return SimulatedDataset(
        info=replace(INFO, budgets=budgets),
        geometries=HOUSEHOLD,
        sensors=(INFO.source, *INFO.targets),
        counts={"train": 4 * unit, "test": unit},
        level=find_level(difficulty),
        seed=seed,
        size=size,
        cache=None if cache is None else Path(cache),
        calibrated=True,
    )
