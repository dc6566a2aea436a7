"""All settings of an adapted sensor: the letters of the paper, and ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from bideta.method.settings import Settings


@dataclass(eq=False)
class SensorSettings(Settings):
    """The letters of the method, and what is ours. ``prior`` acts when a sensor adapts, the others when it answers."""

    prior: Literal["support", "auto", "mixed", "relaxed"] | ArrayLike | None = "support"
    support_nodes: bool = False
    second_pass: bool = False
    label_spread: float = 0.0
    neighbors: Literal["auto", "exact", "approximate"] = "auto"
    n_jobs: int | None = None
    split: int | Sequence[int] | None = None
