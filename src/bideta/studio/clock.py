"""Was the clock set? A robot without a battery for its clock wakes up in the past and is told the date days later."""

from __future__ import annotations

import time

JUMP = 30.0  # s between two looks by which the clocks may differ; a clock that is merely wrong drifts by less


class Clock:
    """Compares the wall clock, which can be set, with one that only ever runs."""

    def __init__(self) -> None:
        self._ahead = time.time() - steady()

    def jumped(self) -> bool:
        """Whether the wall clock was set since the last look."""
        ahead = time.time() - steady()
        by, self._ahead = abs(ahead - self._ahead), ahead
        return by > JUMP


def steady() -> float:
    """Seconds of a clock that nobody sets; on Linux it also runs while the machine sleeps."""
    kind = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if kind is None else time.clock_gettime(kind)
