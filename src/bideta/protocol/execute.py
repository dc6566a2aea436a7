"""Both stages of a run: readouts of every split that is needed, then the cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from bideta.protocol import local, ray, records
from bideta.protocol.engine import Engine
from bideta.protocol.experiment import Cell
from bideta.protocol.experiments import find
from bideta.protocol.needed_splits import Split, Task, is_ready, needed_splits
from bideta.protocol.records import Record
from bideta.protocol.stamp import Stamp
from bideta.protocol.supply import Supply


class Runner(Protocol):
    """What ``local`` and ``ray`` offer."""

    def engine_name(self, engine: Engine) -> str:
        """The engine, as records name it."""
        ...

    def encode_splits(
        self, supply: Supply, tasks: Sequence[Task], engine: Engine
    ) -> Iterator[tuple[Split, str]]:
        """Fill the cache; (split, what went wrong or nothing), as they are done."""
        ...

    def compute_cells(
        self, cells: Sequence[Cell], supply: Supply, stamp: Stamp, engine: Engine
    ) -> Iterator[Record]:
        """Records of the cells, as they are done."""
        ...


def fill_cache(
    cells: Sequence[Cell], supply: Supply, engine: Engine, step: Callable[[Split, int, int], None]
) -> list[str]:
    """Encode what the cells need; pictures are rendered or read only where readouts are missing.

    Returns the splits that could not be encoded, and why: their cells will fail, the others go on.
    """
    problems: list[str] = []
    tasks = [task for task in needed_splits(cells, supply).items() if not is_ready(supply, task)]
    for done, (split, problem) in enumerate(_runner(engine).encode_splits(supply, tasks, engine), 1):
        problems += [f"{' '.join(split)}: {problem}"] if problem else []
        step(split, done, len(tasks))
    return problems


def execute(
    cells: Sequence[Cell],
    supply: Supply,
    stamp: Stamp,
    folder: Path,
    engine: Engine,
    done: Callable[[Record], None],
) -> None:
    """One record per cell in the folder's log; timed experiments come last and run alone."""
    alone = [cell for cell in cells if find(cell.experiment).alone]
    shared = [cell for cell in cells if not find(cell.experiment).alone]
    lone = replace(engine, kind="local", jobs=1)
    with records.Writer(folder) as log:
        for stage, where in ((shared, engine), (alone, lone)):
            if not stage:
                continue
            # The sort is stable. Cells that share readouts come one after the other.
            order = sorted(stage, key=lambda cell: (cell.dataset, cell.target, cell.encoder))
            signed = replace(stamp, engine=_runner(where).engine_name(where))
            for record in _runner(where).compute_cells(order, supply, signed, where):
                log.add([record])
                done(record)


def _runner(engine: Engine) -> Runner:
    return ray if engine.kind == "ray" else local
