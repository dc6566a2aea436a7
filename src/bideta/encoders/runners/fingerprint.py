"""Fingerprint of an encoder: sha256 over its weights and its preprocessing.

Sensor files and caches of readouts store fingerprints, so the texts hashed here never change. They keep the names
that the classes of the first version had.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from bideta.encoders.runners.preprocessing import Preprocessing

if TYPE_CHECKING:
    from torch import nn


def of_file(content: bytes, preprocessing: Preprocessing) -> str:
    """Of a weight file's bytes and a plain preprocessing: square, bicubic, no padding, no background."""
    return hashlib.sha256(content + plain_text(preprocessing).encode()).hexdigest()


def of_network(network: nn.Module, preprocessing: Preprocessing, readout: str) -> str:
    """Of every tensor, so that the kind of file does not matter; ``readout`` says what else decides the numbers."""
    digest = hashlib.sha256((full_text(preprocessing) + readout).encode())
    state = network.state_dict()
    for key in sorted(state):
        values = state[key].detach().cpu().float().contiguous().numpy()
        digest.update(f"{key} {values.shape}".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()


def plain_text(p: Preprocessing) -> str:
    """All that may differ between two plain preprocessings."""
    return f"Preprocessing(size={p.height}, channels={p.channels}, mean={p.mean}, std={p.std})"


def full_text(p: Preprocessing) -> str:
    """A text that differs whenever the network's input would."""
    shade = "" if p.background is None else hashlib.sha256(p.background.tobytes()).hexdigest()
    cut = "" if p.shorter is None else f"shorter={p.shorter} "
    return (
        f"Frames(height={p.height}, width={p.width}, channels={p.channels}, mean={p.mean}, std={p.std}, "
        f"resize={p.resize!r}, pad_and_rotate={p.pad_and_rotate}){cut}{shade}"
    )
