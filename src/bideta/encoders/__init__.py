"""Frames → two readouts. One file per encoder; this page is what they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Readouts = tuple[NDArray[np.float32], ...]  # one array for each readout, a row for every picture


@dataclass(frozen=True)
class EncoderInfo:
    """Facts of an encoder."""

    name: str
    title: str
    input_size: int  # pixels, height = width
    channels: int  # 3, or 6 where two frames are stacked
    readouts: tuple[int, ...]  # dimension of each readout, the earliest first
    parameters: int | None = None
    tactile: bool = True
    licence: str = ""
    reference: str = ""
    url: str = ""
    input_width: int | None = None  # where it differs from the height
    family: str = ""  # what follows the colon ("file", "model"); facts are then those of the loaded encoder
    extra: str = ""  # what to install: bideta[extra]


class Encoder(Protocol):
    """What every encoder offers."""

    info: EncoderInfo
    fingerprint: str  # sha256 over weights and preprocessing: the key of cached features and artifacts

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Two float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        ...
