"""The camera: vignetting, focus, exposure, tone curve, noise; linear light in, 8-bit RGB out."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bideta.sim.design import SensorDesign
from bideta.sim.gel import blur
from bideta.sim.shapes import Array
from bideta.sim.view import view_of

TONE_STEPS = 4096  # entries of the tone curve's table: 12 bits, as many as a camera has
SHARP_PX = 0.25  # a blur narrower than this changes less than a grey level


@lru_cache(maxsize=64)
def _tone_curve(gamma: float) -> Array:
    """Grey level of each step of linear light."""
    return np.asarray(255 * np.linspace(0, 1, TONE_STEPS) ** (1 / gamma), np.float32)


@lru_cache(maxsize=64)
def _vignette(sensor: SensorDesign, size: int) -> Array:
    """Relative light at each pixel, 1 in the middle, times the exposure."""
    corner = np.float32(sensor.vignetting) * view_of(sensor, size).radius ** 2
    return np.float32(sensor.exposure) * (1 - corner)


def expose(light: Array, sensor: SensorDesign, gain: Array, noise: Array | None) -> NDArray[np.uint8]:
    """Pictures (N, size, size, 3) of linear light (N, 3, size, size).

    ``gain`` (N, 3) multiplies each frame's channels; ``noise`` (N, 3, size, size) is in grey levels.
    """
    size = light.shape[-1]
    pixel_x, pixel_y = view_of(sensor, size).pixel
    sigma_y, sigma_x = sensor.focus_blur / pixel_y, sensor.focus_blur / pixel_x
    if max(sigma_x, sigma_y) > SHARP_PX:
        light = blur(light, sigma_y, sigma_x)
    light = light * _vignette(sensor, size)
    light *= gain[:, :, None, None] * np.float32(TONE_STEPS - 1)
    np.clip(light, 0, TONE_STEPS - 1, out=light)
    grey = _tone_curve(sensor.gamma)[light.astype(np.intp)]
    if noise is not None:
        grey += noise
    grey += np.float32(0.5)
    np.clip(grey, 0, 255, out=grey)
    return np.ascontiguousarray(grey.astype(np.uint8).transpose(0, 2, 3, 1))
