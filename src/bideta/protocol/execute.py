"""Both stages of a run: readouts of every split that is needed, then the cells; on this machine or with Ray."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bideta.plugins import find as find_plugin
from bideta.plugins import names as plugin_names
from bideta.protocol import processes, records
from bideta.protocol.experiments import Cell, find
from bideta.protocol.readout_cache import is_cached
from bideta.protocol.records import Record
from bideta.protocol.run_folder import Stamp, failure, measure
from bideta.protocol.supply import CALIBRATION, Bench

Split = tuple[str, str, str]  # dataset, sensor, split


@dataclass(frozen=True)
class Engine:
    """Where the work is done."""

    kind: str = "local"  # or "ray"
    jobs: int = 1
    address: str | None = None  # of a Ray cluster


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def needed_splits(cells: Iterable[Cell], bench: Bench) -> dict[Split, tuple[str, ...]]:
    """Every split that the cells will ask for, with the encoders that will read it."""
    needed: dict[Split, dict[str, None]] = {}
    alike = {(cell.experiment, cell.dataset, cell.encoder, cell.target, cell.method): cell for cell in cells}
    calibrated = {method: _is_calibrated(method) for method in {cell.method for cell in alike.values()}}
    for cell in alike.values():
        info = bench.info(cell.dataset)
        own = getattr(find(cell.experiment), "needs", None)
        if own is not None:
            pairs = own(cell, info)
        else:
            first, last = info.splits[0], info.splits[-1]
            pairs = [(info.source, first), (cell.target, first), (cell.target, last)]
        if calibrated[cell.method]:
            pairs = [*pairs, (cell.target, CALIBRATION), (info.source, CALIBRATION)]
        for sensor, split in pairs:
            needed.setdefault((cell.dataset, sensor, split), {})[cell.encoder] = None
    return {split: tuple(encoders) for split, encoders in needed.items()}


def _is_calibrated(method: str) -> bool:
    """Whether the method reads calibration images; a cell need not name a method that is a plugin."""
    return method in plugin_names("method") and bool(find_plugin("method", method).INFO.needs_calibration)


def encode_split(bench: Bench, task: tuple[Split, tuple[str, ...]]) -> int:
    """Number of pictures of a split whose readouts are now cached, for each of the encoders."""
    (dataset, sensor, split), encoders = task
    count = 0
    for encoder in encoders:
        if split == CALIBRATION:
            views = bench.calibration(dataset, encoder, sensor)
            count = 0 if views is None else len(views[0])
        else:
            count = len(bench.contacts(dataset, encoder, sensor, split))
        bench.held.clear()
    return count


def is_ready(bench: Bench, task: tuple[Split, tuple[str, ...]]) -> bool:
    """Whether all readouts of a split are in the cache; calibration images are few and made where they are used."""
    (dataset, sensor, split), encoders = task
    if bench.cache is None:
        return False
    if split == CALIBRATION:
        return True
    frames = bench.frames(dataset, sensor, split)
    return all(is_cached(bench.encoders[encoder], frames, bench.cache) for encoder in encoders)


def prepare(
    cells: Sequence[Cell], bench: Bench, engine: Engine, step: Callable[[Split, int, int], None]
) -> list[str]:
    """Fill the feature cache; pictures are rendered or read only where readouts are missing.

    Returned are the splits that could not be encoded, and why: their cells will fail, the others go on.
    """
    problems: list[str] = []
    tasks = [task for task in needed_splits(cells, bench).items() if not is_ready(bench, task)]
    if engine.kind == "ray":
        from bideta.protocol import ray as cluster

        for done, (split, problem) in enumerate(cluster.encode_splits(bench, tasks, engine), 1):
            problems += [f"{' '.join(split)}: {problem}"] if problem else []
            step(split, done, len(tasks))
        return problems
    for done, (task, result) in enumerate(processes.spread(_encode, bench, tasks, engine.jobs), 1):
        if isinstance(result, processes.Died | str):
            problems.append(f"{' '.join(task[0])}: {result}")
        step(task[0], done, len(tasks))
    return problems


def execute(
    cells: Sequence[Cell],
    bench: Bench,
    stamp: Stamp,
    folder: Path,
    engine: Engine,
    done: Callable[[Record], None],
) -> None:
    """One record per cell in the folder's log; timed experiments come last and run alone."""
    alone = [cell for cell in cells if find(cell.experiment).exclusive]
    shared = [cell for cell in cells if not find(cell.experiment).exclusive]
    lone = replace(engine, kind="local", jobs=1)
    with records.Writer(folder) as log:
        for stage, where in ((shared, engine), (alone, lone)):
            for record in _measured(stage, bench, stamp, where):
                log.add([record])
                done(record)


def _measured(cells: Sequence[Cell], bench: Bench, stamp: Stamp, engine: Engine) -> Iterator[Record]:
    """Records in the order in which they are done."""
    if not cells:
        return
    order = sorted(
        cells, key=lambda cell: (cell.dataset, cell.target, cell.encoder)
    )  # stable: shared readouts
    if engine.kind == "ray":
        from bideta.protocol import ray as cluster

        yield from cluster.measure_cells(order, bench, stamp, engine)
        return
    for cell, result in processes.spread(_measure, (bench, stamp), order, engine.jobs):
        if isinstance(result, processes.Died):
            result = failure(cell, str(result), stamp.facts(bench.info(cell.dataset)))
        yield result


def _encode(bench: Bench, task: tuple[Split, tuple[str, ...]]) -> int | str:
    try:
        return encode_split(bench, task)
    except (ValueError, OSError) as error:  # a picture that cannot be read; the parent says which
        return str(error)


def _measure(shared: tuple[Bench, Stamp], cell: Cell) -> Record:
    return measure(cell, *shared)
