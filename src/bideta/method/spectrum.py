"""Support-conditioned spectral geometry (Eqs. 4–5): directions that vary within a class count for less."""

from __future__ import annotations

import numpy as np

from bideta.method.covariance import MatrixFunction, WithinClass
from bideta.method.standardize import Floats64


def gains(covariance: WithinClass, gamma: float) -> tuple[Floats64, float]:
    """Gains g = max(λ, ε)^−γ over their median (Eq. 5): on the r directions of S, and on the remaining ones.

    The median runs over all d directions; the equal ones outside S's range count each.
    """
    values, rest = covariance.shrunk(covariance.intensity)  # λ of the Ledoit–Wolf covariance
    g, g_rest = values**-gamma, rest**-gamma
    median = np.median(np.concatenate([g, np.full(covariance.n_rest, g_rest)]))
    return g / median, float(g_rest / median)


def transform(covariance: WithinClass, gamma: float) -> MatrixFunction | None:
    """Spectral transform A = U diag(g) Uᵀ (Eq. 5); None is the identity (γ = 0)."""
    if gamma == 0:
        return None
    return covariance.function(*gains(covariance, gamma))
