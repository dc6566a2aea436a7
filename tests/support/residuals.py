"""Random residuals and their decomposed covariance."""

from __future__ import annotations

import numpy as np

from bideta.method.spectrum import class_means, within_class


def decomposed(n: int, d: int, C: int = 4, seed: int = 0, dtype=np.float64):
    """Class residuals (n, d) of random features, and ``within_class`` of the features."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.r_[np.arange(C), rng.integers(0, C, n - C)])
    Z = (rng.normal(size=(n, d)) * rng.uniform(0.3, 3, d)).astype(dtype)
    counts = np.bincount(y)
    means = class_means(Z, counts)
    return Z - means[y], within_class(Z, counts, means)
