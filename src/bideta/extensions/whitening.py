"""Features in units of the spread within a class, and that spread where labels are soft."""

from __future__ import annotations

import numpy as np

from bideta.method import Floats64
from bideta.method.spectrum import MatrixFunction, WithinClass, eigh, ledoit_wolf_intensity


def whitening(covariance: WithinClass) -> MatrixFunction:
    """Σ^−½ of the shrunk within-class covariance."""
    values, rest = covariance.shrunk()
    return MatrixFunction(covariance.vectors, values**-0.5, rest**-0.5)


def soft_scatter(Z: Floats64, weights: Floats64, means: Floats64 | None = None) -> tuple[Floats64, Floats64]:
    """(d, d) covariance of the residuals where row i counts ``weights[i, c]`` for class c, and (n,) their ‖e‖².

    Residuals are about ``means``; None: about the weighted means of the classes.
    """
    n, total, mass = len(Z), weights.sum(), weights.sum(axis=0)
    sums = weights.T @ Z  # (C, d)
    centres = sums / mass[:, None] if means is None else means
    S: Floats64 = (Z.T * weights.sum(axis=1)) @ Z
    if means is None:
        S -= (centres.T * mass) @ centres
    else:
        cross = sums.T @ means
        S = S - cross - cross.T + (means.T * mass) @ means
    S /= total
    squared = np.square(Z).sum(axis=1)[:, None] - 2 * Z @ centres.T + np.square(centres).sum(axis=1)
    norms = np.sqrt((weights * np.square(squared)).sum(axis=1) * (n / total))
    return S, norms


def soft_within_class(Z: Floats64, weights: Floats64, means: Floats64) -> WithinClass:
    """Decomposed covariance of the residuals about ``means`` (Eq. 4), row i counting ``weights[i, c]`` for class c.

    With one-hot weights and class means this is ``spectrum.within_class``.
    """
    S, norms = soft_scatter(Z, weights, means)
    values, vectors = eigh(S.T)
    values = np.maximum(values[::-1], 0.0)
    return WithinClass(
        values,
        np.ascontiguousarray(vectors[:, ::-1]),
        rest=0.0,
        mean_variance=float(values.sum() / Z.shape[1]),
        intensity=ledoit_wolf_intensity(norms, values.sum(), np.square(values).sum(), Z.shape[1]),
    )
