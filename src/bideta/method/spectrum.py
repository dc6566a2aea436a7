"""Support-conditioned spectral geometry (Eqs. 4–5): directions that vary within a class count for less.

With S = U diag(s) Uᵀ every shrunk covariance (1 − ρ)S + ρμI has the same eigenvectors. So one decomposition serves
twice: the inverse that the memory needs (Eq. 2) and the power that the geometry needs (Eq. 5) are two functions of the
same few numbers.

Cost: the decomposition is O(min(n − C, d)³ + n·d·min(n − C, d)); see ``within_class`` for the choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import scipy.linalg

from bideta.method import Floats64, Indices

EPS = float(np.finfo(np.float64).eps)
EIGEN_FLOOR = 1e-6  # epsilon of Eq. 5; the memory's covariance gets the same floor (it matters at ρ = 0 only)

# Ascending eigenvalues and eigenvectors of a symmetric matrix S, which is overwritten. Call it with S.T, the same
# matrix: LAPACK reads columns and then needs no copy.
eigh = partial(scipy.linalg.eigh, driver="evd", check_finite=False, overwrite_a=True)


@dataclass(frozen=True)
class WithinClass:
    """Eigenvalues and eigenvectors of S, the covariance of the class residuals (divided by n, about zero)."""

    values: Floats64  # (r,) descending
    vectors: Floats64  # (d, r)
    rest: float  # eigenvalue on the d − r directions left out: 0, nothing varies there; 1 where S is the identity
    mean_variance: float  # μ = tr(S)/d
    intensity: float  # Ledoit–Wolf shrinkage of S towards μI

    def shrunk(self, shrinkage: float | str = "auto", scale: float = 1.0) -> tuple[Floats64, float]:
        """Eigenvalues of (1 − ρ)S + ρμI, at least ε: on the r directions and on the others; "auto" is Ledoit–Wolf.

        ``scale`` multiplies those of S on the r directions first: leaving a press out divides by fewer contacts.
        """
        rho = self.intensity if isinstance(shrinkage, str) else shrinkage
        target = rho * self.mean_variance
        values = np.maximum((1 - rho) * scale * self.values + target, EIGEN_FLOOR)
        return values, max((1 - rho) * self.rest + target, EIGEN_FLOOR)


@dataclass(frozen=True)
class MatrixFunction:
    """The symmetric matrix f(Σ) = rest·I + U diag(weights − rest) Uᵀ, never formed when U is thin."""

    vectors: Floats64  # (d, r) orthonormal
    weights: Floats64  # (r,) f at the eigenvalues of U's directions
    rest: float  # f on the d − r directions that U leaves out

    def __call__(self, X: Floats64) -> Floats64:
        """Rows of X times the matrix.

        A row costs 2d² operations with the matrix and 4dr with its factors; forming the matrix costs as much as d rows.
        """
        d, r = self.vectors.shape
        if 2 * r >= d and len(X) >= d:
            return X @ self.matrix
        correction = X @ self.vectors
        correction *= self.weights - self.rest
        product = correction @ self.vectors.T
        product += self.rest * X
        return product

    @cached_property
    def matrix(self) -> Floats64:
        """f(Σ) itself, (d, d)."""
        matrix = (self.vectors * (self.weights - self.rest)) @ self.vectors.T
        matrix[np.diag_indices(len(matrix))] += self.rest
        return matrix


def gains(covariance: WithinClass, gamma: float) -> tuple[Floats64, float]:
    """Gains g = max(λ, ε)^−γ over their median (Eq. 5): on the r directions of S, and on the remaining ones.

    λ are the eigenvalues of the Ledoit–Wolf covariance. The median runs over all d directions; the equal ones outside
    S's range count each.
    """
    values, rest = covariance.shrunk()
    g, g_rest = values**-gamma, rest**-gamma
    d, r = covariance.vectors.shape
    median = np.median(np.concatenate([g, np.full(d - r, g_rest)]))
    return g / median, float(g_rest / median)


def class_means(Z: Floats64, counts: Indices) -> Floats64:
    """(C, d) mean of every class; rows of Z must be sorted by class."""
    ends = np.cumsum(counts)
    sums = [Z[end - n_c : end].sum(axis=0) for n_c, end in zip(counts, ends, strict=True)]
    return np.array(sums) / counts[:, None]


def within_class(Z: Floats64, counts: Indices, means: Floats64) -> WithinClass:
    """Decomposed covariance of the class residuals e = z − μ_y (Eq. 4); rows of Z sorted by class, ``counts`` of each.

    Residuals that vanish (one contact per class, or copies of one) say nothing about the spread; the covariance is
    then the identity, which makes the memory a nearest-mean rule and leaves the geometry alone.
    """
    n, d = Z.shape
    E = np.repeat(means, counts, axis=0)
    np.subtract(Z, E, out=E)  # (n, d)
    norms = np.einsum("ij,ij->i", E, E)  # ‖e‖²
    mean_variance = float(norms.sum() / (n * d))
    if mean_variance <= (n * EPS) ** 2:  # rounding of the class means, not variation
        return WithinClass(np.empty(0), np.empty((d, 0)), rest=1.0, mean_variance=1.0, intensity=1.0)
    # Eigenvectors from the smaller of the two Gram matrices: cost grows with the cube of its size, and at
    # n − C = d both are equal, so there is no cliff.
    if n - len(counts) < d:
        # Orthonormal contrasts: n_c rows of a class become n_c − 1 with the same scatter about the mean. Every class
        # before c has lost one row, so that its block begins c rows earlier.
        F = np.empty((n - len(counts), d))  # FᵀF = EᵀE without the C empty directions
        helmert = {n_c: scipy.linalg.helmert(n_c) for n_c in np.unique(counts)}  # (n_c − 1, n_c)
        for c, (n_c, end) in enumerate(zip(counts, np.cumsum(counts), strict=True)):
            np.matmul(helmert[n_c], Z[end - n_c : end], out=F[end - n_c - c : end - 1 - c])
        values, V = eigh((F @ F.T).T)
        first = int(np.searchsorted(values, values[-1] * n * EPS, side="right"))  # below: rounding
        values, V = values[first:][::-1], V[:, first:][:, ::-1]
        vectors = F.T @ (V / np.sqrt(values))
    else:
        values, vectors = eigh((E.T @ E).T)
        values, vectors = np.maximum(values[::-1], 0.0), np.ascontiguousarray(vectors[:, ::-1])
    values /= n
    intensity = ledoit_wolf_intensity(norms, values.sum(), np.square(values).sum(), d)
    return WithinClass(values, vectors, rest=0.0, mean_variance=mean_variance, intensity=intensity)


def ledoit_wolf_intensity(norms: Floats64, trace: float, squared: float, d: int) -> float:
    """Ledoit–Wolf shrinkage from the squared row norms, tr S and ‖S‖²; the mean is known to be zero.

    Ledoit & Wolf (2004): min(b̄², δ²)/δ² with δ² = ‖S − μI‖²/d and b̄² = (Σ‖eᵢ‖⁴/n − ‖S‖²)/(n·d).
    """
    n = len(norms)
    distance = (squared - trace**2 / d) / d
    scatter = (np.square(norms).sum() / n - squared) / (n * d)
    if scatter <= 0:  # the estimate has no error: nothing to shrink
        return 0.0
    if distance <= 0:  # S equals its target: any intensity gives the same matrix
        return 1.0
    return float(min(scatter / distance, 1.0))
