"""What becomes of a sensor's own pictures: focus, lamps, camera and file format change, the contacts do not."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import numpy as np
from PIL import Image, ImageFilter
from scipy.ndimage import rotate, shift

from benchmarks.trust.foreign_changes import Picture

BLUR = 0.003, 0.01  # of the width: 1 and 3 pixels of 320
CONTRAST = 0.7
NOISE = 10.0  # standard deviation of every pixel, of 255
MOVED = 0.05  # of the width, to the right
TURNED = 3.0  # degrees
QUALITY = 15  # of a JPEG file


def _lit(gain: float) -> Callable[[Picture], Picture]:
    return lambda P: np.clip(P * gain, 0, 255).astype(np.uint8)


def _blurred(share: float) -> Callable[[Picture], Picture]:
    return lambda P: np.asarray(
        Image.fromarray(P).filter(ImageFilter.GaussianBlur(share * P.shape[1])), np.uint8
    )


def _flat(P: Picture) -> Picture:
    mean = P.mean(axis=(0, 1))
    return np.clip(mean + CONTRAST * (P - mean), 0, 255).astype(np.uint8)


def _noisy(P: Picture) -> Picture:
    seed = int(P.sum(dtype=np.int64) % 2**32)  # another noise for every picture
    return np.clip(P + np.random.default_rng(seed).normal(0, NOISE, P.shape), 0, 255).astype(np.uint8)


def _moved(P: Picture) -> Picture:
    return np.asarray(shift(P, (0, MOVED * P.shape[1], 0), order=1, mode="nearest"), np.uint8)


def _turned(P: Picture) -> Picture:
    return np.asarray(rotate(P, TURNED, reshape=False, order=1, mode="nearest"), np.uint8)


def _saved(P: Picture) -> Picture:
    file = BytesIO()
    Image.fromarray(P).save(file, "JPEG", quality=QUALITY)
    return np.asarray(Image.open(file), np.uint8)


SHIFTS: dict[str, Callable[[Picture], Picture]] = {
    "blurred a little": _blurred(BLUR[0]),
    "blurred": _blurred(BLUR[1]),
    "10 % brighter": _lit(1.1),
    "25 % brighter": _lit(1.25),
    "10 % darker": _lit(0.9),
    "25 % darker": _lit(0.75),
    "less contrast": _flat,
    "noise": _noisy,
    "moved": _moved,
    "turned": _turned,
    "JPEG of low quality": _saved,
}
