"""How many pixels are decoded at a time: the memory of a process is one, however many threads share it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class PixelBudget:
    """Shares are taken for as long as an image is decoded; whoever finds too few free waits."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._taken = 0

    @contextmanager
    def share(self, pixels: int, most: int, seconds: float | None = None) -> Iterator[None]:
        """Take ``pixels`` of ``most``. A single image may take more; ``TimeoutError`` after ``seconds`` in vain."""
        with self._change:
            if not self._change.wait_for(lambda: not self._taken or self._taken + pixels <= most, seconds):
                raise TimeoutError(f"no share of {pixels:,} pixels within {seconds:g} s")
            self._taken += pixels
        try:
            yield
        finally:
            with self._change:
                self._taken -= pixels
                self._change.notify_all()
