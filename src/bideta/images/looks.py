"""What the pictures of a sensor look like: a few hundred numbers of a picture, and how they vary over labelled presses.

A sensor's own pictures resemble their mean: gel, light, markers and frame are always the same, contacts are small. So a
picture from elsewhere gives itself away without any knowledge of what is pressed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

CELLS = 12  # a side: finer cells tell contacts of one sensor apart, not sensors
FINE = 96  # pixels of the longer side at which sharpness is measured: the same for every camera
PIXELS = 3 * CELLS * CELLS
FACTS = ("sharpness", "height", "width")  # behind the pixels of a sketch
WIDTH = PIXELS + len(FACTS)
MOST_PRESSES = 64  # that are left out in turn
LIGHT = 10  # percentile of the labelled presses' strengths that stands for a light one
FLOOR = 0.5  # of 255: spread of a sensor that does not vary at all
# What a file may hold: how many numbers (None: at most ``MOST_PRESSES``), from where to where.
LIMITS: dict[str, tuple[int | None, float, float]] = {
    "mean": (PIXELS, 0.0, 255.0),
    "spread": (PIXELS, FLOOR / 2, 255.0),
    "facts": (len(FACTS), 0.0, 1e6),
    "facts_spread": (len(FACTS), 0.0, 1e6),
    "hidden": (None, 0.0, 1e6),
    "touch": (1, 0.0, 255.0),
}

Floats = NDArray[np.float32]
Floats64 = NDArray[np.float64]


def sketch(picture: Any) -> Floats:
    """(435,) a picture as 12 × 12 mean colours, its sharpness, height and width; NaN for what is no RGB picture."""
    if not (isinstance(picture, np.ndarray) and picture.dtype == np.uint8 and picture.size) or (
        picture.shape != (*picture.shape[:2], 3)
    ):
        return np.full(WIDTH, np.nan, np.float32)
    height, width = picture.shape[:2]
    small = Image.fromarray(picture)
    small = small.reduce(max(1, max(height, width) // FINE))  # whole steps first: the fastest
    small.thumbnail((FINE, FINE), Image.Resampling.BOX)
    cells = np.asarray(small.resize((CELLS, CELLS), Image.Resampling.BOX), np.float32)
    grey = np.asarray(small.convert("L"), np.float32)
    steps = [np.abs(np.diff(grey, axis=axis)).mean() for axis in (0, 1) if grey.shape[axis] > 1]
    facts = np.array([np.mean(steps) if steps else 0.0, height, width], np.float32)
    return np.concatenate([cells.ravel(), facts])


def sketches(pictures: Iterable[Any]) -> Floats:
    """(m, 435) sketches of pictures."""
    return np.array([sketch(picture) for picture in pictures], np.float32).reshape(-1, WIDTH)


@dataclass(frozen=True, eq=False)
class Look:
    """How the labelled pictures of a sensor look, and how far each press is from the others."""

    mean: Floats64  # (432,) 12 × 12 mean colours, the mean of the presses
    spread: Floats64  # (432,) their standard deviation over presses, half of it the mean one of all cells
    facts: Floats64  # (3,) mean of ``FACTS``
    facts_spread: Floats64  # (3,)
    hidden: Floats64  # (h,) distance of each press to the others, ascending; see ``distance``
    touch: float = 0.0  # strength of light labelled presses, see ``contact_strengths``; 0: not known

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file keeps."""
        return {name: np.atleast_1d(np.asarray(getattr(self, name), np.float64)) for name in LIMITS}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Look:
        """What a file kept; an error where it cannot be."""
        given = {}
        for name, (size, low, high) in LIMITS.items():
            array = arrays[name]
            fits = array.ndim == 1 and (array.size <= MOST_PRESSES if size is None else array.size == size)
            if not fits or array.dtype.kind != "f" or not ((array >= low) & (array <= high)).all():
                raise ValueError(
                    f"look.{name} has shape {array.shape} and dtype {array.dtype}, or numbers beyond {low:g} … {high:g}"
                )
            given[name] = array.astype(np.float64)
        if not (given["facts"][1:] >= 1).all():
            raise ValueError("look.facts: the labelled pictures have no pixels")
        touch = float(given.pop("touch")[0])
        return cls(**given, touch=touch)


def look_at(pictures: ArrayLike, presses: ArrayLike, background: Any = None) -> Look | None:
    """The look of labelled pictures, (n, 435) sketches; None where fewer than two presses have one.

    ``background`` is a picture of the untouched sensor.
    """
    S = np.asarray(pictures, np.float64)
    seen = np.isfinite(S).all(axis=1)
    number = np.unique(np.asarray(presses)[seen], return_inverse=True)[1]
    counts = np.bincount(number)
    if len(counts) < 2:
        return None
    M = np.zeros((len(counts), WIDTH))  # the mean of each press
    np.add.at(M, number, S[seen])
    M /= counts[:, None]
    n = len(M)
    total, squares = M.sum(axis=0), (M**2).sum(axis=0)
    mean, variance = _moments(total, squares, n)
    chosen = np.unique(np.linspace(0, n - 1, min(n, MOST_PRESSES)).round().astype(int))
    hidden = []
    for row in chosen if n > 2 else ():
        other_mean, other_variance = _moments(total - M[row], squares - M[row] ** 2, n - 1)
        hidden.append(distance(M[row, :PIXELS], other_mean[:PIXELS], _spread(other_variance)))
    spread = _spread(variance)
    touch = 0.0
    if background is not None:
        touch = float(np.percentile(contact_strengths(M, background), LIGHT))
    facts, facts_spread = mean[PIXELS:], np.sqrt(variance[PIXELS:])
    return Look(mean[:PIXELS], spread, facts, facts_spread, np.sort(np.array(hidden, np.float64)), touch)


def distance(pixels: Any, mean: Any, spread: Any) -> float:
    """Root mean square deviation in units of the spread: about one for a press of the sensor."""
    return float(np.sqrt(np.mean(((np.asarray(pixels) - mean) / spread) ** 2)))


def contact_strengths(pictures: ArrayLike, background: Any) -> Floats64:
    """(m,) root mean square difference of sketches to the untouched sensor, of 255, without what neighbours share.

    Light that drifts changes neighbouring cells alike; a contact does not.
    """
    from scipy.ndimage import (
        uniform_filter,  # a tenth of a second to import: only where a background is known
    )

    difference = (np.asarray(pictures, np.float64)[:, :PIXELS] - sketch(background)[:PIXELS]).reshape(
        -1, CELLS, CELLS, 3
    )
    smooth = uniform_filter(difference, (0, 3, 3, 0), mode="nearest")
    return np.asarray(np.sqrt(np.square(difference - smooth).mean(axis=(1, 2, 3))))


def _moments(total: Floats64, squares: Floats64, n: int) -> tuple[Floats64, Floats64]:
    mean = total / n
    return mean, np.maximum(squares / n - mean**2, 0.0) * n / max(n - 1, 1)


def _spread(variance: Floats64) -> Floats64:
    """Standard deviation of every cell, alike for the colours, drawn half way to that of all cells."""
    cells = variance[:PIXELS].reshape(-1, 3).mean(axis=1)
    return np.repeat(np.sqrt((cells + cells.mean()) / 2 + FLOOR**2), 3)
