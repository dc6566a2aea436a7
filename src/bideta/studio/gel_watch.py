"""The gel of a session's live stream, watched press by press; the page draws its history."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.classifier import Classifier
from bideta.deploy import GelHealth
from bideta.encoders import Readouts

KEPT = 1000  # presses of a history
SESSIONS = 64  # that have one at a time


@dataclass
class GelWatch:
    """One sensor's gel. Contacts to label are named by their presses, from 1."""

    adapted: Classifier
    points: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=KEPT))
    seen: int = 0

    def __post_init__(self) -> None:
        self._health, self._lock = GelHealth(self.adapted), Lock()  # two connections may watch one session

    def fits(self, classes: int) -> bool:
        """Whether answers have as many classes as the sensor that is watched."""
        return classes == self._health.n_classes

    def untouched(self, pixels: NDArray[np.uint8]) -> None:
        """A frame in which nothing touches."""
        with self._lock:
            self._health.see_untouched(pixels)

    def press(self, contact: Readouts, proba: NDArray[np.float64]) -> dict[str, Any]:
        """How the gel is after a further press, of which one frame is given."""
        with self._lock:
            health = self._health.see(contact, proba)
            self.seen += 1
            named = replace(health, to_label=tuple(number + 1 for number in health.to_label))
            point = {
                "press": self.seen,
                "state": named.state,
                "score": round(named.score, 3),
                "loss": None if named.loss is None else round(named.loss, 1),
                "to_label": list(named.to_label),
                "message": str(named),
            }
            self.points.append(point)
            return point


@dataclass
class GelWatches:
    """Session → its watch, as long as its sensor is the same; the oldest one gives way."""

    of: dict[str, GelWatch] = field(default_factory=dict)

    def open(self, session: str, adapted: Classifier) -> GelWatch:
        """The watch of the session, begun anew where it was adapted again."""
        known = self.of.get(session)
        if known is None or known.adapted is not adapted:
            self.of.pop(session, None)
            known = self.of[session] = GelWatch(adapted)
            while len(self.of) > SESSIONS:
                del self.of[next(iter(self.of))]
        return known

    def history(self, session: str) -> list[dict[str, Any]]:
        """Of every press that was watched, oldest first."""
        known = self.of.get(session)
        return [] if known is None else list(known.points)
