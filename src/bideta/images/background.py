"""The background of a sensor: one picture of it without a contact, small enough to be kept in its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.differences import resized
from bideta.images.folders import find_images
from bideta.images.lazy import ImageFiles
from bideta.images.reading import ImageError, read_image, shown

FOLDER = "background"  # beside the class folders: holds untouched pictures, and is no class
SIDE = 320  # pixels of the longer side: more than any encoder looks at
SAMPLE = 127  # pictures that a median looks at: 40 MB; odd, so that every value is one that was seen


def small(picture: Any) -> NDArray[np.uint8]:
    """The picture with at most ``SIDE`` pixels on the longer side; refused unless it is ``(H, W, 3)`` uint8."""
    pixels = np.asarray(picture)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or not pixels.size:
        raise ValueError(
            f"background has shape {pixels.shape} and dtype {pixels.dtype}, expected one (H, W, 3) uint8 RGB picture"
        )
    height, width = pixels.shape[:2]
    longer = max(height, width)
    if longer <= SIDE:
        return pixels
    return resized(pixels, max(1, round(height * SIDE / longer)), max(1, round(width * SIDE / longer)))


def median_picture(files: Any) -> NDArray[np.uint8]:
    """Median of every pixel over the files (or pictures of a reader), as ``small`` makes them.

    Those of another size are brought to the first's. Of many files ``SAMPLE`` are looked at, evenly spread over the
    list, so that memory is bounded. Files that cannot be read are left out; an error where none can.
    """
    given: Any = ImageFiles(files) if isinstance(files, list | tuple) else files
    rows = np.unique(np.linspace(0, len(given) - 1, min(len(given), SAMPLE)).round().astype(int))
    pictures: list[NDArray[np.uint8]] = []
    reason = "there are none"
    for row in rows:
        try:
            picture = small(given[int(row)])
        except ImageError as error:
            reason = str(error)
            continue
        if pictures and picture.shape != pictures[0].shape:
            picture = resized(picture, *pictures[0].shape[:2])
        pictures.append(picture)
    if not pictures:
        raise ImageError(f"no picture for a background can be read; {reason}")
    return np.median(np.stack(pictures), axis=0).round().astype(np.uint8)


def read_background(source: str | Path) -> NDArray[np.uint8]:
    """The background in a picture, or the median of all pictures in a folder."""
    path = Path(source)
    if path.is_dir():
        return median_picture(find_images(path))
    if not path.exists():
        raise FileNotFoundError(
            f"no background {shown(path)}: expected a picture, or a folder of untouched ones"
        )
    return small(read_image(path))


def background_folder(root: Path) -> Path | None:
    """The folder of untouched pictures beside the class folders of ``root``, where there is one."""
    folder = root / FOLDER
    return folder if folder.is_dir() else None
