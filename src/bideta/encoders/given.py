"""Readouts that somebody else made: arrays in, the same arrays out. For inputs that hold readouts, not pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bideta.encoders import Encoder, EncoderInfo, Readouts
from bideta.encoders.runners.batches import joined, sliced

INFO = EncoderInfo(
    name="given",
    title="Readouts as they are, from arrays",
    input_size=1,
    readouts=(1,),  # its own are those of the input
    parameters=0,
    tactile=False,
    licence="that of the arrays",
    reference="ours: nothing is computed",
    url="bideta help bring-your-data",
    run_by="numpy",
    takes="readouts",
    decisive=("widths",),
)


def load(widths: Sequence[int] = (1,)) -> Encoder:
    """The encoder; ``widths`` are the numbers of features of the readouts."""
    if not widths or not all(isinstance(width, int) and width > 0 for width in widths):
        raise ValueError(f"widths is {widths!r}, expected one positive number for each readout")
    return Given(tuple(widths))


class Given:
    """Contacts are tuples of vectors already."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        self.info = replace(INFO, readouts=widths)
        self.fingerprint = hashlib.sha256(f"given {widths}".encode()).hexdigest()

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """The readouts of contacts that are tuples of vectors, as float32."""
        parts = []
        for batch, _ in sliced(images, previous, batch_size, channels=3):
            rows = [
                tuple(np.asarray(vector, np.float32) for vector in self._checked(contact))
                for contact in batch
            ]
            if rows:
                parts.append([np.stack(readout) for readout in zip(*rows, strict=True)])
        return joined(parts, self.info)

    def _checked(self, contact: Any) -> Any:
        shapes = [np.shape(vector) for vector in contact]
        if shapes != [(width,) for width in self.info.readouts]:
            raise ValueError(
                f"a contact has readouts {shapes}, expected {' + '.join(map(str, self.info.readouts))} features"
            )
        return contact
