"""What encoders do with each picture alone (resizing) apart from what they do with a batch (the network).

The first may run in any thread while the network is busy, and what it leaves of a large picture is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from bideta.encoders import Encoder, Readouts

Prepared = Any  # an array, or tuples of them


@runtime_checkable
class PreparingEncoder(Protocol):
    """An encoder with both halves: ``encode`` is ``encode_prepared`` of what ``prepare`` makes, to the bit."""

    def prepare(self, image: Any, previous: Any = None) -> Prepared:
        """What the network needs of one frame ``(H, W, 3)``; may be called in any thread."""
        ...

    def encode_prepared(self, prepared: Sequence[Prepared]) -> Readouts:
        """The readouts of one batch."""
        ...


def prepare(encoder: Encoder, image: Any, previous: Any = None) -> Prepared:
    """What the encoder needs of a frame; of one that knows no halves, the frame itself."""
    if isinstance(encoder, PreparingEncoder):
        return encoder.prepare(image, previous)
    return image, previous


def encode_prepared(encoder: Encoder, prepared: Sequence[Prepared]) -> Readouts:
    """The readouts of one batch of what ``prepare`` made."""
    if isinstance(encoder, PreparingEncoder):
        return encoder.encode_prepared(prepared)
    images, previous = (list(frames) for frames in zip(*prepared, strict=True))
    return encoder.encode(images, None if previous[0] is None else previous, len(images))


def bytes_of(prepared: Prepared) -> int:
    """Memory that it holds."""
    if isinstance(prepared, tuple):
        return sum(bytes_of(part) for part in prepared)
    return int(getattr(prepared, "nbytes", 0))
