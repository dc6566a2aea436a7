"""Pictures → readouts, in bounded memory: files, uploads, frames of a dataset, one frame of a camera.

An encoder gives one or more readouts of a contact, each an array with a row for every picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import Frames
from bideta.encoders import Encoder, Readouts
from bideta.encoders.runners.prepared import Prepared, bytes_of, encode_prepared, prepare
from bideta.images.differences import difference
from bideta.images.lazy import Chosen, ImageFiles
from bideta.images.looks import sketch
from bideta.images.reading import ImageError
from bideta.readers import Pictures
from bideta.service.ahead import ahead

BATCH = 64  # pictures in memory at a time
HELD_BYTES = 2**26  # of them, unless one alone is larger: 64 pictures of 600 × 580 pixels


@dataclass(frozen=True)
class Encoded:
    """Readouts of the files that could be read."""

    readouts: Readouts
    rows: NDArray[np.int64]  # which of the files they are
    broken: dict[int, str]  # row → why it could not be read
    colour: tuple[float, float, float]  # mean red, green and blue, 0 … 255
    sketches: NDArray[np.float32]  # (n, 435) how the pictures look; NaN for what is no picture
    lost: tuple[str, ...] = ()  # parts of the input that gave no pictures, and why


def encode_files(
    encoder: Encoder,
    paths: Sequence[Path] | Pictures,
    batch_size: int = BATCH,
    step: Callable[[int, int], None] | None = None,
    others: Callable[[int], NDArray[np.uint8]] | None = None,
) -> Encoded:
    """Readouts of every readable file (or picture of a reader), in order; a broken one is named and the others go on.

    Memory does not grow with the number of pictures. ``step`` is told how many files are done, of how many.
    ``others`` gives, for a row, the picture that is subtracted from it before the encoder looks.
    """
    files: Any = ImageFiles(paths) if isinstance(paths, list | tuple) else paths
    parts = Parts(encoder, batch_size)
    rows: list[int] = []
    broken: dict[int, str] = {}
    colour = np.zeros(3)
    looks: list[NDArray[np.float32]] = []

    def read(row: int) -> tuple[Prepared, Any, NDArray[np.float32]] | ImageError:
        try:
            picture = files[row]
            seen = picture if others is None else difference(picture, others(row))
        except ImageError as error:
            return error
        return parts.prepare(seen), mean_colour(picture), sketch(picture)

    # Image files are read in any thread; a video or a bag is read by one, in its order.
    workers = None if getattr(files, "in_files", False) else 1
    with closing(ahead(read, range(len(files)), batch_size, bytes_of, workers)) as pictures:
        for row, picture in enumerate(pictures):
            if isinstance(picture, ImageError):
                broken[row] = str(picture)
            else:
                rows.append(row)
                colour += picture[1]
                looks.append(picture[2])
                parts.add(picture[0])
            done = row + 1
            if done % batch_size == 0 or done == len(files):
                parts.flush()
                if step is not None:
                    step(done, len(files))
    if not rows:
        reason = f"; the first: {next(iter(broken.values()))}" if broken else ""
        raise ImageError(f"none of the {len(paths)} images can be read{reason}")
    red, green, blue = (colour / len(rows)).tolist()
    return Encoded(parts.readouts(), np.array(rows, np.int64), broken, (red, green, blue), np.array(looks))


class Parts:
    """Readouts of pictures that come one by one; so few are held at a time that large ones fit into memory.

    ``prepare`` may run in any thread, ahead of ``add``: it leaves of a picture what the encoder's batch needs.
    """

    def __init__(self, encoder: Encoder, most: int = BATCH) -> None:
        self.encoder, self.most = encoder, most
        self._held: list[Prepared] = []
        self._done: list[Readouts] = []

    def prepare(self, picture: Any) -> Prepared:
        """What the encoder needs of a picture, or of another contact of a reader."""
        return prepare(self.encoder, picture)

    def add(self, picture: Prepared) -> None:
        """Take the next picture, prepared."""
        bytes_ = sum(map(bytes_of, self._held)) + bytes_of(picture)
        if len(self._held) == self.most or bytes_ > HELD_BYTES:
            self.flush()
        self._held.append(picture)

    def flush(self) -> None:
        """Encode what is held, and let go of it."""
        if self._held:
            self._done.append(_encode_batch(self.encoder, self._held))
            self._held = []

    def readouts(self) -> Readouts:
        """Those of all pictures, in their order; there must have been one."""
        self.flush()
        return joined(self._done)


def mean_colour(contact: Any) -> Any:
    """Mean red, green and blue of a picture; signals and readouts have no colour."""
    is_picture = isinstance(contact, np.ndarray) and contact.ndim == 3
    if not is_picture or contact.dtype != np.uint8:
        return contact.mean(axis=(0, 1)) if is_picture else 0.0
    # Whole numbers, one axis after the other: the same to the bit, and a tenth of the time.
    sums = contact.sum(axis=0, dtype=np.uint32).sum(axis=0, dtype=np.uint64)
    return sums / (contact.shape[0] * contact.shape[1])


def encode_pictures(encoder: Encoder, pictures: Sequence[Any]) -> Readouts:
    """Readouts of decoded pictures; they do not depend on which pictures came together."""
    return _encode_batch(encoder, [prepare(encoder, picture) for picture in pictures])


def _encode_batch(encoder: Encoder, prepared: Sequence[Prepared]) -> Readouts:
    """A batch of one takes other matrix kernels and differs in the last bits, so it is encoded as a pair."""
    pair = prepared if len(prepared) != 1 else [prepared[0], prepared[0]]
    return tuple(H[: len(prepared)] for H in encode_prepared(encoder, pair))


def encode_frames(
    encoder: Encoder, frames: Frames, rows: NDArray[np.int64], batch_size: int = BATCH
) -> Readouts:
    """Readouts of some rows of a dataset's frames; pictures are read batch by batch, files ahead of the encoder."""
    previous = frames.previous if stacks_frames(encoder) else None
    if not len(rows) or not getattr(frames.images, "in_files", False):
        before = None if previous is None else Chosen(previous, rows)
        return encoder.encode(Chosen(frames.images, rows), before, batch_size)

    def read(row: int) -> Prepared:
        return prepare(encoder, frames.images[row], None if previous is None else previous[row])

    parts = []
    with closing(ahead(read, rows.tolist(), batch_size, bytes_of)) as pictures:
        while batch := list(islice(pictures, batch_size)):
            parts.append(encode_prepared(encoder, batch))
    return joined(parts)


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
