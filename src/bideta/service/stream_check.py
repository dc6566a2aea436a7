"""Frames of a stream, looked at as they come: do the newest ones come from the sensor that was adapted?"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bideta.images.looks import sketch
from bideta.quantity_sensor import QuantitySensor
from bideta.sensor import Sensor

NEWEST = 16  # contacts that are looked at together


class StreamCheck:
    """Remembers how the newest contacts look."""

    def __init__(self) -> None:
        self._sketches: deque[NDArray[np.float32]] = deque(maxlen=NEWEST)

    def see(self, picture: NDArray[np.uint8], sensor: Sensor | QuantitySensor) -> dict[str, str]:
        """Level, kind and warning with a further contact; empty where all is fine, or nobody can tell."""
        if sensor.look is None:
            return {}
        self._sketches.append(sketch(picture))
        newest = np.array(self._sketches)
        found = sensor.check(newest)
        if found.odd:  # single pictures: the newest one is told of, earlier ones were when they came
            if len(newest) - 1 in found.odd:
                return sensor.check(newest[-1:]).facts()
            found = replace(found, odd=())
        if found.level == "shifted":  # contacts of a stream have no reliability that could be lowered
            found = replace(found, gives=())
        return found.facts() if found.warning else {}
