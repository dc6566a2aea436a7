"""A thread that reads the source, and a slot that holds its newest frame: a slow reader misses frames."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bideta.live.sources import Source, SourceLostError

REOPEN_AFTER = 0.5  # seconds between two attempts to open a source that went away


@dataclass(frozen=True)
class Frame:
    """One picture of the sensor."""

    image: NDArray[np.uint8]  # (H, W, 3) RGB
    number: int  # counted by the source, from 0
    time: float  # seconds of time.monotonic() when it arrived
    truth: str | None = None  # its label, where the source knows it (simulated)


class Capture:
    """Reads a source in its own thread. Use it in a ``with`` statement.

    A source that is lost (a camera unplugged) is opened again every half second until it is back; an error
    other than that ends the capture and is raised by ``newest``.
    """

    def __init__(self, source: Source, reopen_after: float = REOPEN_AFTER) -> None:
        self.source = source
        self.reopen_after = reopen_after
        self.captured = 0  # frames read
        self.lost = 0  # how often the source went away
        self.strange = 0  # frames that are no colour pictures, left out
        self._frame: Frame | None = None
        self._error: Exception | None = None
        self._ended = False
        self._stop = threading.Event()
        self._arrived = threading.Condition()
        self._opened = False
        self._thread = threading.Thread(target=self._run, name="bideta-capture", daemon=True)

    def open(self) -> None:
        """Open the source, once; no frame is read before the ``with`` statement. A wrong camera is an error here."""
        if not self._opened:
            self.source.open()
            self._opened = True

    def __enter__(self) -> Self:
        self.open()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(timeout=5)
        self.source.close()

    def newest(self, timeout: float | None = None) -> Frame | None:
        """The newest frame nobody has taken yet; waits for one. None: the source has ended, or time is up."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._frame is not None or self._ended, timeout)
            frame, self._frame = self._frame, None
            if frame is None and self._error is not None:
                raise self._error
            return frame

    @property
    def ended(self) -> bool:
        """True when the source has no more frames and the last one was taken."""
        return self._ended and self._frame is None

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                try:
                    picture = self.source.read()
                except SourceLostError:
                    self.lost += 1
                    if not self._reopen():
                        break
                    continue
                if picture is None:
                    break
                if not is_frame(picture.image):
                    self.strange += 1
                    continue
                frame = Frame(picture.image, self.captured, time.monotonic(), picture.truth)
                with self._arrived:
                    self._frame = frame
                    self.captured += 1
                    self._arrived.notify()
        except Exception as error:  # noqa: BLE001 - carried to the caller's thread
            self._error = error
        finally:
            with self._arrived:
                self._ended = True
                self._arrived.notify()

    def _reopen(self) -> bool:
        """Wait until the source can be opened again; False where the capture was stopped meanwhile."""
        self.source.close()
        while not self._stop.wait(self.reopen_after):
            try:
                self.source.open()
            except OSError:
                continue
            return True
        return False


def is_frame(image: Any) -> bool:
    """Whether it is a picture (H, W, 3) of uint8; a camera may send another one when its format changes."""
    return (
        isinstance(image, np.ndarray)
        and image.dtype == np.uint8
        and image.shape[2:] == (3,)
        and image.size > 0
    )
