"""Uploaded bytes → a picture: checked, decoded once and handed on, shown small."""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bideta.encoders.runners.prepared import bytes_of
from bideta.images.looks import sketch
from bideta.images.pixel_budget import PixelBudget
from bideta.images.png import png
from bideta.images.reading import ImageError, count_pixels, decode_image
from bideta.service.ahead import ahead
from bideta.service.encoding import BATCH
from bideta.studio.compute import BusyError
from bideta.studio.limits import Limits
from bideta.studio.refused import RefusedError
from bideta.studio.texts import clean_label, clean_name

DECODING = PixelBudget()  # of all requests together
THUMB = 128  # px, longer side
# First bytes → ending, whatever the file was called.
SUFFIXES = {
    b"\x89PNG": ".png",
    b"\xff\xd8": ".jpg",
    b"BM": ".bmp",
    b"II": ".tif",
    b"MM": ".tif",
    b"RIFF": ".webp",
}


@dataclass(frozen=True)
class Upload:
    """A file as it came: bytes, a name that is only ever shown, and what the client says about it."""

    name: str
    content: bytes
    label: str | None = None
    truth: str | None = None  # for scoring only
    press: str | None = None  # equal for frames of one press; None: a press of its own

    def cleaned(self, limits: Limits) -> Upload:
        """The same with texts that can be shown; a label that cannot be a class name is an error."""
        return replace(
            self,
            name=clean_name(self.name, limits),
            label=clean_label(self.label, limits),
            truth=clean_label(self.truth, limits),
            press=clean_name(self.press, limits) if self.press else None,
        )


@dataclass(frozen=True)
class Picture:
    """A decoded upload: what the contact and the store need of it. Its pixels are with whoever took them."""

    upload: Upload
    thumb: bytes  # PNG made here, never the user's bytes
    colour: tuple[float, float, float]
    suffix: str
    digest: str  # of the uploaded bytes
    sketch: NDArray[np.float32]  # how it looks


def decode(
    uploads: Sequence[Upload],
    limits: Limits,
    take: Callable[[Any], None],
    prepare: Callable[[NDArray[np.uint8]], Any] = lambda pixels: pixels,
) -> tuple[list[Picture], list[dict[str, str]]]:
    """The readable uploads, and name and reason of the others.

    ``take`` is given what ``prepare`` makes of the pixels of each, in order; meanwhile the next ones are read, by one
    thread: other requests want the cores too.
    Images that are too many pixels together are refused before the first is decoded.
    """
    pixels = [count_pixels(io.BytesIO(upload.content), limits.image_pixels) for upload in uploads]
    if sum(pixels) > limits.request_pixels:
        raise RefusedError(
            413,
            f"the images have {sum(pixels):,} pixels together, at most {limits.request_pixels:,} are allowed in one "
            "request; send fewer at a time",
        )
    pictures, rejected = [], []
    cleaned = [upload.cleaned(limits) for upload in uploads]

    def read(row: int) -> tuple[Picture, Any] | ImageError:
        try:
            with _share(pixels[row], limits):
                decoded = _decode(cleaned[row], limits)
        except ImageError as error:
            return error
        return _shown(cleaned[row], decoded), prepare(decoded)

    with closing(ahead(read, range(len(cleaned)), BATCH, bytes_of, workers=1)) as outcomes:
        for upload, outcome in zip(cleaned, outcomes, strict=True):
            if isinstance(outcome, ImageError):
                rejected.append({"name": upload.name, "error": str(outcome)})
            else:
                pictures.append(outcome[0])
                take(outcome[1])
    return pictures, rejected


@contextmanager
def _share(count: int, limits: Limits) -> Iterator[None]:
    """A share of the pixels that the server decodes at a time; it is busy where none becomes free."""
    with ExitStack() as stack:
        try:
            stack.enter_context(DECODING.share(count, limits.decoding_pixels, limits.decoding_seconds))
        except TimeoutError as error:
            raise BusyError(math.ceil(limits.decoding_seconds)) from error
        yield


def _decode(upload: Upload, limits: Limits) -> NDArray[np.uint8]:
    name, content = upload.name, upload.content
    if not content:
        raise ImageError(f"cannot read {name}: the file is empty")
    if len(content) > limits.image_bytes:
        raise ImageError(
            f"cannot read {name}: {len(content):,} bytes, at most {limits.image_bytes:,} are allowed"
        )
    return decode_image(io.BytesIO(content), name, limits.image_pixels)


def _shown(upload: Upload, pixels: NDArray[np.uint8]) -> Picture:
    red, green, blue = pixels.mean(axis=(0, 1)).tolist()
    thumb = Image.fromarray(pixels)
    thumb.thumbnail((THUMB, THUMB))
    suffix = next((end for start, end in SUFFIXES.items() if upload.content.startswith(start)), ".png")
    digest = hashlib.sha256(upload.content).hexdigest()
    return Picture(upload, png(thumb), (red, green, blue), suffix, digest, sketch(pixels))
