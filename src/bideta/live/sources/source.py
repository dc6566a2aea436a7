"""What a source of frames is, and the pace at which one sends them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class SourceLostError(OSError):
    """The source went away (a camera unplugged) and may come back."""


@dataclass(frozen=True)
class Picture:
    """What a source reads."""

    image: NDArray[np.uint8]  # (H, W, 3) RGB
    truth: str | None = None  # "" without contact; None where nobody knows


class Source(Protocol):
    """What every source offers; ``open`` after ``close`` starts it again."""

    name: str

    def open(self) -> None:
        """Make it ready; an OSError names what is missing."""
        ...

    def read(self) -> Picture | None:
        """The next frame, waiting for it; None at the end. SourceLostError: gone, perhaps back later."""
        ...

    def close(self) -> None:
        """Let go of it; more than once does no harm."""
        ...


class Pace:
    """Waits so that frames leave at a rate; a late one does not make the next ones early."""

    def __init__(self, rate: float) -> None:
        if not rate > 0:
            raise ValueError(f"fps is {rate}, expected a positive number of frames per second")
        self.interval = 1 / rate
        self._next = 0.0

    def wait(self) -> None:
        """Sleep until the next frame is due."""
        now = time.monotonic()
        if self._next > now:
            time.sleep(self._next - now)
        self._next = max(self._next, now) + self.interval
