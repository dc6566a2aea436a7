"""A source, an encoder and a sink whose behaviour the tests decide."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import Bideta
from bideta.deploy.online import OnlineBideta
from bideta.encoders import EncoderInfo
from bideta.live.sources import Picture, SourceLostError

UNTOUCHED = np.full((32, 32, 3), 100, np.uint8)


def touched(column: int) -> NDArray[np.uint8]:
    """The untouched picture with a bright spot."""
    image = UNTOUCHED.copy()
    image[8:16, column : column + 8] = 220
    return image


class Script:
    """Sends what it is told: a picture, a pause in seconds, "lost", or an exception to raise."""

    name = "script"

    def __init__(self, steps: list[Any], fails_to_open: int = 0) -> None:
        self.steps = list(steps)
        self.fails_to_open = fails_to_open  # how often opening fails after the first time
        self.opened = self.closed = 0

    def open(self) -> None:
        self.opened += 1
        if self.opened > 1 and self.fails_to_open:
            self.fails_to_open -= 1
            raise SourceLostError("still unplugged")

    def read(self) -> Picture | None:
        while self.steps:
            step = self.steps.pop(0)
            if isinstance(step, Exception):
                raise step
            if isinstance(step, float):
                time.sleep(step)
            else:
                return step if isinstance(step, Picture) else Picture(step)
        return None

    def close(self) -> None:
        self.closed += 1


class MeanColour:
    """Readouts that say where the bright spot is: two copies of the column means."""

    fingerprint = "mean"

    def __init__(self, seconds: float = 0.0, channels: int = 3) -> None:
        self.info = EncoderInfo("mean", "mean", 32, channels, (32, 32))
        self.seconds = seconds
        self.calls: list[tuple[Any, Any]] = []

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Any:
        time.sleep(self.seconds)
        self.calls.append((images, previous))
        means = np.asarray(images, np.float32).mean(axis=(1, 3))
        return means, means


class Kept:
    """A sink that keeps events, and fails where told."""

    def __init__(self, name: str = "kept", fails: bool = False) -> None:
        self.name, self.fails = name, fails
        self.events: list[Any] = []
        self.closed = 0

    def write(self, event: Any, image: Any) -> None:
        if self.fails:
            raise OSError("disk full")
        self.events.append(event)

    def close(self) -> None:
        self.closed += 1


def online() -> OnlineBideta:
    """A sensor that knows a left and a right spot."""
    rng = np.random.default_rng(0)
    columns = np.r_[np.arange(0, 8), np.arange(16, 24)]
    images = np.stack([touched(int(c)) for c in columns]).astype(np.float32)
    H = images.mean(axis=(1, 3)) + rng.normal(0, 0.5, (16, 32)).astype(np.float32)
    return OnlineBideta(Bideta().fit((H, H), np.repeat(["left", "right"], 8)))
