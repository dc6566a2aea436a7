"""Frames → two readouts. One file is one encoder; this page says what an encoder is.

``runners`` turn frames into readouts, ``networks`` are the torch networks, ``checkpoints`` are weight files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Readouts = tuple[NDArray[np.float32], ...]  # one array for each readout, a row for every picture


def in_package() -> tuple[str, bool]:
    """Where weights are that come with the plugin, and that they are there."""
    return "part of the package", True


@dataclass(frozen=True)
class EncoderInfo:
    """Facts of an encoder."""

    name: str
    title: str
    input_size: int = 224  # pixels, height = width
    channels: int = 3  # 6 where two frames are stacked
    readouts: tuple[int, ...] = (0, 0)  # dimension of each readout, the earliest first
    parameters: int | None = None
    tactile: bool = True
    licence: str = ""
    reference: str = ""
    url: str = ""
    input_width: int | None = None  # where it differs from the height
    family: str = ""  # what follows the colon ("file", "model"); facts are then those of the loaded encoder
    extra: str = ""  # what to install: bideta[extra]
    run_by: Literal["onnxruntime", "torch", "numpy"] = "onnxruntime"  # what torch runs can be exported
    # Where the weights are or are expected, and whether they are there.
    weights_at: Callable[[], tuple[str, bool]] = field(default=in_package, repr=False, compare=False)


class Encoder(Protocol):
    """What every encoder offers."""

    info: EncoderInfo
    fingerprint: str  # sha256 over weights and preprocessing: the key of cached features and artifacts

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Two float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        ...
