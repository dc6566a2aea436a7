"""What a person chooses by name: preset, prior, encoder. Command line, API and page offer the same."""

from __future__ import annotations

from typing import Any, Literal, get_args

from bideta import presets
from bideta.spelling import did_you_mean

DEFAULT_ENCODER = "handmade+efficientnet-lite0"
DEFAULT_PRESET = "touch"
Preset = Literal["touch", "robot", "classification", "ranking"]
Prior = Literal["relaxed", "auto", "support", "none", "mixed"]
PRESETS: dict[str, dict[str, Any]] = {
    "touch": presets.TOUCH,
    "robot": presets.ROBOT,
    "classification": presets.CLASSIFICATION,
    "ranking": presets.RANKING,
}
PRIORS: tuple[str, ...] = get_args(Prior)
ALIASES = {"paper": "classification"}  # other words for a preset, as a person may type them


def parameters(preset: str, prior: str | None = None) -> dict[str, Any]:
    """Settings of ``Bideta``; the prior is the preset's unless one is named.

    >>> parameters("robot")["prior"], parameters("robot", "none")["prior"]
    ('auto', None)
    """
    check_choice("preset", preset, PRESETS)
    if prior is None:
        return dict(PRESETS[preset])
    check_choice("prior", prior, PRIORS)
    return {**PRESETS[preset], "prior": None if prior == "none" else prior}


def preset_prior(preset: str) -> str:
    """The prior that comes with a preset, by its name; ``Bideta``'s default where the preset has none."""
    prior = PRESETS[preset].get("prior", "support")
    return "none" if prior is None else str(prior)


def check_choice(name: str, value: str, known: Any) -> None:
    """Refuse a value that is not among the known ones."""
    if value not in known:
        hint = did_you_mean(value[:40], known)
        raise ValueError(f"{name} is {value[:40]!r}, expected {' or '.join(known)}.{hint}")
