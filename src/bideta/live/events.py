"""What the live loop says about a frame: one flat record, the same for every sink."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

DIGITS = 4  # of a number in JSON


@dataclass(frozen=True)
class Event:
    """A new answer, or the end of a contact: then label, probability and top are those of the whole press.

    ``health`` is there where a press ends and the gel is not as it was: what ``bideta.deploy.Health`` says.
    """

    time: float  # seconds since the epoch when the frame arrived
    frame: int  # number of the frame, as captured
    contact: bool
    label: str = ""  # empty where a contact ended without an answer
    probability: float = 0.0
    top: list[tuple[str, float]] = field(default_factory=list)  # the best three, best first
    strength: float = 0.0  # of the contact, in units of the picture's noise
    age_ms: float = 0.0  # from the frame's arrival until work on it began
    latency_ms: float = 0.0  # from the frame's arrival to the answer
    frames: int = 0  # of the press that were answered
    press_label: str = ""  # what the press is by now, all its frames together
    press_probability: float = 0.0
    verdict: str = ""  # on the press: "going on", "sure", "press again"; empty where ``check`` says foreign
    values: dict[str, dict[str, Any]] = field(default_factory=dict)  # quantity → value, lower, upper, unit
    dropped: int = 0  # frames left out since the last one that was looked at
    truth: str | None = None  # where the source knows it (simulated)
    check: dict[str, str] = field(
        default_factory=dict
    )  # level, kind, warning: these frames seem to come from elsewhere; empty: fine, or nobody can tell
    health: dict[str, Any] = field(
        default_factory=dict
    )  # state, score, loss, to_label, message; empty: healthy

    def to_json(self) -> str:
        """One line of JSON; ``truth``, ``values``, ``check`` and ``health`` only where there are such."""
        values = {
            name: round(value, DIGITS) if isinstance(value, float) else value
            for name, value in vars(self).items()
            if (name != "truth" or value is not None) and (name not in ("values", "check", "health") or value)
        }
        if self.values:
            values["values"] = {name: _rounded(numbers) for name, numbers in self.values.items()}
        values["top"] = [(label, round(probability, DIGITS)) for label, probability in self.top]
        text = json.dumps(values, ensure_ascii=False)
        return (
            text if text.isprintable() else json.dumps(values)
        )  # nothing that moves a cursor or breaks the line


def _rounded(numbers: dict[str, Any]) -> dict[str, Any]:
    return {name: round(one, DIGITS) if isinstance(one, float) else one for name, one in numbers.items()}
