"""A recording session: light and gel wander slowly while press after press is recorded.

Where presses of one class are recorded one after the other, the background then tells the class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

WAVES = 4  # slow waves that a wandering quantity is the sum of
SLOWEST, FASTEST = 0.3, 2.0  # their turns in a session


@dataclass(frozen=True)
class Wander:
    """How far things wander; standard deviations over a session."""

    light: float = 0.05  # relative, of each colour's brightness
    shading: float = 0.08  # relative, of the brightness from one edge to the other
    shift: float = 0.7  # pixels of a 64 px picture, of gel and markers


@dataclass(frozen=True)
class Session:
    """When each press of a recording took place, and what wandered meanwhile."""

    first_press: int
    moments: tuple[float, ...]  # of press first_press, first_press + 1, …, in 0 … 1
    seed: tuple[int, ...]
    wander: Wander = Wander()

    def __call__(self, pictures: NDArray[np.uint8], presses: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The pictures (N, size, size, 3) as they look at the moments of their presses."""
        time = np.array(self.moments)[presses - self.first_press]
        waves = wandering(time, 7, np.random.default_rng(self.seed))  # (N, 7)
        size = pictures.shape[1]
        edge = np.linspace(-0.5, 0.5, size)
        gain = 1 + self.wander.light * waves[:, None, None, :3]
        slope = waves[:, 3, None, None] * edge[:, None] + waves[:, 4, None, None] * edge  # (N, size, size)
        gain = gain * (1 + self.wander.shading * slope[..., None])
        moved = np.stack(
            [
                ndimage.shift(picture.astype(np.float32), (*offset, 0), order=1, mode="nearest")
                for picture, offset in zip(
                    pictures, self.wander.shift * size / 64 * waves[:, 5:], strict=True
                )
            ]
        )
        return np.clip(moved * gain + 0.5, 0, 255).astype(np.uint8)


def wandering(time: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """(N, count) smooth random functions of time, each about standard normal over many sessions."""
    turns = rng.uniform(SLOWEST, FASTEST, (count, WAVES))
    phase = rng.uniform(0, 2 * np.pi, (count, WAVES))
    waves = np.cos(2 * np.pi * turns * time[:, None, None] + phase)
    total: NDArray[np.float64] = waves.sum(axis=2) * np.sqrt(2 / WAVES)
    return total
