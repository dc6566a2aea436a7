"""Pictures as differences to others: a contact on a gel is faint against the picture of the gel."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bideta.images.lazy import revision

GAIN = 3  # of the difference: contacts on a gel are faint
GREY = 128  # what does not differ
# Part of an encoder's fingerprint: raise the number when any line below makes other pictures.
HOW = f"1 {GREY} + {GAIN} (x - other), bicubic, at the smaller size"

Pixels = NDArray[np.uint8]


def difference(picture: Pixels, other: Pixels) -> Pixels:
    """``128 + 3·(picture − other)``, cut to 0 … 255: grey where nothing changed, changes are magnified.

    Pictures of another size than ``other``: the larger of the two (by pixels) takes the smaller one's size.
    A fine picture against a coarse one that was stretched would differ at every edge.
    """
    if picture.shape != other.shape:
        if picture.size > other.size:
            picture = resized(picture, *other.shape[:2])
        else:
            other = resized(other, *picture.shape[:2])
    change = picture.astype(np.int16) - other
    return np.clip(GREY + GAIN * change, 0, 255).astype(np.uint8)


def resized(picture: Pixels, height: int, width: int) -> Pixels:
    """The picture at another size, bicubic."""
    return np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC))


@dataclass(frozen=True)
class Differences:
    """Pictures as differences to others, row by row, made when they are indexed."""

    pictures: Any
    others: Any

    def __len__(self) -> int:
        return len(self.pictures)

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, int | np.integer):
            return difference(self.pictures[rows], self.others[rows])
        return [difference(a, b) for a, b in zip(self.pictures[rows], self.others[rows], strict=True)]

    def revision(self) -> str:
        """Hash of both, and of how they are subtracted."""
        facts = f"{revision(self.pictures)} {revision(self.others)} {GAIN} {GREY}"
        return hashlib.sha256(facts.encode()).hexdigest()
