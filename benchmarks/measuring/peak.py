"""Peak memory of a piece of work above what was there before it, its inputs included in the latter."""

from __future__ import annotations

import ctypes
import gc
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
RESET_PEAK = "5"  # the kernel's code for "peak = what is resident now"


@dataclass
class Memory:
    """Bytes resident before, and the most that was added."""

    before: int = 0
    added: int = 0
    exact: bool = True  # False: no resettable counter here; the process's maximum so far is the baseline


@contextmanager
def peak() -> Iterator[Memory]:
    """A ``Memory`` that is filled in when the block ends."""
    memory = Memory()
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)  # freed but kept memory would hide in the baseline
        RESET.write_text(RESET_PEAK)
        memory.before = _status("VmRSS")
    except (AttributeError, OSError):
        memory.exact, memory.before = False, _maximum()
    yield memory
    most = _status("VmHWM") if memory.exact else _maximum()
    memory.added = max(most - memory.before, 0)


def free() -> int:
    """Bytes that a new process could use, or 0 where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), 0)


def _status(field: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field + ":"))
    return int(line.split()[1]) * 1024


def _maximum() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # kilobytes on Linux
