"""The same work on a Ray cluster (extra ``ray``): cells as tasks, readouts in the object store, encoding with Ray Data.

The driver reads the readout cache and writes the records; workers need the package and, for encoding recorded
datasets, the picture files under the same path. A worker that dies costs Ray a repetition of its task.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from bideta.datasets import Frames
from bideta.images.lazy import Chosen, ImageFiles
from bideta.protocol import shards
from bideta.protocol.compute import compute_cell, failure
from bideta.protocol.deferred_encoder import DeferredEncoder
from bideta.protocol.engine import Engine
from bideta.protocol.episode import Contacts
from bideta.protocol.experiment import Cell
from bideta.protocol.needed_splits import Split, Task, needed_splits
from bideta.protocol.readout_cache import CHUNK, describe, key
from bideta.protocol.records import Record
from bideta.protocol.stamp import Stamp
from bideta.protocol.supply import CALIBRATION, Key, Supply
from bideta.service.encoding import stacks_frames

TASK_CELLS = 12  # per Ray task: enough to be worth a start, few enough to spread
IN_STORE = 1 << 30  # bytes of rendered pictures in the object store at a time
RETRIES = 3  # workers that a task may cost before its cells are recorded as failed


def connect(engine: Engine) -> Any:
    """The ``ray`` module, connected to the cluster or to a new one on this machine."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("--engine ray needs Ray, which is missing: pip install 'bideta[ray]'") from error
    if not ray.is_initialized():
        own: dict[str, Any] = {"num_cpus": engine.jobs, "include_dashboard": False}
        where = own if engine.address is None else {"address": engine.address}
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **where)
    return ray


def cluster_cores(engine: Engine) -> int:
    """Cores of the whole cluster."""
    return max(1, int(connect(engine).cluster_resources().get("CPU", 1)))


def engine_name(engine: Engine) -> str:
    """The engine, as records name it: with the size of the cluster."""
    nodes = sum(bool(node["Alive"]) for node in connect(engine).nodes())
    return f"ray, {nodes} node{'s' if nodes > 1 else ''}"


def compute_cells(cells: Sequence[Cell], supply: Supply, stamp: Stamp, engine: Engine) -> Iterator[Record]:
    """Records of the cells, task by task as they are done."""
    ray = connect(engine)
    task = ray.remote(num_cpus=1, max_retries=RETRIES)(compute_batch)
    shared = ray.put((supply, stamp))
    stored: dict[Key, Any] = {}
    running: dict[Any, list[Cell]] = {}
    for batch in batches(cells):
        keys = readouts_of(batch, supply)
        try:
            for wanted in keys:
                if wanted not in stored:
                    stored[wanted] = ray.put(contacts_of(supply, wanted))
        except (ValueError, OSError) as error:  # pictures that cannot be read
            yield from (failure(cell, error, stamp.facts(supply.info(cell.dataset))) for cell in batch)
            continue
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
                yield failure(cell, reason, stamp.facts(supply.info(cell.dataset)))


def batches(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """Cells that share their readouts, a few at a time."""
    alike: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        alike.setdefault((cell.dataset, cell.encoder, cell.target), []).append(cell)
    for sharing in alike.values():
        for start in range(0, len(sharing), TASK_CELLS):
            yield sharing[start : start + TASK_CELLS]


def readouts_of(cells: Sequence[Cell], supply: Supply) -> list[Key]:
    """Everything from the cache that the cells will ask for; they share dataset, encoder and target."""
    needed = needed_splits(cells, supply).items()
    return [(dataset, name, sensor, split) for (dataset, sensor, split), names in needed for name in names]


def contacts_of(supply: Supply, wanted: Key) -> Contacts | None:
    """The contacts of a split as plain arrays, from the cache."""
    dataset, encoder, sensor, split = wanted
    if split == CALIBRATION:
        supply.calibration(dataset, encoder, sensor)
    else:
        supply.contacts(dataset, encoder, sensor, split)
    contacts = supply.loaded[wanted]
    if contacts is None:
        return None
    return replace(contacts, readouts=tuple(map(np.array, contacts.readouts)))


def compute_batch(
    shared: tuple[Supply, Stamp], cells: Sequence[Cell], keys: Sequence[Key], *contacts: Contacts | None
) -> list[Record]:
    """Runs on a worker: records of some cells whose readouts are given."""
    from threadpoolctl import threadpool_limits

    supply, stamp = shared
    supply.loaded.update(zip(keys, contacts, strict=True))
    with threadpool_limits(1):
        return [compute_cell(cell, supply, stamp) for cell in cells]


def encode_splits(supply: Supply, tasks: Sequence[Task], engine: Engine) -> Iterator[tuple[Split, str]]:
    """Fill the cache; (split, what went wrong or nothing). One pool of actors encodes as many splits as fit."""
    ray = connect(engine)
    waiting: list[tuple[Split, list[Job]]] = []
    size = 0
    for number, (split, encoders) in enumerate(tasks, 1):
        frames = supply.frames(*split)
        size += 0 if isinstance(frames.images, ImageFiles) else 2 * np.asarray(frames.images[:]).nbytes
        cache = supply.cache or Path()
        waiting.append(
            (
                split,
                [Job(supply.encoder(split[0], name), frames, cache, " ".join(split)) for name in encoders],
            )
        )
        if size < IN_STORE and number < len(tasks):
            continue
        problem = ""
        try:
            encode([job for _, jobs in waiting for job in jobs], engine)
        except (ValueError, OSError, ray.exceptions.RayError) as error:
            problem = f"{type(error).__name__}: {error}"
        for done, jobs in waiting:
            yield done, "" if all(shards.read(job.folder) is not None for job in jobs) else problem
        waiting, size = [], 0


@dataclass(frozen=True)
class Job:
    """Frames to encode, and the cache that gets their readouts."""

    encoder: DeferredEncoder
    frames: Frames
    cache: Path
    title: str = ""

    @cached_property
    def header(self) -> dict[str, Any]:
        """What the readouts depend on; this may hash every picture."""
        return describe(self.encoder, self.frames, self.title)

    @cached_property
    def folder(self) -> Path:
        """Where they are kept."""
        return self.cache / key(self.header)


def encode(jobs: Sequence[Job], engine: Engine, chunk: int = CHUNK) -> None:
    """Both readouts of all frames of all jobs, by a pool of actors (Ray Data).

    What is on disk afterwards is what ``read_or_encode`` writes, byte for byte; chunks that are already there are not
    encoded again.
    """
    starts = [range(0, max(len(job.frames), 1), chunk) for job in jobs]
    rows = [
        {"job": number, "start": start, "stop": min(start + chunk, len(job.frames))}
        for number, job in enumerate(jobs)
        for start in starts[number]
        if not shards.has(job.folder, start, chunk)
    ]
    if rows:
        for row in _encoded(rows, jobs, engine):
            parts = tuple(
                np.frombuffer(row[f"readout{v}"], np.float32).reshape(-1, row[f"width{v}"])
                for v in range(row["readouts"])
            )
            shards.add(jobs[row["job"]].folder, row["start"], chunk, parts)
    for job, begins in zip(jobs, starts, strict=True):
        shards.finish(job.folder, begins, chunk, job.header)
        shards.clean(job.folder)


def _encoded(rows: list[dict[str, Any]], jobs: Sequence[Job], engine: Engine) -> Iterator[dict[str, Any]]:
    connect(engine)
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    given = [(job.encoder, *portable(job)) for job in jobs]
    encoded = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
        cast(Any, Actor),  # Ray takes a class, its annotations only functions
        fn_constructor_args=(given,),
        concurrency=min(engine.jobs, len(rows)),
        # The size of the pool bounds the work. Actors with cores of their own would keep them after a picture that
        # cannot be read, as long as Python remembers the error, and the cells would wait for these cores for ever.
        num_cpus=0,
        scheduling_strategy="SPREAD",
    )
    yield from encoded.iter_rows()


class Actor:
    """Lives on a worker: loads an encoder once, then encodes stretch after stretch."""

    def __init__(self, given: list[tuple[DeferredEncoder, Any, Any]]) -> None:
        self.given = given

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Readouts of the pictures start … stop of a job, as bytes: splits and encoders differ in width."""
        encoder, images, previous = self.given[row["job"]]
        rows = np.arange(row["start"], row["stop"])
        pictures, before = (
            None if part is None else Chosen(_fetched(part), rows) for part in (images, previous)
        )
        readouts = encoder.encode(pictures, before)
        encoded: dict[str, Any] = {"job": row["job"], "start": row["start"], "readouts": len(readouts)}
        for v, H in enumerate(readouts):
            encoded |= {f"readout{v}": np.ascontiguousarray(H, np.float32).tobytes(), f"width{v}": H.shape[1]}
        return encoded


def _fetched(part: Any) -> Any:
    import ray

    return ray.get(part) if isinstance(part, ray.ObjectRef) else part


def portable(job: Job) -> tuple[Any, Any]:
    """Pictures and their earlier neighbours as workers get them: files by name, others in the object store."""
    import ray

    previous = job.frames.previous if stacks_frames(job.encoder) else None
    pictures, before = (
        part if part is None or isinstance(part, ImageFiles) else ray.put(np.asarray(part[:]))
        for part in (job.frames.images, previous)
    )
    return pictures, before
