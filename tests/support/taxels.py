"""Simulated touches of 4 × 4 taxels: one edge, one point, one flat object, pressed at random places and speeds."""

from __future__ import annotations

import numpy as np

SIDE, TIME = 4, 40


def touches(seed, each):
    """(n, 16, time) pressures and their labels; classes take turns."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE), indexing="ij"))
    signals, labels = [], []
    for _ in range(each):
        for label in ("edge", "flat", "point"):
            centre = rng.uniform(1, 2, 2)
            away = np.abs(grid - centre[:, None, None])
            pattern = {
                "edge": np.exp(-(away[0] ** 2)),
                "flat": np.full((SIDE, SIDE), 0.5),
                "point": np.exp(-(away**2).sum(axis=0)),
            }[label]
            rise = np.clip(np.linspace(0, rng.uniform(1.5, 4), TIME), 0, 1)
            pressure = rng.uniform(0.8, 1.2) * pattern.ravel()[:, None] * rise
            signals.append(pressure + rng.normal(0, 0.02, (SIDE * SIDE, TIME)))
            labels.append(label)
    order = rng.permutation(len(labels))
    return np.array(signals, np.float32)[order], np.array(labels)[order]
