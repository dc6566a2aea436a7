"""Features in units of the spread within a class, and that spread where labels are soft."""

from __future__ import annotations

import numpy as np

from bideta.method import Floats64
from bideta.method.spectrum import MatrixFunction, WithinClass


def whitening(covariance: WithinClass) -> MatrixFunction:
    """Σ^−½ of the shrunk within-class covariance."""
    values, rest = covariance.shrunk()
    return MatrixFunction(covariance.vectors, values**-0.5, rest**-0.5)


def soft_scatter(Z: Floats64, weights: Floats64) -> tuple[Floats64, Floats64]:
    """(d, d) covariance of the residuals where row i counts ``weights[i, c]`` for class c, and (n,) their ‖e‖².

    Residuals are about the weighted means of the classes.
    """
    n, total, mass = len(Z), weights.sum(), weights.sum(axis=0)
    means = (weights.T @ Z) / mass[:, None]  # (C, d)
    S: Floats64 = (Z.T * weights.sum(axis=1)) @ Z
    S -= (means.T * mass) @ means
    S /= total
    squared = np.square(Z).sum(axis=1)[:, None] - 2 * Z @ means.T + np.square(means).sum(axis=1)
    norms = np.sqrt((weights * np.square(squared)).sum(axis=1) * (n / total))
    return S, norms
