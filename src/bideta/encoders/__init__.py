"""Frames → readouts. One file is one encoder; this page says what an encoder is.

``runners`` turn frames into readouts, ``networks`` are the torch networks, ``checkpoints`` are weight files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

# Since 1.29 onnxruntime reports its use (a lookup of its maker's host, a device id in the user's cache) unless it is
# told not to before it is first imported. All of ours that may import it is imported after this line.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

Readouts = tuple[NDArray[np.float32], ...]  # one array for each readout, a row for every picture


def in_package() -> tuple[str, bool]:
    """Where weights are that come with the plugin, and that they are there."""
    return "part of the package", True


@dataclass(frozen=True)
class EncoderInfo:
    """Facts of an encoder.

    Attributes:
        name: as ``load_encoder`` takes it
        title: for tables
        input_size: pixels, height = width
        channels: 6 where two frames are stacked
        readouts: dimension of each readout, the earliest first
        parameters: how many the network has
        tactile: whether it was trained on touch
        trained_on: what its weights have seen; empty where nobody knows
        licence: of the weights
        reference: whom to cite
        url: where it comes from
        input_width: where it differs from the height
        family: what follows the colon ("file", "model"); facts are then those of the loaded encoder
        variants: released beside it: name:variant; anything else behind the colon is a file
        extra: what to install: bideta[extra]
        run_by: what torch runs can be exported
        decisive: settings that change readouts; a sensor's file may say these and no others
        takes: what a contact is
        weights_at: Where the weights are or are expected, and whether they are there.
        needs_background: load takes background=, a picture of the sensor without a contact
    """

    name: str
    title: str
    input_size: int = 224
    channels: int = 3
    readouts: tuple[int, ...] = (0, 0)
    parameters: int | None = None
    tactile: bool = True
    trained_on: str = ""
    licence: str = ""
    reference: str = ""
    url: str = ""
    input_width: int | None = None
    family: str = ""
    variants: tuple[str, ...] = ()
    extra: str = ""
    run_by: Literal["onnxruntime", "torch", "numpy"] = "onnxruntime"
    decisive: tuple[str, ...] = ()
    takes: Literal["picture", "signals", "readouts"] = "picture"
    weights_at: Callable[[], tuple[str, bool]] = field(default=in_package, repr=False, compare=False)
    needs_background: bool = False


class Encoder(Protocol):
    """What every encoder offers.

    Attributes:
        info: facts of the encoder
        fingerprint: sha256 over weights and preprocessing: the key of cached features and artifacts
    """

    info: EncoderInfo
    fingerprint: str

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """One or more float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        ...


@runtime_checkable
class AgainstBackground(Encoder, Protocol):
    """What an encoder offers beside that, where it asks for a background."""

    def with_background(self, background: NDArray[np.uint8]) -> Encoder:
        """The same encoder with another background."""
        ...
