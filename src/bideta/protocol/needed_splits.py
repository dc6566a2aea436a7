"""Which splits some cells will read, and whether their readouts are already in the cache."""

from __future__ import annotations

from collections.abc import Iterable

from bideta.plugins import find as find_plugin
from bideta.plugins import names as plugin_names
from bideta.protocol.experiment import Cell
from bideta.protocol.experiments import find
from bideta.protocol.readout_cache import is_cached
from bideta.protocol.supply import CALIBRATION, Supply

Split = tuple[str, str, str]  # dataset, sensor, split
Task = tuple[Split, tuple[str, ...]]  # a split, and the encoders that read it


def needed_splits(cells: Iterable[Cell], supply: Supply) -> dict[Split, tuple[str, ...]]:
    """Every split that the cells will ask for, with the encoders that will read it."""
    needed: dict[Split, dict[str, None]] = {}
    alike = {(cell.experiment, cell.dataset, cell.encoder, cell.target, cell.method): cell for cell in cells}
    calibrated = {method: _is_calibrated(method) for method in {cell.method for cell in alike.values()}}
    for cell in alike.values():
        info = supply.info(cell.dataset)
        pairs = find(cell.experiment).splits(cell, info)
        if calibrated[cell.method]:
            pairs = [*pairs, (cell.target, CALIBRATION), (info.source, CALIBRATION)]
        for sensor, split in pairs:
            needed.setdefault((cell.dataset, sensor, split), {})[cell.encoder] = None
    return {split: tuple(encoders) for split, encoders in needed.items()}


def is_ready(supply: Supply, task: Task) -> bool:
    """Whether all readouts of a split are in the cache; calibration images are few and made where they are used."""
    (dataset, sensor, split), encoders = task
    if supply.cache is None:
        return False
    if split == CALIBRATION:
        return True
    frames = supply.frames(dataset, sensor, split)
    return all(is_cached(supply.encoder(dataset, encoder), frames, supply.cache) for encoder in encoders)


def _is_calibrated(method: str) -> bool:
    """Whether the method reads calibration images; a cell need not name a method that is a plugin."""
    return method in plugin_names("method") and bool(find_plugin("method", method).INFO.needs_calibration)
