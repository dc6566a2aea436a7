"""Uploaded bytes → a picture: checked, decoded once, shown small."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bideta.images.png import png
from bideta.images.reading import ImageError, decode_image
from bideta.studio.limits import Limits
from bideta.studio.texts import clean_label, clean_name

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
    """A decoded upload: what the contact and the store need of it."""

    upload: Upload
    thumb: bytes  # PNG made here, never the user's bytes
    pixels: NDArray[np.uint8]
    colour: tuple[float, float, float]
    suffix: str


def decode(uploads: Sequence[Upload], limits: Limits) -> tuple[list[Picture], list[dict[str, str]]]:
    """The readable uploads, and name and reason of the others."""
    pictures, rejected = [], []
    for upload in [upload.cleaned(limits) for upload in uploads]:
        try:
            pictures.append(_decode(upload, limits))
        except ImageError as error:
            rejected.append({"name": upload.name, "error": str(error)})
    return pictures, rejected


def _decode(upload: Upload, limits: Limits) -> Picture:
    name, content = upload.name, upload.content
    if not content:
        raise ImageError(f"cannot read {name}: the file is empty")
    if len(content) > limits.image_bytes:
        raise ImageError(
            f"cannot read {name}: {len(content):,} bytes, at most {limits.image_bytes:,} are allowed"
        )
    pixels = decode_image(io.BytesIO(content), name, limits.image_pixels)
    red, green, blue = pixels.mean(axis=(0, 1)).tolist()
    thumb = Image.fromarray(pixels)
    thumb.thumbnail((THUMB, THUMB))
    suffix = next((end for start, end in SUFFIXES.items() if content.startswith(start)), ".png")
    return Picture(upload, png(thumb), pixels, (red, green, blue), suffix)
