"""How alike two contacts are. Both kernels have a diagonal of about two: one for the constant, one for what varies.

The constant lets a memory learn the mean of a quantity, like the intercept of a regression.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bideta.method import Floats64

SMALLEST = 1e-12  # of a length scale: contacts that are all copies of each other


@dataclass(frozen=True)
class Matern:
    """1 + Matérn-5/2 of the distance in one readout, in units of ``length``."""

    length: float  # squared distance at which the argument is one

    def __call__(self, products: Floats64, a: Floats64, b: Floats64) -> Floats64:
        """(p, q) kernel; ``products`` are ABᵀ, ``a`` and ``b`` the squared lengths of the rows of A and B."""
        r = np.maximum(a[:, None] + b - 2 * products, 0.0)
        r *= 5 / self.length
        np.sqrt(r, out=r)
        K: Floats64 = 1 + r * (1 / 3 * r + 1)
        np.negative(r, out=r)
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            K *= np.exp(r, out=r)
        np.nan_to_num(K, copy=False, nan=0.0)  # ∞·0 far outside: not alike at all
        K += 1
        return K

    def diagonal(self, a: Floats64) -> Floats64:
        """(p,) kernel of each contact with itself."""
        return np.full(len(a), 2.0)


@dataclass(frozen=True)
class Linear:
    """1 + the inner product over all readouts, divided by the mean squared length of the labelled contacts."""

    length: float

    def __call__(self, products: Floats64, a: Floats64, b: Floats64) -> Floats64:
        """(p, q) kernel, see ``Matern``."""
        return 1 + products / self.length

    def diagonal(self, a: Floats64) -> Floats64:
        """(p,) kernel of each contact with itself."""
        return 1 + a / self.length


Kernel = Matern | Linear


def typical_square(products: Floats64, squares: Floats64) -> float:
    """Median squared distance of different contacts, from their products (n, n) and squared lengths (n,)."""
    if len(squares) < 2:
        return max(float(squares.mean()), SMALLEST)
    above = np.triu_indices(len(squares), 1)
    distances = np.maximum(squares[above[0]] + squares[above[1]] - 2 * products[above], 0)
    median = float(np.median(distances))
    return max(median or float(distances.mean()), SMALLEST)


def linear(squares: Floats64) -> Linear:
    """The linear kernel of labelled contacts with these squared lengths."""
    mean = float(squares.mean())
    return Linear(mean if mean > SMALLEST and math.isfinite(mean) else 1.0)
