"""A memory for quantities: one Gaussian process per kernel, its scale and noise weighed by left-out presses.

The process has amplitude σ² and noise σ²λ. For every scale and λ, σ² has its best value in closed form, and what is
left of the likelihood of left-out presses says how well the pair fits. A press counts once, whatever the number of its
frames: they are nearly alike, and how well they predict each other says nothing about other presses. The scale of a
readout is one for all columns (their evidence adds up); the answers of the noises are averaged, each weighing what it
explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from bideta.method import Floats64, Indices
from bideta.quantities.kernels import Kernel
from bideta.quantities.leave_one_out import LeftOut, leave_out

NOISES = np.logspace(-4, 1, 6)  # λ; twelve values do no better
USUAL_NOISE, NOISE_PULL = (
    -3.0,
    0.1,
)  # log₁₀ λ, and how weakly it is preferred: readouts of a frozen encoder are clean
TINY = 1e-12  # σ² of a column that is explained without error: its logarithm stays finite


@dataclass(frozen=True)
class Memory:
    """A fitted process for K columns."""

    kernel: Kernel
    vectors: Floats64  # (n, n) U of K = U diag(values) Uᵀ
    coefficients: Floats64  # (n, K) averaged C y: answers are k*ᵀ coefficients
    spectrum: Floats64  # (n, K) averaged σ²/(values + λ): what labels explain of the variance
    amplitude: Floats64  # (K,) averaged σ²
    noise: Floats64  # (K,) averaged σ²λ
    left_out: Floats64  # (n, K) answers for the labelled contacts, each without its press
    left_out_variance: Floats64  # (n, K)
    evidence: float  # log likelihood of left-out presses; not of constant columns, which any kernel explains

    def __call__(self, K: Floats64, diagonal: Floats64) -> tuple[Floats64, Floats64]:
        """(m, K) answers and their variances, from the kernel with the labelled contacts and with itself."""
        explained = np.square(K @ self.vectors) @ self.spectrum
        variance = diagonal[:, None] * self.amplitude - explained
        return K @ self.coefficients, np.maximum(variance, 0.0) + self.noise


def fit_memory(
    kernels: Sequence[tuple[Kernel, float]],
    products: Floats64,
    squares: Floats64,
    Y: Floats64,
    groups: list[Indices],
) -> Memory:
    """The best of several kernels (each with the logarithm of its prior) for centred columns Y (n, K)."""
    fitted = [_fit(kernel, prior, products, squares, Y, groups) for kernel, prior in kernels]
    return max(fitted, key=lambda memory: memory.evidence)


def _fit(
    kernel: Kernel, prior: float, products: Floats64, squares: Floats64, Y: Floats64, groups: list[Indices]
) -> Memory:
    K = kernel(products, squares, squares)
    values, U = scipy.linalg.eigh(K, driver="evd", check_finite=False, overwrite_a=True)
    values = np.maximum(values, 0.0)
    out = leave_out(values, U, Y, NOISES, groups)
    sigma2, scores = _judge(out, groups)
    best = scores.max(axis=0)
    w = np.exp(scores - best)  # (L, K)
    evidence = best + np.log(w.sum(axis=0))
    w /= w.sum(axis=0)
    inverse = 1 / (values[:, None] + NOISES)  # (n, L)
    answers = np.einsum("lik,lk->ik", out.residuals, w)
    means = Y - out.residuals
    spread = out.variances[..., None] * sigma2[:, None] + np.square(
        means - (Y - answers)
    )  # of a mixture of noises
    return Memory(
        kernel,
        U,
        U @ ((inverse @ w) * (U.T @ Y)),
        inverse @ (w * sigma2),
        (w * sigma2).sum(axis=0),
        NOISES @ (w * sigma2),
        Y - answers,
        np.einsum("lik,lk->ik", spread, w),
        prior + float(evidence[Y.any(axis=0)].sum()),
    )


def _judge(out: LeftOut, groups: list[Indices]) -> tuple[Floats64, Floats64]:
    """(L, K) best σ² of each noise, and how well it explains left-out presses, with a weak preference for a usual λ."""
    share = np.empty(out.variances.shape[1])  # of its press that a contact stands for
    for rows in groups:
        share[rows] = 1 / rows.shape[1]
    p = sum(map(len, groups))
    sigma2 = np.einsum("lik,li,i->lk", np.square(out.residuals), 1 / out.variances, share, optimize=True) / p
    likelihood = -0.5 * ((np.log(out.variances) @ share)[:, None] + p * np.log(np.maximum(sigma2, TINY)))
    unusual = NOISE_PULL * np.square(np.log10(NOISES) - USUAL_NOISE)
    return sigma2, likelihood - unusual[:, None]
