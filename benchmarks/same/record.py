"""Everything that the installed bideta answers on fixed seeds, in one file."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

import bideta
from benchmarks.same import answers_of_baselines, answers_of_batches, answers_of_commands, answers_of_robot
from benchmarks.same.entries import Entries

PARTS: dict[str, Callable[[], Entries]] = {
    "batches": answers_of_batches.entries,
    "robot": answers_of_robot.entries,
    "baselines": answers_of_baselines.entries,
    "commands": answers_of_commands.entries,
}


def record(file: Path, only: str | None = None) -> None:
    """Write the answers, name by name; one thread, so that sums have one order."""
    warnings.simplefilter("ignore", DeprecationWarning)  # names that are about to go still answer
    answers: dict[str, np.ndarray] = {}
    print(f"answers of {Path(bideta.__file__).parent}", file=sys.stderr)
    with threadpool_limits(1):
        for part, entries in PARTS.items():
            if only not in (None, part):
                continue
            begun = perf_counter()
            for name, answer in entries():
                key = f"{part}/{name}"
                if key in answers:
                    raise ValueError(f"two entries are called {key}")
                answers[key] = np.asarray(answer)
            count = sum(name.startswith(f"{part}/") for name in answers)
            print(f"{part}: {count} entries, {perf_counter() - begun:.0f} s", file=sys.stderr)
    with file.open("wb") as opened:
        np.savez(opened, **answers)
