"""Difficulty levels of the simulated twins, and the settings that all of them take."""

from __future__ import annotations

from dataclasses import dataclass

from bideta.sim import Conditions, PressRange
from bideta.sim.render import check_size
from bideta.spelling import did_you_mean

FRAMES_PER_PRESS = 20  # as many as a TacQuad sequence has


@dataclass(frozen=True)
class Level:
    """A named difficulty: how freely objects are presented and how steady the recording is."""

    ranges: PressRange
    conditions: Conditions
    frames_per_press: int = FRAMES_PER_PRESS  # 1: independent contacts


# Fixed on the source sensors and on the development sensors only; docs/notes/twin-levels.md holds the record.
LEVELS: dict[str, Level] = {
    "easy": Level(
        PressRange(offset_mm=1.0, angle_deg=20, depth_mm=(0.7, 1.2), tilt_deg=2, slide_mm=1.0, turn_deg=10),
        Conditions(noise=1.0, drift=0.02),
    ),
    "medium": Level(
        PressRange(offset_mm=1.5, angle_deg=45, depth_mm=(0.6, 1.2), tilt_deg=3, slide_mm=1.5, turn_deg=15),
        Conditions(noise=1.0, drift=0.05),
    ),
    "hard": Level(
        PressRange(offset_mm=2.5, angle_deg=180, depth_mm=(0.5, 1.2), tilt_deg=4, slide_mm=1.5, turn_deg=20),
        Conditions(noise=1.5, drift=0.08),
    ),
}
DEFAULT_LEVEL = "medium"


def find_level(name: str) -> Level:
    """The difficulty of that name; an unknown name raises an error that lists the known ones."""
    if name not in LEVELS:
        raise ValueError(
            f"unknown difficulty {name!r}.{did_you_mean(name, LEVELS)} Known: {', '.join(LEVELS)}"
        )
    return LEVELS[name]


def check_settings(scale: float, size: int) -> None:
    """Refuse a scale outside (0, 1] and a picture size that cannot be rendered."""
    check_size(size)
    if not 0 < scale <= 1:
        raise ValueError(f"scale is {scale}; expected a fraction above 0 and at most 1 of the paper's counts")
