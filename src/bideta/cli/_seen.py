"""Images that a sensor was adapted from flatter every figure that is measured on them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bideta.encoders import Readouts
from bideta.protocol import metrics
from bideta.quantity_sensor import QuantitySensor
from bideta.sensor import Sensor


def seen_in_support(sensor: Sensor | QuantitySensor, readouts: Readouts) -> NDArray[np.bool_]:
    """(m,) which images are among the labelled contacts; readouts of one picture are equal to the bit."""
    labelled = {row.tobytes() for row in sensor.support[0].astype(np.float64)}
    return np.array([row.tobytes() in labelled for row in readouts[0].astype(np.float64)])


def seen_warning(
    sensor: Sensor, readouts: Readouts, truth: NDArray[np.intp], best: NDArray[np.intp]
) -> Iterator[str]:
    """A sentence where some were; with the accuracy on the others, where there are others."""
    seen = seen_in_support(sensor, readouts)
    if not seen.any():
        return
    new = ~seen
    rest = (
        f"the other {new.sum()}: accuracy {metrics.accuracy(truth[new], best[new]):.4f}"
        if new.any()
        else ("none is new: this says nothing about new contacts")
    )
    yield f"the sensor was adapted from {seen.sum()} of these {len(seen)} images, which flatters the figures; {rest}"
