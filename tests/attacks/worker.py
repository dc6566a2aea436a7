"""One case after the other in a process of its own: what it answers, the memory it adds, the time it takes."""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
import traceback
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.measuring.peak import peak

from attacks.tally import MEMORY, SECONDS, Tally

LOOK = 0.02  # seconds between two looks at a worker that is busy
START = 120.0  # seconds that a worker may take to start on a busy machine
PAGE = 4096
REFUSALS = (ValueError, OSError, ImportError)  # what the command line turns into one readable line


def judged(
    kind: str,
    cases: Iterable[Any],
    answer: Callable[[Any], None],
    refusals: tuple[type[Exception], ...] = REFUSALS,
) -> Tally:
    """Counts over the cases. ``answer`` returns, raises one of the ``refusals``, or anything else: a crash.

    It is a function of a module, and the cases can be pickled: another process calls it. It raises an
    ``AssertionError`` where it gets an answer that is not sound.
    """
    tally, worker = Tally(kind), _Worker(answer, refusals)
    try:
        for case in cases:
            tally.count(*worker.verdict(case))
    finally:
        worker.end()
    return tally


def _crowding() -> float:
    """How much longer than on a machine of its own everything takes here: processes that want a core, for each."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class _Worker:
    """The process; it is started again after it had to be ended."""

    def __init__(self, answer: Callable[[Any], None], refusals: tuple[type[Exception], ...]) -> None:
        self._task = answer, refusals
        self._process: Any = None

    def verdict(self, case: Any) -> tuple[str, str]:
        if self._process is None:
            self._start()
        begun, before = time.monotonic(), self._resident()
        self._pipe.send(case)
        while not self._pipe.poll(LOOK):
            if self._resident() - before > MEMORY:
                return self._ended("over_memory", f"{self._resident() - before:,} B and growing")
            if time.monotonic() - begun > SECONDS * _crowding():
                return self._ended("over_time", f"{SECONDS:.0f} s")
        try:
            verdict, line, added = self._pipe.recv()
        except EOFError:
            self._process.join()
            return self._ended("crashed", f"the process ended with {self._process.exitcode}")
        if added > MEMORY:
            return "over_memory", f"{added:,} B"
        return verdict, line

    def end(self) -> None:
        """Leave no process behind."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would inherit locks and threads
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *self._task), daemon=True)
        self._process.start()
        theirs.close()
        if not self._pipe.poll(START):
            raise TimeoutError(f"the worker did not start within {START:.0f} s")
        self._pipe.recv()

    def _ended(self, verdict: str, line: str) -> tuple[str, str]:
        self.end()
        return verdict, line

    def _resident(self) -> int:
        try:
            return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]) * PAGE
        except (OSError, IndexError):
            return 0  # it has just ended, or the system does not say


def _serve(pipe: Connection, answer: Callable[[Any], None], refusals: tuple[type[Exception], ...]) -> None:
    warm = getattr(__import__(answer.__module__, fromlist=["warm_up"]), "warm_up", None)
    if warm is not None:  # libraries load once; no case is to pay for them
        warm()
    gc.freeze()
    pipe.send("ready")
    while True:
        case = pipe.recv()
        verdict, line = "answered", ""
        with peak() as memory:
            try:
                answer(case)
            except refusals:
                verdict = "refused"
            except BaseException as error:  # noqa: BLE001 (a crash of any kind is what is counted)
                where = traceback.extract_tb(error.__traceback__)[-1]
                text = f"{type(error).__name__}: {error}"[:200]
                verdict, line = "crashed", f"{text} ({Path(where.filename).name}:{where.lineno})"
        pipe.send((verdict, line, memory.added))
