"""Transport plans entry by entry, for the literal versions of PT-MAP and protoLP."""

from __future__ import annotations

import numpy as np


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x**2).sum())


def plan(cost: np.ndarray, mass: float, sharpness: float) -> np.ndarray:
    """Sinkhorn's iteration, entry by entry, to the end."""
    K = np.exp(-sharpness * cost)
    for _ in range(1000):
        for i in range(len(K)):
            K[i] = K[i] / K[i].sum()
        for c in range(K.shape[1]):
            K[:, c] = K[:, c] * mass / K[:, c].sum()
    return K
