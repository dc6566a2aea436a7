"""Is anything touching? A frame against a running picture of the untouched gel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CELLS = 16  # the picture is judged as 16 × 16 cell means: a small contact stands out, pixel noise does not
LEARN_FRAMES = 10  # at the start, taken as untouched
RATE = 0.02  # weight of a new untouched frame in the background; slow light drift is followed
ENTER, LEAVE = 8.0, 5.0  # standard deviations of the noise: two thresholds, so that contact does not flicker
CHANGED = 5.0  # standard deviations between two frames that are worth encoding anew
NOISE_FLOOR = 0.25  # of 255: a camera without noise still rounds


@dataclass(frozen=True)
class Touch:
    """What the detector says of a frame."""

    contact: bool
    strength: float  # largest deviation of a cell from the background, in units of its noise
    changed: bool  # the picture differs from the last one that was marked as used


class ContactDetector:
    """Learns the untouched gel from its first frames, then says of every frame whether something touches."""

    def __init__(self, enter: float = ENTER, leave: float = LEAVE, learn_frames: int = LEARN_FRAMES) -> None:
        if not 0 < leave <= enter:
            raise ValueError(
                f"thresholds are {enter} to enter and {leave} to leave; expected 0 < leave ≤ enter"
            )
        if learn_frames < 2:
            raise ValueError(f"learn_frames is {learn_frames}; the noise needs at least 2")
        self.enter, self.leave, self.learn_frames = enter, leave, learn_frames
        self.reset()

    def reset(self) -> None:
        """Forget the background: the next frames are taken as untouched."""
        self._first: list[NDArray[np.float64]] = []
        self._background: NDArray[np.float64] | None = None
        self._noise: NDArray[np.float64] | None = None
        self._used: NDArray[np.float64] | None = None
        self._contact = False

    @property
    def ready(self) -> bool:
        """True once the background is known."""
        return self._background is not None

    def see(self, image: NDArray[np.uint8]) -> Touch:
        """Judge one frame (H, W, 3); untouched ones refine the background."""
        cells = cell_means(image)
        if self._background is not None and cells.shape != self._background.shape:
            self.reset()  # the camera changed its format
        if self._background is None or self._noise is None:
            return self._learn(cells)
        strength = float((np.abs(cells - self._background) / self._noise).max())
        self._contact = strength > (self.leave if self._contact else self.enter)
        if not self._contact:
            self._background += RATE * (cells - self._background)
            self._used = None
            return Touch(False, strength, False)
        changed = self._used is None or float((np.abs(cells - self._used) / self._noise).max()) > CHANGED
        if changed:
            self._used = cells
        return Touch(True, strength, changed)

    def _learn(self, cells: NDArray[np.float64]) -> Touch:
        self._first.append(cells)
        if len(self._first) == self.learn_frames:
            first = np.stack(self._first)
            self._background = first.mean(axis=0)
            # One noise level for all cells, per colour: ten frames are too few for one each.
            spread = first.std(axis=0, ddof=1)
            self._noise = np.maximum(np.sqrt(np.square(spread).mean(axis=(0, 1))), NOISE_FLOOR)
            self._first = []
        return Touch(False, 0.0, False)


def cell_means(image: NDArray[np.uint8], cells: int = CELLS) -> NDArray[np.float64]:
    """(cells, cells, 3) mean colours of the parts of a picture."""
    height, width = image.shape[:2]
    rows = np.linspace(0, height, min(cells, height) + 1).astype(int)
    columns = np.linspace(0, width, min(cells, width) + 1).astype(int)
    sums = np.add.reduceat(np.add.reduceat(image, rows[:-1], axis=0, dtype=np.int64), columns[:-1], axis=1)
    return sums / (np.diff(rows)[:, None, None] * np.diff(columns)[None, :, None])
