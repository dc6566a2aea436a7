"""One way to read an image: RGB, upright, eight bits a channel; a bad file is one clear error that names it."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

FORMATS = ("PNG", "JPEG", "BMP", "TIFF", "WEBP")  # no other decoder of Pillow is ever reached
SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")
MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr")  # eight bits a channel or fewer
MAX_PIXELS = 50_000_000  # 150 MB decoded; no tactile camera comes near it, a decompression bomb does
# What Pillow raises on bad files: the four documented kinds, then what its decoders let slip on mutated bytes.
PILLOW_ERRORS = (
    OSError,
    SyntaxError,
    UnidentifiedImageError,
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,  # raised where warnings are errors
    ValueError,
    EOFError,
    struct.error,
    OverflowError,
    MemoryError,
)


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
            if upright.mode in (
                "P",
                "PA",
            ):  # by way of RGBA: Pillow warns about transparent palettes otherwise
                upright = upright.convert("RGBA")
            return np.array(upright.convert("RGB"))
    except ImageError:
        raise
    except UnidentifiedImageError as error:
        raise ImageError(f"cannot read {shown(path)}: not a {', '.join(FORMATS)} image") from error
    except PILLOW_ERRORS as error:
        reason = str(error) or type(error).__name__
        raise ImageError(f"cannot read {shown(path)}: {reason}") from error


def shown(path: str | Path) -> str:
    """The path as text that can be printed, whatever bytes the file system holds."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@dataclass(frozen=True)
class ImageFiles:
    """Image files that behave like an array ``(N, H, W, 3)`` uint8; read when they are indexed.

    A slice or an index array gives a stack, or a list where the pictures differ in size.
    """

    paths: Sequence[Path]

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, int | np.integer):
            return read_image(self.paths[int(rows)])
        chosen = np.arange(len(self.paths))[rows]
        pictures = [read_image(self.paths[row]) for row in chosen]
        if len({picture.shape for picture in pictures}) == 1:
            return np.stack(pictures)
        return pictures if pictures else np.zeros((0, 1, 1, 3), np.uint8)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self[:], dtype=dtype)

    def revision(self) -> str:
        """Hash of the files' names, sizes and times of change: another one after any edit."""
        digest = hashlib.sha256()
        for path in self.paths:
            facts = path.stat()
            name = "/".join(path.parts[-4:])  # enough to tell files apart, and the tree may move
            digest.update(f"{name} {facts.st_size} {facts.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()
