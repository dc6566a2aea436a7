"""The same work on a Ray cluster (extra ``ray``): cells as tasks, readouts in the object store, encoding with Ray Data.

The driver reads the feature cache and writes the records; workers need the package and, for encoding recorded
datasets, the picture files under the same path. A worker that dies costs Ray a repetition of its task.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bideta.datasets import Frames
from bideta.datasets._images import ImageFiles
from bideta.protocol import _store
from bideta.protocol.bench import CALIBRATION, Bench, Contacts, DeferredEncoder, Key
from bideta.protocol.experiments import Cell
from bideta.protocol.features import CHUNK, Stretch, describe, key
from bideta.protocol.records import Record
from bideta.protocol.run import Stamp, failure, measure

if TYPE_CHECKING:
    from bideta.protocol.engine import Engine, Split

TASK_CELLS = 12  # cells per Ray task: long enough to be worth a start, short enough to spread
RETRIES = 3  # workers that a task may cost before its cells are recorded as failed


def connect(engine: Engine) -> Any:
    """The ``ray`` module, connected to the cluster or to a new one on this machine."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("--engine ray needs Ray, which is missing: pip install 'bideta[ray]'") from error
    if not ray.is_initialized():
        options: dict[str, Any] = {
            "include_dashboard": False,
            "log_to_driver": False,
            "logging_level": logging.ERROR,
        }
        if engine.address is None:
            ray.init(num_cpus=engine.jobs, **options)
        else:
            ray.init(address=engine.address, log_to_driver=False, logging_level=logging.ERROR)
    return ray


def measure_cells(cells: Sequence[Cell], bench: Bench, stamp: Stamp, engine: Engine) -> Iterator[Record]:
    """Records of the cells, task by task as they are done."""
    ray = connect(engine)
    task = ray.remote(num_cpus=1, max_retries=RETRIES)(measure_batch)
    shared = ray.put((bench, stamp))
    stored: dict[Key, Any] = {}
    running: dict[Any, list[Cell]] = {}
    for batch in batches(cells):
        keys = readouts_of(batch, bench)
        for wanted in keys:
            if wanted not in stored:
                stored[wanted] = ray.put(held(bench, wanted))
        # References as plain arguments: Ray hands the arrays over without a copy.
        running[task.remote(shared, batch, keys, *(stored[wanted] for wanted in keys))] = batch
    while running:
        (ready,), _ = ray.wait(list(running), num_returns=1)
        batch = running.pop(ready)
        try:
            yield from ray.get(ready)
        except ray.exceptions.RayError as error:
            reason = f"the Ray task failed {RETRIES + 1} times: {type(error).__name__}"
            for cell in batch:
                yield failure(cell, reason, stamp.facts(bench.info(cell.dataset)))


def batches(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """Cells that share their readouts, a few at a time."""
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.dataset, cell.encoder, cell.target), []).append(cell)
    for group in groups.values():
        for start in range(0, len(group), TASK_CELLS):
            yield group[start : start + TASK_CELLS]


def readouts_of(cells: Sequence[Cell], bench: Bench) -> list[Key]:
    """Everything from the cache that the cells will ask for; they share dataset, encoder and target."""
    from bideta.protocol.engine import needed_splits

    needed = needed_splits(cells, bench)
    return [
        (dataset, encoder, sensor, split)
        for (dataset, sensor, split), encoders in needed.items()
        for encoder in encoders
    ]


def held(bench: Bench, wanted: Key) -> Contacts | None:
    """The contacts of a split as plain arrays, from the cache."""
    dataset, encoder, sensor, split = wanted
    if split == CALIBRATION:
        bench.calibration(dataset, encoder, sensor)
        found = bench.held[wanted]
    else:
        found = bench.contacts(dataset, encoder, sensor, split)
    if found is None:
        return None
    views = np.array(found.views[0]), np.array(found.views[1])
    return Contacts(views, found.labels, found.groups, found.digest)


def measure_batch(
    shared: tuple[Bench, Stamp], cells: Sequence[Cell], keys: Sequence[Key], *contacts: Contacts | None
) -> list[Record]:
    """Runs on a worker: records of some cells whose readouts are given."""
    from threadpoolctl import threadpool_limits

    bench, stamp = shared
    bench.held.update(zip(keys, contacts, strict=True))
    with threadpool_limits(1):
        return [measure(cell, bench, stamp) for cell in cells]


def encode_splits(
    bench: Bench, tasks: Sequence[tuple[Split, tuple[str, ...]]], engine: Engine
) -> Iterator[tuple[Split, str]]:
    """Fills the cache split by split; (split, what went wrong or nothing)."""
    for (dataset, sensor, split), encoders in tasks:
        problem = ""
        try:
            for encoder in encoders:
                frames = bench.frames(dataset, sensor, split)
                title = f"{dataset} {sensor} {split}"
                encode(bench.encoders[encoder], frames, bench.cache or Path(), engine, title=title)
        except (ValueError, OSError) as error:
            problem = str(error)
        yield (dataset, sensor, split), problem


def encode(
    encoder: DeferredEncoder,
    frames: Frames,
    cache: Path,
    engine: Engine,
    *,
    title: str = "",
    chunk: int = CHUNK,
) -> _store.Pair:
    """Both readouts of all frames by a pool of actors (Ray Data); what is on disk afterwards is what
    ``features.features`` writes, and chunks that are already there are not encoded again.
    """
    header = describe(encoder, frames, title)
    folder = cache / key(header)
    found = _store.read(folder)
    if found is not None:
        return found
    starts = range(0, max(len(frames), 1), chunk)
    missing = [start for start in starts if not _store.has(folder, start, chunk)]
    if missing:
        connect(engine)
        import ray.data

        progress = ray.data.DataContext.get_current()
        progress.enable_progress_bars = False
        progress.print_on_execution_start = False
        rows = [{"start": start, "stop": min(start + chunk, len(frames))} for start in missing]
        encoded = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
            cast(Any, Actor),  # Ray takes a class, its annotations only functions
            fn_constructor_args=(encoder, *portable(encoder, frames)),
            concurrency=min(engine.jobs, len(rows)),
        )
        for row in encoded.iter_rows():
            _store.add(folder, int(row["start"]), chunk, (row["readout1"], row["readout2"]))
    done = _store.finish(folder, starts, chunk, header)
    _store.clean(folder)
    return done


class Actor:
    """Lives on a worker: loads the encoder once, then encodes stretch after stretch."""

    def __init__(self, encoder: DeferredEncoder, images: Any, previous: Any) -> None:
        import ray

        self.encoder = encoder
        self.images, self.previous = (
            ray.get(part) if isinstance(part, ray.ObjectRef) else part for part in (images, previous)
        )

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Readouts of the pictures start … stop."""
        bounds = int(row["start"]), int(row["stop"])
        before = None if self.previous is None else Stretch(self.previous, *bounds)
        first, second = self.encoder.encode(Stretch(self.images, *bounds), before)
        return {"start": row["start"], "readout1": first, "readout2": second}


def portable(encoder: DeferredEncoder, frames: Frames) -> tuple[Any, Any]:
    """Pictures and their earlier neighbours as workers get them: files by name, others in the object store."""
    import ray

    previous = frames.previous if encoder.info.channels > 3 else None
    return tuple(  # type: ignore[return-value]
        part if part is None or isinstance(part, ImageFiles) else ray.put(np.asarray(part[:]))
        for part in (frames.images, previous)
    )
