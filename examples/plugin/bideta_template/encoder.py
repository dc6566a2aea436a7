"""Mean and deviation of the colours in cells of the picture: an encoder to copy."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from bideta.encoders import Encoder, EncoderInfo, Readouts
from bideta.encoders.runners.batches import batches, joined
from bideta.encoders.runners.preprocessing import Preprocessing

CELLS = 4

INFO = EncoderInfo(
    name="template-colours",
    title="Colours in cells",
    input_size=32,
    readouts=(CELLS * CELLS * 3, CELLS * CELLS * 3),
    parameters=0,
    tactile=False,
    licence="Apache-2.0",
    reference="whom to cite",
    url="where to read more",
    run_by="numpy",
)


def load() -> Encoder:
    """The encoder. Import what is heavy (torch) here, not above."""
    return Colours()


class Colours:
    """Two readouts: means, and standard deviations."""

    info = INFO
    fingerprint = hashlib.sha256(
        b"template-colours 1"
    ).hexdigest()  # of weights and preprocessing: change with them

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Readouts of (N, H, W, 3) uint8 RGB frames of any size."""
        parts = []
        squared = Preprocessing(INFO.input_size, INFO.input_size)  # checks, resizes, scales to [0, 1]
        for batch in batches(squared, images, previous, batch_size):  # (B, 3, 32, 32)
            side = INFO.input_size // CELLS
            cells = batch.reshape(len(batch), 3, CELLS, side, CELLS, side)
            readouts = cells.mean(axis=(3, 5)), cells.std(axis=(3, 5))
            parts.append([readout.reshape(len(batch), -1).astype(np.float32) for readout in readouts])
        return joined(parts, INFO)
