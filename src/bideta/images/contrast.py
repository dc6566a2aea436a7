"""A picture with its contrast enlarged: faint marks of a contact stand out, slow changes of the light do not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from bideta.images.differences import GREY

BLUR = 8  # the longer side divided by this is the radius of what counts as slow
LOUD = 99.0  # percentile of the deviations that reaches the ends of the range
QUIET = 4.0  # a smaller deviation is noise of eight bits and is not enlarged to the full range
REACH = 120.0  # from grey: what the loud percentile becomes


def enlarged_contrast(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Grey plus the deviation of each pixel from its blurred surroundings, stretched to the whole range."""
    image = Image.fromarray(picture)
    slow = image.filter(ImageFilter.GaussianBlur(max(1.0, max(image.size) / BLUR)))
    change = picture.astype(np.float32) - np.asarray(slow, np.float32)
    loud = max(float(np.percentile(np.abs(change), LOUD)), QUIET)
    return np.clip(GREY + REACH / loud * change, 0, 255).astype(np.uint8)
