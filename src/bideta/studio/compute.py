"""A bounded pool: as many computations at a time as there are slots, a queue of known length, then "busy".

An unbounded pool of threads that each call BLAS fails at eight clients; slots × BLAS threads = cores does not.
The event loop only waits here, it never computes, so that health checks are answered at once.
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
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

from threadpoolctl import threadpool_limits

P = ParamSpec("P")
T = TypeVar("T")
FIRST_GUESS = 0.05  # s a job takes, before any was measured
MEMORY = 0.9  # weight of the past in the running mean
LONGEST = 20  # s that a client is told to wait
NICE = 19  # of the computing threads: the event loop goes first


class BusyError(Exception):
    """The queue is full; ``retry_after`` says in how many seconds it may have room."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"the server is busy; try again in {retry_after} s")
        self.retry_after = retry_after


class Pool:
    """``run`` waits for a slot and computes in it; a full queue raises ``BusyError`` at once."""

    def __init__(self, slots: int, queue: int, blas_threads: int = 1) -> None:
        if slots < 1 or queue < 0 or blas_threads < 1:
            raise ValueError(
                f"slots={slots}, queue={queue}, blas_threads={blas_threads}: expected at least 1, 0 and 1"
            )
        self.slots, self.queue = slots, queue
        self._threads = ThreadPoolExecutor(slots, thread_name_prefix="compute", initializer=_step_back)
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
        """What the job returns. A caller that goes away gives up a job that has not begun."""
        return await asyncio.wrap_future(self.submit(job, *args, **kwargs))

    def submit(self, job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The same for callers outside the event loop."""
        with self._lock:
            if self.full:
                raise BusyError(self.retry_after())
            self._admitted += 1
        try:
            future: Future[T] = self._threads.submit(self._timed, partial(job, *args, **kwargs))
        except BaseException:
            self._leave(future=None)
            raise
        future.add_done_callback(self._leave)
        return future

    def close(self) -> None:
        """Wait for what runs, drop what waits."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._limits.restore_original_limits()

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
