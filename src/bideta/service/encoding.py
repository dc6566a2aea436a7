"""Pictures → readouts, in bounded memory: files, uploads, frames of a dataset, one frame of a camera.

An encoder gives one or more readouts of a contact, each an array with a row for every picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import Frames
from bideta.encoders import Encoder, Readouts
from bideta.images.lazy import Chosen
from bideta.images.reading import ImageError, read_image

BATCH = 64  # pictures in memory at a time


@dataclass(frozen=True)
class Encoded:
    """Readouts of the files that could be read."""

    readouts: Readouts
    rows: NDArray[np.int64]  # which of the files they are
    broken: dict[int, str]  # row → why it could not be read
    colour: tuple[float, float, float]  # mean red, green and blue, 0 … 255


def encode_files(
    encoder: Encoder,
    paths: Sequence[Path],
    batch_size: int = BATCH,
    step: Callable[[int, int], None] | None = None,
) -> Encoded:
    """Readouts of every readable file, in order; a broken file is named and the others go on.

    Memory does not grow with the number of pictures. ``step`` is told how many files are done, of how many.
    """
    parts: list[Readouts] = []
    rows: list[int] = []
    broken: dict[int, str] = {}
    colour = np.zeros(3)
    for start in range(0, len(paths), batch_size):
        pictures = []
        for row in range(start, min(start + batch_size, len(paths))):
            try:
                pictures.append(read_image(paths[row]))
            except ImageError as error:
                broken[row] = str(error)
            else:
                rows.append(row)
                colour += pictures[-1].mean(axis=(0, 1))
        if pictures:
            parts.append(encoder.encode(pictures, None, batch_size))
        if step is not None:
            step(min(start + batch_size, len(paths)), len(paths))
    if not parts:
        reason = f"; the first: {next(iter(broken.values()))}" if broken else ""
        raise ImageError(f"none of the {len(paths)} images can be read{reason}")
    red, green, blue = (colour / len(rows)).tolist()
    return Encoded(joined(parts), np.array(rows, np.int64), broken, (red, green, blue))


def encode_pictures(encoder: Encoder, pictures: Sequence[NDArray[np.uint8]]) -> Readouts:
    """Readouts of decoded pictures; they do not depend on which pictures came together.

    A batch of one takes other matrix kernels and differs in the last bits, so it is encoded as a pair.
    """
    frames: Any = list(pictures) if len(pictures) != 1 else [pictures[0], pictures[0]]
    return tuple(H[: len(pictures)] for H in encoder.encode(frames))


def encode_frames(
    encoder: Encoder, frames: Frames, rows: NDArray[np.int64], batch_size: int = BATCH
) -> Readouts:
    """Readouts of some rows of a dataset's frames; pictures are read batch by batch."""
    previous = frames.previous if stacks_frames(encoder) else None
    before = None if previous is None else Chosen(previous, rows)
    return encoder.encode(Chosen(frames.images, rows), before, batch_size)


def encode_one(
    encoder: Encoder, image: NDArray[np.uint8], previous: NDArray[np.uint8] | None = None
) -> Readouts:
    """The readouts (vectors) of one frame; ``previous`` is the frame before it, where there is one."""
    before = None if previous is None or not stacks_frames(encoder) else previous[None]
    return tuple(H[0] for H in encoder.encode(image[None], before))


def stacks_frames(encoder: Encoder) -> bool:
    """True where the encoder looks at a frame together with the one before it."""
    return encoder.info.channels > 3


def joined(parts: Sequence[Readouts]) -> Readouts:
    """Readouts of several batches as those of one."""
    return tuple(np.concatenate(readout) for readout in zip(*parts, strict=True))
