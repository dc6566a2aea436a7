"""A simulated sensor as a source of frames that knows what it touches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bideta.datasets.simulated.levels import DEFAULT_LEVEL, LEVELS
from bideta.live.sources.source import Pace, Picture
from bideta.sim import HOUSEHOLD, find_sensor, presses, render

SIMULATED_RATE = 60.0  # frames per second, as a DIGIT has
PRESS_FRAMES, PAUSE_FRAMES = 60, 20  # simulated: a second of contact, a third of a second without
LEVEL = LEVELS[DEFAULT_LEVEL]
AWAY_MM = -3.0  # depth of an object that does not touch


class Simulated:
    """Presses of a simulated sensor, with pauses in between; the sequence is rendered once and repeats.

    Nothing is shared with the simulated datasets: presses come from their own random stream.
    """

    def __init__(
        self,
        sensor: str = "Mini_1",
        *,
        fps: float = SIMULATED_RATE,
        n_presses: int = 16,
        seed: int = 0,
        frames: int | None = None,
    ) -> None:
        self.design = find_sensor(sensor)
        self.fps, self.n_presses, self.seed = fps, n_presses, seed
        self.frames = frames  # how many to send; None: without end
        self.name = f"simulated {self.design.name}"
        self._pictures: NDArray[np.uint8] | None = None
        Pace(fps)  # refuses an impossible rate now

    def open(self) -> None:
        """Render the sequence, the first time."""
        if self._pictures is None:
            self._pictures, self._truth = self._render()
            self._sent = 0
        self._pace = Pace(self.fps)

    def read(self) -> Picture | None:
        """The next frame when it is due."""
        assert self._pictures is not None, "open the source first"
        if self._sent == self.frames:
            return None
        row = self._sent % len(self._pictures)
        self._sent += 1
        self._pace.wait()
        return Picture(self._pictures[row], self._truth[row])

    def close(self) -> None:
        """Nothing is held open."""

    def _render(self) -> tuple[NDArray[np.uint8], list[str]]:
        rng = np.random.default_rng((self.seed, 77))
        order = np.resize(rng.permutation(len(HOUSEHOLD)), self.n_presses)
        length = PAUSE_FRAMES + PRESS_FRAMES
        contacts = presses(HOUSEHOLD, order, rng, frames=length, ranges=LEVEL.ranges)
        away = np.arange(len(contacts)) % length < PAUSE_FRAMES
        contacts = replace(contacts, depth=np.where(away, np.float32(AWAY_MM), contacts.depth))
        conditions = replace(LEVEL.conditions, drift=0.0)  # one recording: its light does not jump
        pictures = render(contacts, self.design, seed=rng, conditions=conditions)
        names = [HOUSEHOLD[i].name for i in contacts.object]
        return pictures, ["" if off else name for off, name in zip(away, names, strict=True)]
