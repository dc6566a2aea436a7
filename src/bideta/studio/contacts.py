"""Uploaded bytes → a contact: checked, decoded once, shown small, encoded into two readouts."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bideta.encoders import Encoder, Readouts
from bideta.images.reading import ImageError, decode_image
from bideta.studio.limits import Limits

THUMB = 128  # px, longer side
SUFFIXES = {  # first bytes → ending: whatever the file was called
    b"\x89PNG": ".png",
    b"\xff\xd8": ".jpg",
    b"BM": ".bmp",
    b"II": ".tif",
    b"MM": ".tif",
    b"RIFF": ".webp",
}


class LabelError(ValueError):
    """A label that cannot be a class name; the message says why."""


@dataclass(frozen=True)
class Upload:
    """A file as it came: a name that is only ever shown, and bytes."""

    name: str
    content: bytes


@dataclass
class Contact:
    """One touch. With a label it is part of the support; without, it is a query."""

    id: str  # made by the server; never part of a path
    name: str
    label: str | None
    truth: str | None  # known to the user and kept from the method; for scoring only
    press: str | None  # shared by frames of one press; None: a press of its own
    readouts: tuple[NDArray[np.float32], NDArray[np.float32]]  # (d1,), (d2,)
    colour: tuple[float, float, float]  # mean red, green and blue
    part: int  # the file of the store that holds its pictures
    suffix: str  # of the uploaded format


@dataclass(frozen=True)
class Seen:
    """A decoded upload: what the contact and the store need of it."""

    name: str
    content: bytes
    thumb: bytes  # PNG made here, never the user's bytes
    pixels: NDArray[np.uint8]
    colour: tuple[float, float, float]
    suffix: str


def look(uploads: Sequence[Upload], limits: Limits) -> tuple[list[Seen], list[dict[str, str]]]:
    """The readable uploads, and name and reason of the others."""
    seen, rejected = [], []
    for upload in uploads:
        name = clean_name(upload.name, limits)
        try:
            seen.append(_look(name, upload.content, limits))
        except ImageError as error:
            rejected.append({"name": name, "error": str(error)})
    return seen, rejected


def _look(name: str, content: bytes, limits: Limits) -> Seen:
    if not content:
        raise ImageError(f"cannot read {name}: the file is empty")
    if len(content) > limits.image_bytes:
        raise ImageError(
            f"cannot read {name}: {len(content):,} bytes, at most {limits.image_bytes:,} are allowed"
        )
    pixels = decode_image(io.BytesIO(content), name, limits.image_pixels)
    red, green, blue = pixels.mean(axis=(0, 1)).tolist()
    picture = Image.fromarray(pixels)
    picture.thumbnail((THUMB, THUMB))
    small = io.BytesIO()
    picture.save(small, "PNG")
    suffix = next((end for start, end in SUFFIXES.items() if content.startswith(start)), ".png")
    return Seen(name, content, small.getvalue(), pixels, (red, green, blue), suffix)


def encode(encoder: Encoder, pictures: Sequence[NDArray[np.uint8]]) -> Readouts:
    """Readouts that do not depend on how uploads were grouped.

    A batch of one takes other matrix kernels and differs in the last bits; it is encoded as a pair.
    """
    frames: list[Any] = list(pictures) if len(pictures) != 1 else [pictures[0], pictures[0]]
    first, second = encoder.encode(frames)
    return first[: len(pictures)], second[: len(pictures)]


def press_numbers(contacts: Sequence[Contact]) -> list[int]:
    """The press of every contact, numbered as they come."""
    number: dict[tuple[str | None, str], int] = {}
    own = ((c.label, c.id) if c.press is None else (c.label, f"press {c.press}") for c in contacts)
    return [number.setdefault(press, len(number)) for press in own]


def clean_name(name: str, limits: Limits) -> str:
    """The name as one line of text; it is shown, and never used as a path."""
    text = "".join(" " if unicodedata.category(c).startswith("C") else c for c in name).strip()
    return text[-limits.name_length :] or "unnamed"


def clean_label(label: str | None, limits: Limits) -> str | None:
    """The label without outer blanks; None and blank mean "no label"."""
    if label is None or not label.strip():
        return None
    text = unicodedata.normalize("NFC", label.strip())
    if len(text) > limits.label_length:
        raise LabelError(f"label of {len(text)} characters, at most {limits.label_length} are allowed")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Cf", "Zl", "Zp") for c in text):
        raise LabelError(f"label {text!r} holds control characters; use plain text")
    if text.startswith(".") or "/" in text or "\\" in text:
        raise LabelError(
            f"label {text!r} must not begin with a dot or hold a slash: it names a folder on export"
        )
    return text
