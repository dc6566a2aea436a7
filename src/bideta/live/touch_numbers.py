"""One picture of a sensor in, numbers out, for the control loop of a robot: contact, and each class's probability."""

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


class TouchNumbers:
    """Numbers of every frame, by name: ``touch.contact`` and one for each class, such as ``touch.bolt``.

    Every number is a name of its own, as LeRobot wants them. Without contact all are zero. The encoder is the expensive
    part: it runs only where the picture changed.
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
        self.names = [f"{prefix}.contact", *(f"{prefix}.{word}" for word in words)]
        self.reset()

    def reset(self) -> None:
        """Begin an episode: the first frames are taken as untouched."""
        self._online = OnlineBideta(self.adapted)
        self._detector = ContactDetector()
        self._proba = np.zeros(len(self.names) - 1)

    def see(self, image: Any) -> dict[str, float]:
        """The numbers of the next frame, (H, W, 3) uint8 RGB."""
        picture: NDArray[np.uint8] = np.asarray(image)
        touch = self._detector.see(picture)
        if not touch.contact:
            self._proba = np.zeros_like(self._proba)
        elif touch.changed:
            self._proba = self._online.predict_one(encode_one(self.encoder, picture)).proba
        return dict(zip(self.names, (float(touch.contact), *map(float, self._proba)), strict=True))
