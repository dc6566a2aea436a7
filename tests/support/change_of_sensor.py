"""A change of sensor for the tests of the comparisons: labelled source, few labelled target contacts, queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Readouts = tuple[NDArray, NDArray]


@dataclass(frozen=True)
class Change:
    support: Readouts
    labels: NDArray
    queries: Readouts
    truth: NDArray  # for scoring; no method is given it
    source: tuple[Readouts, NDArray]
    calibration: Readouts
    source_calibration: Readouts

    def allowed(self, info: Any) -> dict[str, Any]:
        """What a method with this ``INFO`` may be given besides support and labels."""
        given: dict[str, Any] = {"source": self.source} if info.needs_source else {}
        if info.needs_calibration:
            given |= {"calibration": self.calibration, "source_calibration": self.source_calibration}
        return given


def change(
    seed: int = 0,
    *,
    C: int = 4,
    shots: int = 5,
    per_class: int = 12,
    dims: tuple[int, int] = (10, 14),
    shift: float = 1.5,
    noise: float = 1.0,
) -> Change:
    """Two readouts of one latent contact; the target rotates and offsets them, and adds a loud nuisance."""
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(C, 6)) * 2
    maps = [rng.normal(size=(6, d)) for d in dims]
    turns = [np.linalg.qr(np.eye(d) + shift * rng.normal(size=(d, d)))[0] for d in dims]
    offsets = [shift * rng.normal(size=d) for d in dims]
    nuisances = [3 * rng.normal(size=(1, d)) for d in dims]

    def contacts(latent: NDArray, target: bool) -> Readouts:
        readouts = []
        for A, R, b, N in zip(maps, turns, offsets, nuisances, strict=True):
            H = latent @ A + 0.3 * rng.normal(size=(len(latent), A.shape[1]))
            if target:
                H = (H + rng.normal(size=(len(H), 1)) @ N) @ R + b
            readouts.append(H)
        return readouts[0], readouts[1]

    def draw(y: NDArray, target: bool) -> Readouts:
        return contacts(means[y] + noise * rng.normal(size=(len(y), 6)), target)

    labels, truth, home = (np.repeat(np.arange(C), n) for n in (shots, per_class, 20))
    balls = rng.normal(size=(6, 6))
    return Change(
        draw(labels, True),
        labels,
        draw(truth, True),
        truth,
        (draw(home, False), home),
        contacts(balls, True),
        contacts(balls, False),
    )
