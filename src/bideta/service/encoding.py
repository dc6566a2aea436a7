"""Image files → readouts, a batch at a time; a broken file is named and the others go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.encoders import Encoder, Readouts
from bideta.images.reading import ImageError, read_image

BATCH = 64  # images in memory at a time


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
    """Both readouts of every readable file, in order; memory does not grow with the number of pictures."""
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
    readouts = (np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))
    red, green, blue = (colour / len(rows)).tolist()
    return Encoded(readouts, np.array(rows, np.int64), broken, (red, green, blue))


def encode_pictures(encoder: Encoder, pictures: Sequence[NDArray[np.uint8]]) -> Readouts:
    """Readouts that do not depend on how uploads were grouped.

    A batch of one takes other matrix kernels and differs in the last bits; it is encoded as a pair.
    """
    frames: list[Any] = list(pictures) if len(pictures) != 1 else [pictures[0], pictures[0]]
    first, second = encoder.encode(frames)
    return first[: len(pictures)], second[: len(pictures)]
