"""Cells of real sets → records, in one process or several; a run goes on where it stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from bideta.baselines import NotAvailableError
from bideta.deploy.trust.leak import Leak
from bideta.protocol import records
from bideta.protocol.compute import failure
from bideta.protocol.experiment import Cell
from bideta.protocol.processes import Died, spread
from bideta.protocol.real import methods
from bideta.protocol.real.ask import accuracies
from bideta.protocol.real.cells import LEAK, find_split
from bideta.protocol.real.readings import Readings, silent
from bideta.protocol.real.sets import RealSet
from bideta.protocol.real.splits import has_source
from bideta.protocol.records import Record
from bideta.protocol.stamp import commit, versions

Done = Callable[[Record], None]
Facts = dict[str, Any]


def run(
    cells: Sequence[Cell],
    sets: dict[str, RealSet],
    folder: Path,
    cache: Path,
    done: Done,
    say: Callable[[str], None] = silent,
    jobs: int = 1,
) -> None:
    """One record per cell in the folder's log; an error becomes part of its record."""
    readings = Readings(sets, cache, say)
    facts = {"versions": versions(), "commit": commit()}
    with records.Writer(folder) as log:
        for measured in _measured(cells, readings, facts, jobs):
            log.add(measured)
            for record in measured:
                done(record)


def _measured(
    cells: Sequence[Cell], readings: Readings, facts: Facts, jobs: int
) -> Iterator[Sequence[Record]]:
    """Records of the cells of one taught method at a time."""
    tasks = [tuple(group) for _, group in groupby(cells, key=lambda cell: replace(cell, variant=""))]
    if jobs == 1:
        yield from (_measure_all((readings, facts), task) for task in tasks)
        return
    for cell in {(c.encoder, c.dataset, c.target): c for c in cells if c.target != LEAK}.values():
        with suppress(ValueError, OSError):  # a picture that cannot be read: its cells will say which
            readings.read(cell.encoder, find_split(cell, readings.sets))
    for task, found in spread(_measure_all, (readings, facts), tasks, jobs):
        yield [failure(cell, str(found), facts) for cell in task] if isinstance(found, Died) else found


def _measure_all(shared: tuple[Readings, Facts], task: Sequence[Cell]) -> list[Record]:
    return [measure(cell, *shared) for cell in task]


def measure(cell: Cell, readings: Readings, facts: Facts) -> Record:
    """The record of one cell, whatever happens in it."""
    start = time.perf_counter()
    try:
        values = (
            leak_values(readings.leak(cell.encoder, cell.dataset))
            if cell.target == LEAK
            else accuracies(cell, readings)
        )
        settings = methods.settings_of(cell.method, has_source(cell.target))
        seconds = round(time.perf_counter() - start, 6)
        record = Record(cell, "ok", values, settings=settings, seconds=seconds, **facts)
        record.line()
    except NotAvailableError as error:
        record = Record(cell, "unavailable", error=str(error), **facts)
    except Exception as error:  # noqa: BLE001 (recorded, and the exit code says so)
        record = failure(cell, error, facts)
    return record


def leak_values(measured: Leak | None) -> dict[str, float]:
    """What a record keeps of a leak."""
    if measured is None:
        raise NotAvailableError("no background frames of two presses in two classes")
    return {
        "accuracy": measured.accuracy,
        "late": measured.late,
        "chance": measured.chance,
        "bound": measured.bound,
        "presses": measured.presses,
    }
