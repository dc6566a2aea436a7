"""One way to read an image: RGB, upright, eight bits a channel; a bad file is one clear error that names it."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, UnidentifiedImageError

from bideta.images.headers import check_exif, check_header
from bideta.images.pixel_budget import PixelBudget

FORMATS = ("PNG", "JPEG", "BMP", "TIFF", "WEBP")  # no other decoder of Pillow is ever reached
SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")
MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr")  # eight bits a channel or fewer
# Decoding needs up to 17 bytes a pixel (WEBP): 425 MB. No tactile camera comes near it, a decompression bomb does.
MAX_PIXELS = 25_000_000
# A larger picture is shrunk by a whole number while it is read. Encoders look at some 224 × 224 pixels; the largest
# tactile camera that we know gives 3280 × 2464.
KEPT_PIXELS = 2**23
DECODING = PixelBudget()  # of MAX_PIXELS: threads together need no more memory than one large picture
STRIP_PIXELS = 2**18  # converted at a time, so that no second copy of the whole picture is made
RUN_LENGTH = "bmp_rle"  # Pillow's decoder of such BMPs is a loop in Python that takes any size for granted
# What Pillow raises on bad files (the warning where warnings are errors), and its decoders on altered bytes.
PILLOW_ERRORS = (OSError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning)
DECODER_ERRORS = (
    *(ValueError, TypeError, LookupError, ArithmeticError, AttributeError),
    *(AssertionError, EOFError, struct.error, MemoryError, RuntimeError),
)


class ImageError(ValueError):
    """An image that cannot be used; the message names the file and the reason."""


def read_image(path: str | Path, max_pixels: int = MAX_PIXELS) -> NDArray[np.uint8]:
    """(H, W, 3) uint8 RGB, turned as its EXIF orientation says; transparency is dropped.

    A picture of more than ``KEPT_PIXELS`` is half, a third, … as high and wide, so that what follows stays small.
    """
    if not Path(path).is_file():  # also keeps pipes and devices out
        raise ImageError(f"cannot read {shown(path)}: there is no such file")
    try:
        stream = open(path, "rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise ImageError(f"cannot read {shown(path)}: {error.strerror}") from error
    with stream:
        return decode_image(stream, path, max_pixels)


def decode_image(source: BinaryIO, path: str | Path, max_pixels: int = MAX_PIXELS) -> NDArray[np.uint8]:
    """The same from a stream of bytes; ``path`` is what messages call it."""
    try:
        with _opened(source, max_pixels) as image, DECODING.share(math.prod(image.size), MAX_PIXELS):
            image.load()
            pixels = _rgb(image, math.ceil(math.sqrt(math.prod(image.size) / KEPT_PIXELS)))
            check_exif(image.info)
            turned = image.getexif().get(ExifTags.Base.Orientation, 1)
        return np.ascontiguousarray(_upright(pixels, turned))
    except UnidentifiedImageError as error:
        raise ImageError(f"cannot read {shown(path)}: not a {', '.join(FORMATS)} image") from error
    except (*PILLOW_ERRORS, *DECODER_ERRORS) as error:
        reason = str(error) or type(error).__name__
        raise ImageError(f"cannot read {shown(path)}: {reason}") from error


def count_pixels(source: BinaryIO, max_pixels: int = MAX_PIXELS) -> int:
    """How many pixels ``decode_image`` would decode, by the header alone; none where it would refuse."""
    try:
        with _opened(source, max_pixels) as image:
            return math.prod(image.size)
    except (*PILLOW_ERRORS, *DECODER_ERRORS):
        return 0


def _opened(source: BinaryIO, max_pixels: int) -> Image.Image:
    """The picture with its header read and checked, and nothing else."""
    check_header(source, max_pixels)
    image = Image.open(source, formats=FORMATS)
    width, height = image.size
    if width * height > max_pixels:
        raise ValueError(f"{width} × {height} pixels, at most {max_pixels:,} are allowed")
    if image.mode not in MODES:
        raise ValueError(f"pixel format {image.mode!r}; save it with 8 bits a channel")
    if any(tile[0] == RUN_LENGTH for tile in getattr(image, "tile", ())):
        raise ValueError("a run-length BMP; save it as plain BMP or PNG")
    return image


def _rgb(image: Image.Image, factor: int) -> NDArray[np.uint8]:
    """The decoded picture as it lies in the file, ``factor`` times smaller."""
    if factor == 1 and image.mode == "RGB":  # strips, copies of copies, take as long as decoding
        return np.array(image)
    width, height = image.size
    pixels = np.empty((math.ceil(height / factor), math.ceil(width / factor), 3), np.uint8)
    rows = factor * max(1, STRIP_PIXELS // (factor * width))
    for top in range(0, height, rows):
        strip = image.crop((0, top, width, min(top + rows, height)))
        # By way of RGBA: Pillow warns about transparent palettes otherwise.
        strip = (strip.convert("RGBA") if strip.mode in ("P", "PA") else strip).convert("RGB")
        if factor > 1:
            strip = strip.reduce(factor)
        first = top // factor
        pixels[first : first + strip.height] = np.asarray(strip)
    return pixels


def _upright(pixels: NDArray[np.uint8], orientation: int) -> NDArray[np.uint8]:
    """The picture turned and mirrored as EXIF's number from 1 to 8 says; any other number leaves it."""
    if orientation in (5, 6, 7, 8):
        pixels = pixels.transpose(1, 0, 2)
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    return pixels


def shown(path: str | Path) -> str:
    """The path as text that can be printed on one line, whatever its bytes are; what would move a cursor is escaped.

    >>> shown("new\\nline"), shown("red \\x1b[31m"), shown("größe 10")
    ('new\\\\nline', 'red \\\\x1b[31m', 'größe 10')
    """
    text = str(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
