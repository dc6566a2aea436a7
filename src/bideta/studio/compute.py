"""A bounded pool: as many computations at a time as there are slots, a queue of known length, then "busy".

An unbounded pool of threads that each call BLAS fails at eight clients; slots × BLAS threads = cores does not.
The event loop only waits here, it never computes, so that health checks are answered at once. Nobody waits for ever:
an answer has its time, and when the server stops, what still runs is left behind (every change on disk is whole).
"""

from __future__ import annotations

import asyncio
import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from threadpoolctl import threadpool_limits

P = ParamSpec("P")
T = TypeVar("T")
FIRST_GUESS = 0.05  # s a job takes, before any was measured
MEMORY = 0.9  # weight of the past in the running mean
LONGEST = 20  # s that a client is told to wait
LAST = 2.0  # s that computations have to end in when the pool is closed
NICE = 19  # of the computing threads: the event loop goes first


class BusyError(Exception):
    """The queue is full; ``retry_after`` says in how many seconds it may have room."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"the server is busy; try again in {retry_after} s")
        self.retry_after = retry_after


class TooLongError(Exception):
    """A computation did not end in time; the message is for people."""


class Pool:
    """``run`` waits for a slot and computes in it; a full queue raises ``BusyError`` at once."""

    def __init__(self, slots: int, queue: int, blas_threads: int = 1, seconds: float | None = None) -> None:
        if slots < 1 or queue < 0 or blas_threads < 1:
            raise ValueError(
                f"slots={slots}, queue={queue}, blas_threads={blas_threads}: expected at least 1, 0 and 1"
            )
        self.slots, self.queue, self.seconds = slots, queue, seconds
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        # Daemons: the interpreter does not wait for them at its end, as it does for those of an executor.
        self._threads = [
            threading.Thread(target=self._work, name=f"compute-{i}", daemon=True) for i in range(slots)
        ]
        for thread in self._threads:
            thread.start()
        self._lock = threading.RLock()
        self._admitted = 0
        self._seconds = FIRST_GUESS
        self._returning: deque[float] = deque()  # when clients that were sent away will be back
        self._limits = threadpool_limits(blas_threads)  # of the whole process, until close

    @property
    def running(self) -> int:
        """Slots in use."""
        return min(self._admitted, self.slots)

    @property
    def waiting(self) -> int:
        """Jobs in the queue."""
        return max(0, self._admitted - self.slots)

    @property
    def full(self) -> bool:
        """True where the next job would be sent away."""
        return self._admitted >= self.slots + self.queue

    def retry_after(self) -> int:
        """Whole seconds, at least one, until half of the queue and the clients sent away before are served.

        If all were told the same time they would be back at once, and most would be sent away again.
        """
        now = time.monotonic()
        with self._lock:
            while self._returning and self._returning[0] <= now:
                self._returning.popleft()
            jobs = self.queue / 2 + len(self._returning) + 1
            wait = max(1, math.ceil(min(self._seconds * jobs / self.slots, LONGEST)))
            self._returning.append(now + wait)
        return wait

    async def run(self, job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the job returns, ``TooLongError`` after the pool's ``seconds`` (waiting for a slot included).

        A caller that goes away gives up a job that has not begun.
        """
        try:
            async with asyncio.timeout(self.seconds):
                return await asyncio.wrap_future(self.submit(job, *args, **kwargs))
        except TimeoutError as error:
            raise TooLongError(f"no answer within {self.seconds:g} s; send less at a time") from error

    def submit(self, job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The same for callers outside the event loop."""
        with self._lock:
            if self.full:
                raise BusyError(self.retry_after())
            self._admitted += 1
        future: Future[T] = Future()
        future.add_done_callback(self._leave)
        self._jobs.put((future, partial(job, *args, **kwargs)))
        return future

    def close(self, seconds: float = LAST) -> bool:
        """Drop what waits, give what runs a little time; False where something still runs and is left behind."""
        while not self._jobs.empty():
            job = self._jobs.get()
            if job is not None:
                job[0].cancel()
        for _ in self._threads:
            self._jobs.put(None)
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._limits.restore_original_limits()
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        """What a thread does: one job after the other."""
        _step_back()
        while (taken := self._jobs.get()) is not None:
            future, job = taken
            if future.set_running_or_notify_cancel():
                try:
                    result = self._timed(job)
                except BaseException as error:  # noqa: BLE001 (whoever waits for the job gets it)
                    future.set_exception(error)
                else:
                    future.set_result(result)
            del taken, future, job  # an idle thread holds nothing

    def _timed(self, job: Callable[[], T]) -> T:
        start = time.perf_counter()
        try:
            return job()
        finally:
            with self._lock:
                self._seconds = MEMORY * self._seconds + (1 - MEMORY) * (time.perf_counter() - start)

    def _leave(self, future: Any) -> None:
        with self._lock:
            self._admitted -= 1


def _step_back() -> None:
    """Lower the priority of this thread, where threads have one of their own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
