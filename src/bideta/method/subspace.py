"""Readouts that fill only a part of their space: TVL's second one is a linear head, 768 numbers made of 384.

Written in an orthonormal basis of that part they are half as wide, and lengths and angles are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from bideta.method.closest import tolerance
from bideta.method.readouts import Floats, Floats64

Number = TypeVar("Number", bound=np.floating[Any])
# Squared distance of a row to the span of others, over the largest squared length, below which it is rounding. What
# float32 leaves of a linear head is below 1e-12, the weakest directions of trained encoders are above 1e-7.
RANK = 1e-10
PROBES = 8  # random directions outside the part: whatever sticks out shows in one of eight


def sample(X: NDArray[Number]) -> NDArray[Number]:
    """d/2 + 1 rows from all over X, or all where there are fewer."""
    n, d = X.shape
    return X[np.linspace(0, n - 1, min(n, d // 2 + 1)).astype(np.intp)]


def spanned(rows: Floats64) -> Floats64 | None:
    """(q, d) orthonormal rows that span those of a ``sample``; None where they fill more than half of the space.

    Less than half would hardly be worth it, and could not be told without more rows. Cost: O(d³), a third of that
    where the answer is None.
    """
    K = rows @ rows.T
    L, pivots, q, _ = lapack.dpstrf(K, tol=RANK * K.diagonal().max(), lower=1)
    if q in (0, len(rows)):
        return None
    # Gram–Schmidt by Cholesky factors; the second round mends what the first loses to rounding.
    V = _solved(L[:q, :q], rows[pivots[:q] - 1])
    return _solved(lapack.dpotrf(V @ V.T, lower=1)[0], V)


def _solved(L: Floats64, rows: Floats64) -> Floats64:
    """L⁻¹ rows; ``rows`` may be overwritten."""
    return np.asarray(blas.dtrsm(1.0, L, rows.T, side=1, lower=1, trans_a=1, overwrite_b=1).T)


def left_out(V: Floats64) -> Floats64:
    """(PROBES, d) orthonormal rows, random among those orthogonal to the rows of V."""
    N = np.random.default_rng(0).standard_normal((PROBES, V.shape[1]))
    N -= N @ V.T @ V
    return np.linalg.qr(N.T)[0].T


@dataclass(frozen=True)
class Narrow:
    """Features of the graph in the basis of a part of the space, for queries that lie in it; D is h − b."""

    left: Floats  # (d, q) D · left + shift are the coordinates in that basis
    shift: Floats  # (q,)
    probes: Floats  # (d, PROBES) and probe_shift: the same for directions that the basis leaves out
    probe_shift: Floats  # (PROBES,)

    @property
    def width(self) -> int:
        """q."""
        return self.left.shape[1]

    def unit_rows(self, D: Floats, out: Floats) -> bool:
        """Whether all of D lies in the part of the space; then ``out`` holds the rows, (m, q), of length one.

        What the probes see outside may change a cosine by a fraction of what makes a close call, no more.
        """
        with np.errstate(all="ignore"):  # rows that overflow or vanish are not in the part
            X = np.matmul(D, self.left, out=out)
            X += self.shift
            squares = np.einsum("ij,ij->i", X, X)
            X /= np.sqrt(squares)[:, None]
            seen = np.square(D @ self.probes + self.probe_shift).sum(axis=1)
            outside = seen * ((len(self.left) - self.width) / PROBES) / squares
        return bool((outside < tolerance(X) / 4).all())
