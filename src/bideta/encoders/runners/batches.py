"""Frames in batches that fit into memory, and the readouts of all batches joined again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bideta.encoders import EncoderInfo, Readouts
from bideta.encoders.runners.preprocessing import Floats, Preprocessing


def batches(preprocessing: Preprocessing, images: Any, previous: Any, batch_size: int) -> Iterator[Floats]:
    """Network inputs of at most ``batch_size`` frames, in order."""
    for frames, before in sliced(images, previous, batch_size, preprocessing.channels):
        yield preprocessing(frames, before)


def sliced(images: Any, previous: Any, batch_size: int, channels: int) -> Iterator[tuple[Any, Any]]:
    """At most ``batch_size`` frames and those before them, in order; ``images`` may read from disk lazily."""
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}, expected at least 1")
    if previous is not None and len(previous) != len(images):
        raise ValueError(
            f"images and previous disagree on the number of frames: {len(images)} and {len(previous)}"
        )
    if channels == 3:
        previous = None  # never read
    for start in range(0, len(images), batch_size):
        rows = slice(start, start + batch_size)
        yield images[rows], None if previous is None else previous[rows]


def joined(parts: Sequence[Sequence[Floats]], info: EncoderInfo) -> Readouts:
    """Every readout of all batches; no batches give empty arrays of the right widths."""
    if not parts:
        return tuple(np.zeros((0, width), np.float32) for width in info.readouts)
    return tuple(np.concatenate(readout) for readout in zip(*parts, strict=True))
