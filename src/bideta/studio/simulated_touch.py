"""Presses of a simulated sensor for the page's live view: an untouched pause, then a press of a known object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from bideta.datasets.simulated.levels import DEFAULT_LEVEL, LEVELS
from bideta.images.png import png
from bideta.sim import HOUSEHOLD, find_sensor, presses, render

PAUSE, TOUCH = 12, 16  # frames: long enough to learn the untouched gel from, and to see a press come and go
AWAY_MM = -3.0  # depth of an object that does not touch
SEED = 78  # of a random stream that no dataset uses
MOST = 100_000  # presses that can be asked for
KEPT = 8  # rendered presses in memory
LEVEL = LEVELS[DEFAULT_LEVEL]


@dataclass(frozen=True)
class SimulatedPress:
    """A pause and a press."""

    object: str
    frames: tuple[bytes, ...]  # PNG


@lru_cache(KEPT)
def simulated_press(sensor: str, number: int) -> SimulatedPress:
    """The press of that number; the same number gives the same frames."""
    rng = np.random.default_rng((SEED, number))
    which = int(rng.integers(len(HOUSEHOLD)))
    contacts = presses(HOUSEHOLD, [which], rng, frames=PAUSE + TOUCH, ranges=LEVEL.ranges)
    away = np.arange(len(contacts)) < PAUSE
    contacts = replace(contacts, depth=np.where(away, np.float32(AWAY_MM), contacts.depth))
    conditions = replace(LEVEL.conditions, drift=0.0)  # one recording: its light does not jump
    pictures = render(contacts, find_sensor(sensor), seed=rng, conditions=conditions)
    return SimulatedPress(HOUSEHOLD[which].name, tuple(png(picture) for picture in pictures))
