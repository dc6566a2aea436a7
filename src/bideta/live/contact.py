"""The contact detector lives with the pictures, because recordings are cut into presses by it too."""

from bideta.images.contact import (
    CELLS,
    ENTER,
    LEARN_FRAMES,
    LEAVE,
    ContactDetector,
    Touch,
    cell_means,
)

__all__ = ["CELLS", "ENTER", "LEARN_FRAMES", "LEAVE", "ContactDetector", "Touch", "cell_means"]
