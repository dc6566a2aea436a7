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
        return np.clip(Z, -Z_LIMIT, Z_LIMIT, out=Z)


def fit_standardizer(H: Floats) -> Standardizer:
    """Mean and biased standard deviation (ddof = 0) of the support; constant coordinates get unit scale.

    Computed on columns divided by their largest magnitude, so that features at 1e±300 neither overflow nor
    vanish when squared.
    """
    magnitude = np.abs(H).max(axis=0).astype(np.float64)
    magnitude[magnitude == 0] = 1.0
    U = H / magnitude  # within [−1, 1]
    mean = U.mean(axis=0)
    variance = np.square(U - mean).mean(axis=0)
    # Equal values can differ from their rounded mean by n·eps: a spread that small is rounding, not signal.
    rounding = len(H) * np.finfo(np.float64).eps * np.abs(mean)
    scale = np.sqrt(variance) * magnitude
    constant = (variance <= np.square(rounding)) | (scale == 0)
    return Standardizer(mean * magnitude, np.where(constant, 1.0, scale))
