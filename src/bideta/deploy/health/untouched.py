"""What a picture of the untouched gel says beside the one of its first day: light, contrast, and where markers are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

SIDE = 64  # pixels a side at which gels are compared
DETAIL = 9  # pixels: what is wider is shading
LIGHT, CONTRAST, SHIFT = 0.12, 0.25, 0.02  # relative changes, and a share of the width, that are worth a word


@dataclass(frozen=True)
class GelChange:
    """Untouched gel now against then."""

    light: tuple[float, float, float]  # relative change of red, green and blue
    contrast: float  # relative change of fine detail
    shift: float  # of markers or grain, as a share of the picture's width

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
    """Two pictures (H, W, 3) of the untouched gel."""
    a, b = (_shrunk(picture) for picture in (then, now))
    light = (b.mean(axis=(0, 1)) + 1) / (a.mean(axis=(0, 1)) + 1) - 1
    one, other = (_detail(picture.mean(axis=2)) for picture in (a, b))
    contrast = (other.std() + 0.5) / (one.std() + 0.5) - 1
    red, green, blue = (float(change) for change in light)
    return GelChange((red, green, blue), float(contrast), _shift(one, other))


def _shrunk(picture: NDArray[Any]) -> NDArray[np.float64]:
    if np.ndim(picture) != 3 or np.shape(picture)[2] != 3:
        raise ValueError(f"picture has shape {np.shape(picture)}, expected (H, W, 3)")
    zoom = (SIDE / picture.shape[0], SIDE / picture.shape[1], 1)
    return np.asarray(ndimage.zoom(np.asarray(picture, np.float64), zoom, order=1))


def _detail(grey: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(grey - ndimage.uniform_filter(grey, DETAIL))


def _shift(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """How far detail has moved: the peak of the cross-correlation; 0 where the gels have nothing in common."""
    product = np.fft.rfft2(one) * np.conj(np.fft.rfft2(other))
    correlation = np.fft.irfft2(product, one.shape)
    down, across = np.unravel_index(int(correlation.argmax()), one.shape)
    strength = correlation.max() / (one.size * one.std() * other.std() + 1e-9)
    moved = np.hypot(min(down, SIDE - down), min(across, SIDE - across))
    return float(moved / SIDE) if strength > 0.3 else 0.0
