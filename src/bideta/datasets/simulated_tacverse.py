"""The twin of TacVerse's shape task: nine stamps, GelSight without markers → grids, pins and clear skins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bideta.datasets import DatasetInfo
from bideta.datasets.simulated.dataset import SimulatedDataset
from bideta.datasets.simulated.levels import DEFAULT_LEVEL, check_settings, find_level
from bideta.sim import TACVERSE

TEST_PER_CLASS = 100  # frames per class and sensor; as many for validation, three times as many for training

INFO = DatasetInfo(
    name="simulated-tacverse",
    title="TacVerse shapes, simulated",
    task="classification",
    classes=tuple(geometry.name for geometry in TACVERSE),
    source="GelSightNoMarker",
    targets=("MagicGripper", "MagicTac", "TacTip", "ViTac", "ViTacTip"),
    development=("GelSightMarker",),
    splits=("train", "val", "test"),
    budgets={"1%": 3, "5%": 15, "10%": 30},
    simulated=True,
    reference="Rendered by bideta.sim in the roles and sizes of TacVerse's shape task; see docs/twin.md",
    licence="Apache-2.0",
)


def load(
    difficulty: str = DEFAULT_LEVEL,
    scale: float = 1.0,
    seed: int = 0,
    size: int = 64,
    cache: str | Path | None = None,
) -> SimulatedDataset:
    """300 training, 100 validation and 100 test frames per class and sensor, times ``scale``; ``size`` in pixels.

    With ``cache`` (a folder) pictures are rendered once and read from disk afterwards. Budgets larger than a
    scaled pool shrink to the pool. GelSightMarker can be asked for, but is not one of the paper's targets.
    """
    check_settings(scale, size)
    unit = max(1, round(TEST_PER_CLASS * scale))
    budgets = {name: min(count, 3 * unit) for name, count in INFO.budgets.items()}
    return SimulatedDataset(
        info=replace(INFO, budgets=budgets),
        geometries=TACVERSE,
        sensors=(INFO.source, *INFO.development, *INFO.targets),
        counts={"train": 3 * unit, "val": unit, "test": unit},
        level=find_level(difficulty),
        seed=seed,
        size=size,
        cache=None if cache is None else Path(cache),
    )
