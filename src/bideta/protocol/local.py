"""The work on this machine: splits and cells, each in one of several processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bideta.protocol.compute import compute_cell, failure
from bideta.protocol.engine import Engine
from bideta.protocol.experiment import Cell
from bideta.protocol.needed_splits import Split, Task
from bideta.protocol.processes import Died, spread
from bideta.protocol.records import Record
from bideta.protocol.stamp import Stamp
from bideta.protocol.supply import CALIBRATION, Supply


def engine_name(engine: Engine) -> str:
    """The engine, as records name it."""
    return engine.kind


def encode_splits(supply: Supply, tasks: Sequence[Task], engine: Engine) -> Iterator[tuple[Split, str]]:
    """Fill the cache; (split, what went wrong or nothing), as they are done."""
    for (split, _), problem in spread(encode_split, supply, tasks, engine.jobs):
        yield split, str(problem)


def compute_cells(cells: Sequence[Cell], supply: Supply, stamp: Stamp, engine: Engine) -> Iterator[Record]:
    """Records of the cells, as they are done."""
    for cell, result in spread(_compute, (supply, stamp), cells, engine.jobs):
        if isinstance(result, Died):
            result = failure(cell, str(result), stamp.facts(supply.info(cell.dataset)))
        yield result


def encode_split(supply: Supply, task: Task) -> str:
    """Runs in a worker: readouts of a split by each of the encoders; returns what went wrong."""
    (dataset, sensor, split), encoders = task
    try:
        for encoder in encoders:
            if split == CALIBRATION:
                supply.calibration(dataset, encoder, sensor)
            else:
                supply.contacts(dataset, encoder, sensor, split)
            supply.loaded.clear()
    except (ValueError, OSError) as error:  # a picture that cannot be read; the parent says which
        return str(error) or type(error).__name__
    return ""


def _compute(shared: tuple[Supply, Stamp], cell: Cell) -> Record:
    return compute_cell(cell, *shared)
