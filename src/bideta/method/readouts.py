"""Standardised readouts (Eq. 1): features in units of the support's spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

# A standardised coordinate beyond this many standard deviations is cut. Without the cut a query at 1e300
# overflows in the products that follow and comes back as NaN; squares and sums of these bounds stay finite.
Z_LIMIT = {np.dtype(np.float32): 1e15, np.dtype(np.float64): 1e100}


@dataclass(frozen=True)
class Standardizer:
    """Support mean b and coordinate-wise standard deviation s of one readout."""

    mean: NDArray[np.float64]  # (d,)
    scale: NDArray[np.float64]  # (d,)

    def __call__(self, H: Floats) -> Floats:
        """Standardised features z = (h − b) ⊘ s (Eq. 1), a new array in H's precision."""
        limit = Z_LIMIT[H.dtype]
        with np.errstate(over="ignore"):  # an overflow becomes ±inf and is cut like any other extreme
            Z: Floats = H - self.mean.astype(H.dtype)
            Z /= self.scale.astype(H.dtype)
        return np.clip(Z, -limit, limit, out=Z)


def fit_standardizer(H: Floats) -> Standardizer:
    """Mean and biased standard deviation (ddof = 0) of the support; constant coordinates get unit scale.

    Computed on columns divided by their largest magnitude, so that features at 1e±300 neither overflow nor
    vanish when squared.
    """
    n = len(H)
    magnitude = np.abs(H).max(axis=0).astype(np.float64)
    magnitude[magnitude == 0] = 1.0
    U = H / magnitude  # float64, within [−1, 1]
    mean = U.mean(axis=0)
    variance = np.square(U - mean).mean(axis=0)
    # Equal values can differ from their rounded mean by n·eps: a spread that small is rounding, not signal.
    eps = np.finfo(H.dtype).eps
    scale = np.sqrt(variance) * magnitude
    constant = (variance <= np.square(n * eps * mean)) | (scale.astype(H.dtype) == 0)
    return Standardizer(mean * magnitude, np.where(constant, 1.0, scale))
