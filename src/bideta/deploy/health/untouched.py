"""What a picture of the untouched gel says beside the one of its first day: light, contrast, and where markers are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SIDE = 64  # pixels a side at which gels are compared
DETAIL = 9  # pixels, odd: what is wider is shading
FARTHEST = SIDE // 8  # pixels: a longer way cannot be told from a step of the marker grid
LIGHT, CONTRAST, SHIFT = 0.12, 0.25, 0.02  # relative changes, and a share of the width, that are worth a word


@dataclass(frozen=True)
class GelChange:
    """Untouched gel now against then.

    Attributes:
        light: relative change of red, green and blue
        contrast: relative change of fine detail
        shift: of markers or grain, as a share of the picture's width
    """

    light: tuple[float, float, float]
    contrast: float
    shift: float

    def words(self) -> list[str]:
        """What is worth saying."""
        said = []
        for name, change in zip(("red", "green", "blue"), self.light, strict=True):
            if abs(change) > LIGHT:
                said.append(
                    f"{name} light {'lost' if change < 0 else 'gained'} {abs(change):.0%}".replace("%", " %")
                )
        if abs(self.contrast) > CONTRAST:
            more = "lost" if self.contrast < 0 else "gained"
            said.append(f"the untouched gel {more} {abs(self.contrast):.0%} of its detail".replace("%", " %"))
        if self.shift > SHIFT:
            said.append(f"markers moved by {self.shift:.0%} of the width".replace("%", " %"))
        return said


def compare_gels(then: NDArray[Any], now: NDArray[Any]) -> GelChange:
    """Two pictures (H, W, 3) of the untouched gel.

    Args:
        then: (H, W, 3) the untouched gel on the first day.
        now: (H, W, 3) the untouched gel today; any size.
    """
    a, b = (_shrunk(picture) for picture in (then, now))
    light = (b.mean(axis=(0, 1)) + 1) / (a.mean(axis=(0, 1)) + 1) - 1
    one, other = (_detail(picture.mean(axis=2)) for picture in (a, b))
    contrast = (other.std() + 0.5) / (one.std() + 0.5) - 1
    red, green, blue = (float(change) for change in light)
    return GelChange((red, green, blue), float(contrast), _shift(one, other))


def _shrunk(picture: NDArray[Any]) -> NDArray[np.float64]:
    if np.ndim(picture) != 3 or np.shape(picture)[2] != 3:
        raise ValueError(f"picture has shape {np.shape(picture)}, expected (H, W, 3)")
    pixels = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))
    return np.asarray(pixels.resize((SIDE, SIDE), Image.Resampling.BILINEAR), np.float64)


def _detail(grey: NDArray[np.float64]) -> NDArray[np.float64]:
    half, mean = DETAIL // 2, grey
    for _ in range(2):  # down the columns; turned, along the rows
        sums = np.cumsum(np.pad(mean, ((half + 1, half), (0, 0)), "symmetric"), axis=0)
        mean = ((sums[DETAIL:] - sums[:-DETAIL]) / DETAIL).T
    return grey - mean


def _shift(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """How far detail has moved: the peak of the cross-correlation; 0 where the gels have nothing in common."""
    product = np.fft.rfft2(one) * np.conj(np.fft.rfft2(other))
    correlation = np.fft.irfft2(product, one.shape)
    way = np.minimum(np.arange(SIDE), SIDE - np.arange(SIDE))  # both ways round
    moved = np.hypot(way[:, None], way)
    correlation[moved > FARTHEST] = -np.inf
    peak = int(correlation.argmax())
    strength = correlation.flat[peak] / (one.size * one.std() * other.std() + 1e-9)
    return float(moved.flat[peak] / SIDE) if strength > 0.3 else 0.0
