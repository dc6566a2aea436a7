"""Kinds of batches that are shown to a sensor: its own pictures, and what may have become of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bideta.images.batch_check import LUMA

Picture = NDArray[np.uint8]
ALL = 10**6  # size of a batch of all pictures

CHANGES: dict[str, Callable[[Picture], Picture]] = {
    "grey": lambda P: np.repeat((P @ LUMA).round().astype(np.uint8)[..., None], 3, axis=2),
    "BGR": lambda P: P[..., ::-1],
    "mirrored": lambda P: P[:, ::-1],
    "middle half": lambda P: P[len(P) // 4 :, P.shape[1] // 4 :][: len(P) // 2, : P.shape[1] // 2],
    "corner half": lambda P: P[: len(P) // 2, : P.shape[1] // 2],
}
TURNS: dict[str, Callable[[Picture], Picture]] = {  # asked where pictures may be symmetric
    "top and bottom exchanged": lambda P: P[::-1],
    "turned by 180 degrees": lambda P: P[::-1, ::-1],
    "negative": lambda P: 255 - P,
}
LAMPS: dict[str, Callable[[Picture], Picture]] = {
    "a tenth brighter": lambda P: np.clip(P * 1.1, 0, 255).astype(np.uint8),
    "a tenth darker": lambda P: (P * 0.9).astype(np.uint8),
}
GENUINE, CONSECUTIVE, DAY, OTHER, EMPTY = (
    "genuine",
    "genuine, 8 in a row",
    "the other day",
    "another sensor",
    "untouched",
)
QUANTITIES = "quantities, "  # what their groups begin with
