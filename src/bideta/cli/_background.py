"""Where ``adapt`` and ``suggest`` find the background of a sensor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.cli._terminal import note
from bideta.images.background import background_folder, median_picture, read_background
from bideta.images.lazy import ImageFiles
from bideta.images.reading import shown
from bideta.readers import Pictures
from bideta.service.backgrounds import needs_background


def find_background(
    given: Path | None,
    support: Path,
    encoder: str,
    pictures: Pictures,
    untouched: Pictures | None,
) -> NDArray[np.uint8] | None:
    """The picture that was given, else of the folder beside the classes, else of the presses' untouched frames.

    Else the median of all ``pictures``, where the encoder asks for a background; else none.
    """
    if given is not None:
        return read_background(given)
    folder = background_folder(support)
    if folder is not None:
        note(f"background: the pictures in {shown(folder)}")
        return read_background(folder)
    if untouched is not None:
        if isinstance(untouched, ImageFiles):  # frames of a press share one
            return median_picture(list(dict.fromkeys(untouched.paths)))
        return median_picture(untouched)
    return median_where_needed(encoder, pictures)


def median_where_needed(encoder: str, pictures: Pictures) -> NDArray[np.uint8] | None:
    """The median of all pictures, where the encoder asks for a background and nobody has one."""
    if not needs_background(encoder):
        return None
    note(
        "background: the median of the images, for nothing else was given. Untouched pictures are better: "
        "--background, or a folder background/ beside the class folders"
    )
    return median_picture(pictures)
