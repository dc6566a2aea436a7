"""What the memory would say about each labelled contact had it not seen it: closed form, no refit.

Removing contact i of class c moves one class mean by e/(n_c − 1) and takes one rank-one term out of the pooled
covariance, e = z − μ_c. With B the covariance without that term the Sherman–Morrison formula gives the new
Mahalanobis distances from products that are computed once for all contacts. The standardisation, the shrinkage
intensity ρ and its target μI stay those of the whole support; each depends on one contact in n.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.method.covariance import EIGEN_FLOOR, WithinClass, class_means
from bideta.method.readouts import Floats64

SMALLEST = 1e-9  # of 1 − κ eᵀB⁻¹e: zero where the contact alone spans a direction, and only at ρ = 0


def scores(
    Z: Floats64, y: NDArray[np.intp], covariance: WithinClass, prior: Floats64, shrinkage: float
) -> Floats64:
    """(n, C) class scores of every labelled contact, as Eq. 2 would give them without it; Z standardised.

    Up to a constant of each row, which no class distribution notices. The only contact of its class leaves
    nothing to be compared with: such rows keep the scores of the whole support (``alone`` marks them).
    """
    n, counts = len(y), np.bincount(y)
    order = np.argsort(y, kind="stable")
    means = class_means(Z[order], counts)  # (C, d)
    values = np.maximum(
        (1 - shrinkage) * covariance.values * n / max(n - 1, 1) + shrinkage * covariance.mean_variance,
        EIGEN_FLOOR,
    )
    rest = max((1 - shrinkage) * covariance.rest + shrinkage * covariance.mean_variance, EIGEN_FLOOR)
    inverse = covariance.function(1 / values, 1 / rest)  # B⁻¹
    BZ, BM = inverse(Z), inverse(means)
    rows = np.arange(n)
    zz, zm, mm = np.einsum("id,id->i", BZ, Z), Z @ BM.T, means @ BM.T  # zᵀB⁻¹z, zᵀB⁻¹μ_k, μ_jᵀB⁻¹μ_k
    distance = zz[:, None] - 2 * zm + np.diag(mm)  # δᵀB⁻¹δ with δ = z − μ_k
    leverage = distance[rows, y].copy()  # h = eᵀB⁻¹e
    cross = zz[:, None] - zm - zm[rows, y][:, None] + mm[y]  # eᵀB⁻¹δ
    several = ~alone(y)
    grown = np.where(
        several, counts[y] / np.maximum(counts[y] - 1, 1), 1.0
    )  # e grows by this: its mean moved
    distance[rows, y] *= np.square(grown)
    cross[rows, y] *= grown
    kappa = np.where(several, (1 - shrinkage) * grown / max(n - 1, 1), 0.0)
    left = np.maximum(1 - kappa * leverage, SMALLEST)
    distance += (kappa / left)[:, None] * np.square(cross)
    with np.errstate(divide="ignore"):  # a class of prior zero scores −inf
        ell: Floats64 = np.log(prior) - distance / 2
    return ell


def alone(y: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(n,) whether a contact is the only one of its class."""
    only: NDArray[np.bool_] = np.bincount(y)[y] == 1
    return only
