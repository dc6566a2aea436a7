"""A feature-level sensor shift for tests: two readouts, class means, a few dominant nuisance directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Episode:
    support: tuple[NDArray, NDArray]
    labels: NDArray
    queries: tuple[NDArray, NDArray]
    truth: NDArray


def episode(
    seed: int = 0,
    *,
    C: int = 5,
    shots: int = 6,
    per_class: int = 20,
    dims: tuple[int, ...] = (12, 18),
    signal: float = 1.0,
) -> Episode:
    """Support and queries of one simulated target sensor; classes overlap at signal 1."""
    rng = np.random.default_rng(seed)
    labels, truth = np.repeat(np.arange(C), shots), np.repeat(np.arange(C), per_class)
    support, queries = [], []
    for d in dims:
        means = rng.normal(size=(C, d)) * signal
        nuisance = rng.normal(size=(2, d)) * 3  # directions that vary inside every class
        scale, offset = rng.uniform(0.5, 2, d), rng.normal(size=d)

        def draw(y: NDArray, means=means, nuisance=nuisance, scale=scale, offset=offset, d=d) -> NDArray:
            noise = rng.normal(size=(len(y), d)) + rng.normal(size=(len(y), 2)) @ nuisance
            return (means[y] + noise) * scale + offset

        support.append(draw(labels))
        queries.append(draw(truth))
    return Episode(tuple(support), labels, tuple(queries), truth)


def replaced(views, where, value, view=0):
    """Readouts with some numbers of one of them changed."""
    H = views[view].copy()
    H[where] = value
    return tuple(H if v == view else other for v, other in enumerate(views))
