"""Work spread over processes of this machine, one thread each.

A worker that dies (out of memory, killed) costs its task one repetition in a new worker; a task that kills two
workers is given up, and the others go on. When the parent dies the workers end after the task in hand.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
ATTEMPTS = 2  # workers that a task may cost
GRACE = 5.0  # seconds for a worker to end by itself

Function = Callable[[Any, Any], Any]  # (what all tasks share, the task) → its result


@dataclass(frozen=True)
class Died:
    """Instead of a result: the task's workers died."""

    exit_code: int | None

    def __str__(self) -> str:
        code = self.exit_code
        if code is not None and code < 0:
            return f"its worker process was killed by signal {-code}, {ATTEMPTS} times; is memory short?"
        return f"its worker process ended with exit code {code}, {ATTEMPTS} times"


@dataclass
class Worker:
    """A process, our end of its pipe, and what it is working on."""

    process: BaseProcess
    pipe: Connection
    task: Any = None
    attempts: int = 0
    busy: bool = field(default=False)


def spread(function: Function, shared: Any, tasks: Sequence[Any], jobs: int) -> Iterator[tuple[Any, Any]]:
    """(task, result) in the order in which they are done; ``function`` must be importable by name."""
    waiting = deque((task, 1) for task in tasks)
    workers: list[Worker] = []
    try:
        while waiting or any(worker.busy for worker in workers):
            for worker in workers:
                if waiting and not worker.busy:
                    _give(worker, waiting)
            while waiting and len(workers) < jobs:
                workers.append(_start(function, shared))
                _give(workers[-1], waiting)
            ready = wait([worker.pipe for worker in workers if worker.busy])
            for worker in [worker for worker in workers if worker.pipe in ready]:
                try:
                    result = worker.pipe.recv()
                except (EOFError, OSError):  # the worker is gone
                    workers.remove(worker)
                    worker.process.join()
                    worker.pipe.close()
                    if worker.attempts < ATTEMPTS:
                        waiting.appendleft((worker.task, worker.attempts + 1))
                    else:
                        yield worker.task, Died(worker.process.exitcode)
                else:
                    worker.busy = False
                    yield worker.task, result
    finally:
        for worker in workers:
            worker.pipe.close()  # an idle worker reads the end of its pipe and leaves
            if worker.busy:
                worker.process.terminate()
        for worker in workers:
            worker.process.join(GRACE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def _give(worker: Worker, waiting: deque[tuple[Any, int]]) -> None:
    worker.task, worker.attempts = waiting.popleft()
    worker.busy = True
    with suppress(OSError):  # it died while idle; reading from it will say so
        worker.pipe.send(worker.task)


def _start(function: Function, shared: Any) -> Worker:
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(theirs, function, shared), daemon=True
    )
    with one_thread():
        process.start()
    theirs.close()  # so that the worker's death is the end of the pipe
    return Worker(process, ours)


def _serve(pipe: Connection, function: Function, shared: Any) -> None:
    """A worker's life: task in, result out, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        result = function(shared, task)
        try:
            pipe.send(result)
        except OSError:
            return


@contextmanager
def one_thread() -> Iterator[None]:
    """Processes started inside have one BLAS, OpenMP and torch thread: cores are shared by processes, not twice."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
