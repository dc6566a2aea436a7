"""One way to read an image: RGB, upright, eight bits a channel; a bad file is one clear error that names it."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

FORMATS = ("PNG", "JPEG", "BMP", "TIFF", "WEBP")  # no other decoder of Pillow is ever reached
SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")
MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr")  # eight bits a channel or fewer
MAX_PIXELS = 50_000_000  # 150 MB decoded; no tactile camera comes near it, a decompression bomb does
# What Pillow raises on bad files (the warning where warnings are errors), and its decoders on altered bytes.
PILLOW_ERRORS = (OSError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning)
DECODER_ERRORS = (ValueError, EOFError, struct.error, OverflowError, MemoryError)


class ImageError(ValueError):
    """An image that cannot be used; the message names the file and the reason."""


def read_image(path: str | Path, max_pixels: int = MAX_PIXELS) -> NDArray[np.uint8]:
    """(H, W, 3) uint8 RGB, turned as its EXIF orientation says; transparency is dropped."""
    if not Path(path).is_file():  # also keeps pipes and devices out
        raise ImageError(f"cannot read {shown(path)}: there is no such file")
    return decode_image(path, path, max_pixels)


def decode_image(
    source: str | Path | BinaryIO, path: str | Path, max_pixels: int = MAX_PIXELS
) -> NDArray[np.uint8]:
    """The same from an open file or a stream of bytes; ``path`` is what messages call it."""
    try:
        with Image.open(source, formats=FORMATS) as image:  # reads the header only
            width, height = image.size
            if width * height > max_pixels:
                raise ImageError(
                    f"cannot read {shown(path)}: {width} × {height} pixels, at most {max_pixels:,} are allowed"
                )
            if image.mode not in MODES:
                raise ImageError(
                    f"cannot read {shown(path)}: pixel format {image.mode!r}; save it with 8 bits a channel"
                )
            image.load()
            upright = ImageOps.exif_transpose(image)
            # By way of RGBA: Pillow warns about transparent palettes otherwise.
            if upright.mode in ("P", "PA"):
                upright = upright.convert("RGBA")
            return np.array(upright.convert("RGB"))
    except ImageError:
        raise
    except UnidentifiedImageError as error:
        raise ImageError(f"cannot read {shown(path)}: not a {', '.join(FORMATS)} image") from error
    except (*PILLOW_ERRORS, *DECODER_ERRORS) as error:
        reason = str(error) or type(error).__name__
        raise ImageError(f"cannot read {shown(path)}: {reason}") from error


def shown(path: str | Path) -> str:
    """The path as text that can be printed, also if its bytes are not UTF-8."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
