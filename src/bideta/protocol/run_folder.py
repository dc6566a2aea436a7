"""A run: which cells are still to do, one record for each, in a folder that one run owns at a time."""

from __future__ import annotations

import fcntl
import json
import os
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bideta.artifact import write_atomic
from bideta.baselines import NotAvailableError
from bideta.datasets import DatasetInfo
from bideta.protocol import records
from bideta.protocol.experiments import Cell, find
from bideta.protocol.records import Record
from bideta.protocol.supply import Bench

RUN_FILE = "run.json"
LOCK_FILE = "lock"
ERROR_LINES = 3  # innermost places of a traceback that a record keeps


@dataclass(frozen=True)
class Stamp:
    """What every record of a run carries beside its measurement."""

    scale: float
    versions: Mapping[str, str]
    commit: str

    def facts(self, info: DatasetInfo) -> dict[str, Any]:
        """Fields of a record of this dataset."""
        versions = dict(self.versions)
        return {"simulated": info.simulated, "scale": self.scale, "versions": versions, "commit": self.commit}


class FolderInUseError(ValueError):
    """Another run writes to the folder."""


class OtherRunError(ValueError):
    """The folder holds results of other data or other settings."""


def measure(cell: Cell, bench: Bench, stamp: Stamp) -> Record:
    """The record of one cell; an error becomes part of it, so that the other cells go on."""
    facts = stamp.facts(bench.info(cell.dataset))
    bench.begin()
    start = time.perf_counter()
    try:
        outcome = find(cell.experiment).run(cell, bench)
        record = Record(
            cell,
            "ok",
            {name: float(value) for name, value in outcome.values.items()},
            outcome.arrays,
            outcome.settings,
            outcome.digest,
            split=" ".join(dict.fromkeys(bench.touched)),
            seconds=round(time.perf_counter() - start, 6),
            **facts,
        )
        record.line()  # what cannot be written (NaN, objects) is this cell's failure, not the run's
    except NotAvailableError as error:
        record = Record(cell, "unavailable", error=str(error), **facts)
    except Exception as error:  # noqa: BLE001 (recorded, and the exit code says so)
        record = failure(cell, error, facts)
    return record


def failure(cell: Cell, error: Exception | str, facts: dict[str, Any]) -> Record:
    """A record of what went wrong and where."""
    if isinstance(error, Exception):
        places = traceback.extract_tb(error.__traceback__)[-ERROR_LINES:]
        where = " < ".join(f"{Path(place.filename).name}:{place.lineno}" for place in reversed(places))
        error = f"{type(error).__name__}: {error} ({where})"
    return Record(cell, "failed", error=error, **facts)


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """The folder for one run alone; the system lets go of it when the process ends, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK_FILE).open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise FolderInUseError(
                f"{folder} is in use by another run (process {file.read().strip() or 'unknown'}); "
                "wait for it, or give another folder with --out"
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def claim(folder: Path, facts: Mapping[str, Any], command: str = "") -> None:
    """Note in run.json what the folder's numbers depend on; refuse a folder that holds others.

    ``facts`` maps "datasets" and "encoders" to name → facts, and others to plain values. New names are added, known
    ones must not change: a table never mixes two difficulties, two scales or two sets of weights. Where files lie
    is noted but may change, and so may the code: every record has its commit.
    """
    path = folder / RUN_FILE
    known: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    merged = {**known, "command": command or known.get("command", "")}
    for name, value in facts.items():
        if not isinstance(value, Mapping):
            _refuse_other(folder, name, known.get(name, value), value)
            merged[name] = value
            continue
        before = known.get(name, {})
        for key, fact in value.items():
            _refuse_other(folder, f"{name[:-1]} {key}", _essence(before.get(key, fact)), _essence(fact))
        merged[name] = {**before, **value}
    if merged != known:
        write_atomic(path, (json.dumps(merged, indent=1, sort_keys=True) + "\n").encode())


def _essence(fact: Mapping[str, Any]) -> Any:
    """What must not change: an encoder's fingerprint, a dataset's settings except for where it lies."""
    if "fingerprint" in fact:
        return fact["fingerprint"]
    return {name: value for name, value in fact["settings"].items() if name not in ("root", "cache")}


def _refuse_other(folder: Path, what: str, before: Any, now: Any) -> None:
    if before != now:
        raise OtherRunError(
            f"{folder} holds results with {what} = {json.dumps(before)}, asked for is {json.dumps(now)}: "
            "they must not meet in one table; give another folder with --out"
        )


def missing(folder: Path, cells: list[Cell]) -> tuple[list[Cell], records.Log]:
    """Cells without a usable record, and the log; failed cells are tried again."""
    log = records.read_log(folder / records.FILE)
    done = {cell for cell, record in log.records.items() if record.status != "failed"}
    return [cell for cell in dict.fromkeys(cells) if cell not in done], log
