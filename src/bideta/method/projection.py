"""Eqs. 1, 2 and 5 for queries, the scaler folded into what follows it: raw features are read once.

With D = h − b the scores are D (Σ⁻¹μ ⊘ s) and the graph's features D (A ⊘ s). Scores are always in double. The graph's
features follow the input where float32, with its seven digits, can afford the gains of Eq. 5 (``SPREAD``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bideta.method import graph
from bideta.method.covariance import MatrixFunction
from bideta.method.memory import Memory, scores
from bideta.method.standardize import Z_LIMIT, Floats, Floats64, Standardizer

SPREAD = (
    1e3  # largest over smallest gain: it multiplies rounding errors, so that in float32 four digits remain
)
# Squared lengths between which products neither overflowed nor vanished, by bytes of a number. Other rows (a query at
# the support's mean is one) are computed again.
LENGTHS = {4: (1e-30, 1e30), 8: (1e-200, 1e200)}


@dataclass(frozen=True)
class Projection:
    """What turns raw features of one readout into class scores and into rows of the graph."""

    standardizer: Standardizer
    memory: Memory
    transform: MatrixFunction
    center: Floats  # (d,) b, as far as the features' precision holds it
    coefficients: Floats64  # (d, C) those of the memory ⊘ s
    constants: Floats64  # (C,) what ``center`` misses of b, in the scores
    left: Floats  # (d, q) D · left · right + D ∘ diagonal is D (A ⊘ s), up to a rotation
    right: Floats | None  # (q, d); None: nothing follows ``left``, and nothing is added
    diagonal: Floats  # (d,)
    shift: Floats  # (d,) what ``center`` misses of b, in the features

    def centered(self, H: Floats) -> Floats:
        """D, as good as h − b."""
        with np.errstate(over="ignore"):
            return H - self.center

    def scores(self, D: Floats, H: Floats) -> Floats64:
        """(m, C) class scores ℓ (Eq. 2); D is ``centered(H)``."""
        with np.errstate(all="ignore"):
            ell = D.astype(np.float64, copy=False) @ self.coefficients
        magnitude = np.abs(ell)
        ell += self.constants
        if not magnitude.max() < Z_LIMIT:
            strange = ~(magnitude < Z_LIMIT).all(axis=1)
            ell[strange] = scores(self.memory, self.standardizer(H[strange]))
        return ell

    def unit_rows(self, D: Floats, H: Floats, out: Floats | None = None) -> Floats:
        """(m, d) features of the graph, of length one, written to ``out`` where given; D is ``centered(H)``."""
        with np.errstate(all="ignore"):
            if self.right is None:
                X = np.matmul(D, self.left, out=out)
            else:
                X = np.matmul(D @ self.left, self.right, out=out)
                X += D * self.diagonal
            X += self.shift
            squares = np.einsum("ij,ij->i", X, X)
            X /= np.sqrt(squares)[:, None]  # divided: in one dimension exactly ±1, and ties stay ties
        least, most = LENGTHS[X.itemsize]
        strange = ~((squares > least) & (squares < most))
        if strange.any():
            X[strange] = self.precise_rows(H[strange])
        return X

    def precise_rows(self, H: Floats) -> Floats64:
        """As ``unit_rows``, in double whatever the features: standardised and cut before anything is multiplied."""
        X = self.transform.rotated(self.standardizer(H))
        graph.unit_rows(X)
        return X


def fold(
    standardizer: Standardizer, memory: Memory, transform: MatrixFunction | None, dtype: Any
) -> Projection:
    """The projection for features of this precision; in double where float32 would lose too many digits."""
    if transform is None:  # the identity
        transform = MatrixFunction(np.empty((len(standardizer.mean), 0)), np.empty(0), rest=1.0)
    if transform.spread > SPREAD:
        dtype = np.float64
    with np.errstate(all="ignore"):  # what overflows here makes strange rows
        inverse = 1 / standardizer.scale
        center = standardizer.mean.astype(dtype)
        missing = center - standardizer.mean
        coefficients = (memory.coefficients * inverse).T
        left, right, rest = transform.up_to_rotation(dtype)
        left = left * inverse.astype(dtype)[:, None]
        diagonal = (rest * inverse).astype(dtype)
        gap = missing.astype(dtype)
        shift = gap @ left if right is None else gap @ left @ right
        shift += gap * diagonal
        return Projection(
            standardizer,
            memory,
            transform,
            center,
            coefficients,
            missing @ coefficients + memory.intercepts,
            left,
            right,
            diagonal,
            shift,
        )
