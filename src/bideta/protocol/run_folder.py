"""The folder of a run: one run owns it at a time, it keeps to its data, and it knows which cells are missing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bideta.images.files import write_atomic
from bideta.images.reading import shown
from bideta.protocol import records
from bideta.protocol.experiment import Cell

RUN_FILE = "run.json"
LOCK_FILE = "lock"
LARGEST = 1_000_000  # bytes of run.json
NAMED = ("datasets", "encoders", "readings")  # name → facts; what else is there is a plain value


class FolderInUseError(ValueError):
    """Another run writes to the folder."""


class OtherRunError(ValueError):
    """The folder holds results of other data or other settings."""


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Locks the folder for one run; the system unlocks it when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError as error:
        raise ImportError(
            "bideta bench locks its folder with fcntl, which this system does not have; run it on Linux, macOS or WSL"
        ) from error
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
    is noted but may change, and so may the code: every record has its commit. A folder may be filled by several
    commands; all are noted.
    """
    known = read_facts(folder)
    noted = str(known.get("command", ""))
    commands = [*noted.split("; "), command] if command not in noted.split("; ") else [noted]
    merged = {**known, "command": "; ".join(filter(None, commands))}
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
        write_atomic(folder / RUN_FILE, (json.dumps(merged, indent=1, sort_keys=True) + "\n").encode())


def read_facts(folder: Path) -> dict[str, Any]:
    """What run.json says, {} where there is none; one that is not as ``claim`` writes it is refused."""
    path = folder / RUN_FILE
    if not path.is_file():
        return {}
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{shown(path)} is larger than {LARGEST:,} bytes; bideta bench writes less")
    try:
        known = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{shown(path)} is not the JSON that bideta bench writes: {error}") from None
    if not isinstance(known, dict) or not all(_is_named(known.get(name, {})) for name in NAMED):
        raise ValueError(f"{shown(path)} is not as bideta bench writes it; run the same command again")
    return known


def _is_named(facts: Any) -> bool:
    """Whether it maps names to facts: settings, a fingerprint, what is assumed, or some of them."""
    return isinstance(facts, dict) and all(
        isinstance(fact, dict)
        and isinstance(fact.get("settings", {}), dict)
        and all(isinstance(fact.get(name, ""), str) for name in ("fingerprint", "assumed"))
        for fact in facts.values()
    )


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
    log = records.read_run(folder)
    done = {cell for cell, record in log.records.items() if record.status != "failed"}
    return [cell for cell in dict.fromkeys(cells) if cell not in done], log
