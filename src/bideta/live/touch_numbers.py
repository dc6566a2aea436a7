"""One picture of a sensor in, numbers out, for the control loop of a robot: contact, classes, and whose pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.deploy import OnlineBideta
from bideta.images.contact import ContactDetector
from bideta.service.encoding import encode_one
from bideta.service.sensors import open_sensor
from bideta.service.stream_check import StreamCheck

FOREIGN = {"foreign": 1.0, "shifted": 0.5}  # levels of the check as a number; others are 0


class TouchNumbers:
    """Numbers of every frame, by name: ``touch.contact``, one for each class (``touch.bolt``), ``touch.foreign``.

    Every number is a name of its own, as LeRobot wants them. Without contact all are zero. The last one is 1 where the
    newest contacts do not look like this sensor's, so that their probabilities mean nothing, and 0.5 where they are
    shifted; 0 where all is fine, and where the file does not know how its pictures looked. The encoder is the
    expensive part: it runs only where the picture changed.
    """

    def __init__(self, sensor: str | Path, prefix: str = "touch") -> None:
        opened = open_sensor(Path(sensor), None, {})
        self.encoder, self.adapted, self.prefix = opened.encoder, opened.adapted, prefix
        words = [
            re.sub(r"[^\w-]+", "_", str(name)) for name in self.adapted.classes_
        ]  # "/" has a meaning there
        if len(set(words)) < len(words):
            raise ValueError(
                f"classes {', '.join(map(str, self.adapted.classes_))} become one name: rename them"
            )
        taken = {"contact", "foreign"} & set(words)
        if taken:
            raise ValueError(
                f"a class is called {', '.join(sorted(taken))}, which is the name of another number: rename it"
            )
        self.names = [f"{prefix}.contact", *(f"{prefix}.{word}" for word in words), f"{prefix}.foreign"]
        self.reset()

    def reset(self) -> None:
        """Begin an episode: the first frames are taken as untouched."""
        self._online = OnlineBideta(self.adapted)
        self._detector = ContactDetector()
        self._check = StreamCheck()
        self._proba, self._foreign = np.zeros(len(self.names) - 2), 0.0

    def see(self, image: Any) -> dict[str, float]:
        """The numbers of the next frame, (H, W, 3) uint8 RGB."""
        picture: NDArray[np.uint8] = np.asarray(image)
        touch = self._detector.see(picture)
        if not touch.contact:
            self._proba, self._foreign = np.zeros_like(self._proba), 0.0
        elif touch.changed:
            self._proba = self._online.predict_one(encode_one(self.encoder, picture)).proba
            found = self._check.see(picture, self.adapted.sensor_)
            self._foreign = FOREIGN.get(found.get("level", ""), 0.0)
        numbers = (float(touch.contact), *map(float, self._proba), self._foreign)
        return dict(zip(self.names, numbers, strict=True))
