"""What a live run achieved: rates, ages, latencies, drops."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

KEPT = 100_000  # most recent measurements; a run of days does not grow


def _recent() -> deque[float]:
    return deque(maxlen=KEPT)


@dataclass
class Statistics:
    """Counts and times of one run; everything in seconds."""

    seconds: float = 0.0  # of the whole run
    captured: int = 0
    seen: int = 0  # frames looked at; the others were dropped
    contact: int = 0  # frames with contact
    encoded: int = 0  # frames that went through the encoder
    lost: int = 0  # how often the source went away
    strange: int = 0  # frames of another format, left out
    known: int = 0  # answers whose truth the source knew
    right: int = 0
    ages: deque[float] = field(default_factory=_recent)  # frame's arrival → work on it begins
    latencies: deque[float] = field(default_factory=_recent)  # frame's arrival → answer
    sink_errors: list[str] = field(default_factory=list)

    @property
    def dropped(self) -> int:
        """Frames that were never looked at."""
        return self.captured - self.seen

    def summary(self) -> dict[str, Any]:
        """The figures a person wants to see; times in milliseconds."""
        seconds = max(self.seconds, 1e-9)
        summary: dict[str, Any] = {
            "seconds": round(self.seconds, 2),
            "captured_fps": round(self.captured / seconds, 1),
            "seen_fps": round(self.seen / seconds, 1),
            "answers_per_second": round(self.encoded / seconds, 1),
            "captured": self.captured,
            "dropped": self.dropped,
            "contact_frames": self.contact,
            "answers": self.encoded,
            "source_lost": self.lost,
        }
        if self.strange:
            summary["frames_of_another_format"] = self.strange
        for name, values in (("frame_age", self.ages), ("latency", self.latencies)):
            for q in (50, 99):
                value = 1000 * float(np.percentile(values, q)) if values else None
                summary[f"{name}_p{q}_ms"] = None if value is None else round(value, 2)
        if self.known:
            summary["accuracy"] = round(self.right / self.known, 4)
        return summary
