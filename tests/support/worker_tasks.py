"""Tasks for worker processes, in a module that is quick to import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def double(shared: int, task: int) -> int:
    """A task for worker processes; negative ones kill their worker, the first time or always."""
    if task <= -100:
        os.kill(os.getpid(), signal.SIGKILL)
    if task < 0:
        marker = Path(os.environ["TINY_MARKER"])
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return shared * task


def threads(shared: object, task: object) -> str:
    return ",".join(os.environ.get(name, "") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"))


def sleep(shared: object, task: float) -> int:
    time.sleep(task)
    return os.getpid()


def misbehave(case: str) -> None:
    """An answer of every kind to the attacks' worker."""
    import numpy as np

    if case == "refuse":
        raise ValueError("no")
    if case == "crash":
        raise RecursionError("deep")
    if case == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if case == "eat at once":
        np.ones(80_000_000).sum()
    if case == "eat":
        eaten = []
        while True:
            eaten.append(np.ones(10_000_000))
    if case == "sleep":
        time.sleep(60)
