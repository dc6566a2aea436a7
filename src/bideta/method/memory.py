"""Rapid support memory (Eqs. 2–3): shrinkage LDA on each readout, fused into the anchor P₀."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bideta.method import Floats64
from bideta.method.spectrum import MatrixFunction, WithinClass


@dataclass(frozen=True)
class Memory:
    """Linear class scores of one readout."""

    coefficients: Floats64  # (C, d) rows Σ⁻¹μ_c
    intercepts: Floats64  # (C,) −½ μ_cᵀΣ⁻¹μ_c + log π_c


def fit_memory(
    means: Floats64, covariance: WithinClass, prior: Floats64, shrinkage: float | str = "auto"
) -> Memory:
    """Shrinkage-LDA memory (Eq. 2) with covariance (1 − ρ)S + ρμI."""
    values, rest = covariance.shrunk(shrinkage)
    coefficients = MatrixFunction(covariance.vectors, 1 / values, 1 / rest)(means)
    quadratic = np.einsum("cd,cd->c", coefficients, means)
    with np.errstate(divide="ignore"):  # a class of prior zero scores −inf and gets probability zero
        return Memory(coefficients, np.log(prior) - quadratic / 2)


def scores(memory: Memory, Z: Floats64) -> Floats64:
    """(m, C) class scores ℓ (Eq. 2)."""
    ell = Z @ memory.coefficients.T
    ell += memory.intercepts
    return ell


def posterior(ell: Floats64, temperature: float) -> Floats64:
    """Class distributions softmax(ℓ/τ_m) (Eq. 3), exact for any temperature > 0."""
    P = ell - ell.max(axis=1, keepdims=True)
    with np.errstate(over="ignore", under="ignore"):  # a score far below the best one is a probability of 0
        P /= temperature
        np.exp(P, out=P)
    P /= P.sum(axis=1, keepdims=True)
    return P


def fuse(views: Sequence[Floats64], alpha: float | ArrayLike) -> Floats64:
    """Anchor P₀ = Σ_v α_v P⁽ᵛ⁾ (Eq. 3); a single readout is its own anchor.

    ``alpha`` is one weight per readout, or a number: α for the first of two readouts and 1 − α for the second. With
    three and more readouts a number says nothing about them one by one: all weigh the same.
    """
    if len(views) == 1:
        return views[0]
    weights = np.asarray(alpha)
    if weights.ndim == 0:
        weights = np.array([weights, 1 - weights]) if len(views) == 2 else np.full(len(views), 1 / len(views))
    else:
        weights = weights / weights.sum()  # given weights may be rounded to six digits
    P0 = weights[0] * views[0]
    for weight, P in zip(weights[1:], views[1:], strict=True):
        P0 += weight * P
    return P0
