"""Standardised readouts (Eq. 1): features in units of the support's spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]  # float32 or float64, as the features came
Floats64 = NDArray[np.float64]

# A standardised coordinate beyond this many standard deviations is cut. Without the cut a query at 1e300
# overflows in the products that follow and comes back as NaN; squares and sums of this bound stay finite.
Z_LIMIT = 1e100


@dataclass(frozen=True)
class Standardizer:
    """Support mean b and coordinate-wise standard deviation s of one readout."""

    mean: Floats64  # (d,)
    scale: Floats64  # (d,)

    def __call__(self, H: Floats) -> Floats64:
        """Standardised features z = (h − b) ⊘ s (Eq. 1)."""
        with np.errstate(over="ignore"):  # an overflow becomes ±inf and is cut like any other extreme
            Z = np.subtract(H, self.mean, dtype=np.float64)
            Z /= self.scale
        if H.dtype == np.float32:  # largest over smallest float32 is below the limit
            return Z
        return np.clip(Z, -Z_LIMIT, Z_LIMIT, out=Z)


def fit_standardizer(H: Floats) -> Standardizer:
    """Mean and biased standard deviation (ddof = 0) of the support; constant coordinates get unit scale."""
    return standardize(H)[0]


def standardize(H: Floats) -> tuple[Standardizer, Floats64]:
    """The standardizer of a support, and that support standardised.

    Columns whose squares could overflow or vanish, features at 1e±300, are divided by their largest magnitude first.
    """
    magnitude = np.ones(H.shape[1])
    if H.dtype != np.float32:  # squares of the largest and of the smallest float32 fit into double
        magnitude = np.maximum(H.max(axis=0), -H.min(axis=0))
        magnitude[(magnitude > 1 / Z_LIMIT) & (magnitude < Z_LIMIT) | (magnitude == 0)] = 1.0
    U = H.astype(np.float64) if (magnitude == 1).all() else H / magnitude
    mean = U.mean(axis=0)
    U -= mean
    spread = np.sqrt(np.einsum("ij,ij->j", U, U) / len(H))
    scale = spread * magnitude
    # Equal values can differ from their rounded mean by n·eps: a spread that small is rounding, not signal.
    rounding = len(H) * np.finfo(np.float64).eps * np.abs(mean)
    constant = (spread <= rounding) | (scale == 0)
    U /= np.where(constant, np.inf, spread)
    # The mean of equal numbers is one of them: a query's constant coordinate standardises to zero, not to rounding.
    return Standardizer(np.where(constant, H[0], mean * magnitude), np.where(constant, 1.0, scale)), U
