"""A picture as PNG."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bideta.images.files import write_atomic

ENDINGS = (".png",)


def png(picture: Image.Image | NDArray[np.uint8]) -> bytes:
    """The bytes of a file."""
    content = io.BytesIO()
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(picture)
    image.save(content, "PNG")
    return content.getvalue()


def write_png(path: Path, picture: Image.Image | NDArray[np.uint8]) -> None:
    """Write the file whole or not at all."""
    write_atomic(path, png(picture))
