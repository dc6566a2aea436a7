"""A second pass: the joint answers for a batch teach the memory once more.

With few labels the memory hardly knows how a class varies. The graph has sorted the queries well by then, so they join
the class means and the covariance with their joint answers, and new scores are settled over the same graph. The queries
of a class together count at most as much as its labels: their answers are guesses. This is one step of expectation
maximisation (see the comparison ``em-lda``) whose expectation is the whole method. A step *before* the graph has spoken
loses accuracy, more steps gain nothing: docs/evidence/real.md.

With Z the standardised features of support and queries, N = n + m rows, and W (N, C) what each row counts for each
class, the covariance of the residuals is ZᵀBZ with B = (diag(w) − W diag(mass)⁻¹ Wᵀ)/total. Where N < d everything
follows from the products K = ZZᵀ: O(N²d + N³) operations instead of O(Nd² + d³).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg

from bideta.extensions.batch import Answers
from bideta.extensions.whitening import soft_scatter
from bideta.method import Floats, Floats64, Indices
from bideta.method.readout import AdaptedReadout
from bideta.method.settings import Settings
from bideta.method.spectrum import EIGEN_FLOOR, ledoit_wolf_intensity

LIMIT = 1e50  # standardised features; no sensor comes near it, a broken file may
LEAST = 1e-9  # queries of a class, so that an absent class divides by something


def applies(answers: Answers, y: Indices) -> bool:
    """Whether a batch was held to the class frequencies of the support; others would feed on their own errors."""
    counts = np.bincount(y)
    return answers.prior is not None and bool(np.allclose(answers.prior, counts / counts.sum()))


def taught_scores(
    readouts: Sequence[AdaptedReadout],
    support: Sequence[Floats],
    y: Indices,
    queries: Sequence[Floats],
    P: Floats64,
    settings: Settings,
) -> list[Floats64]:
    """(m, C) scores of each readout by a memory that the answers P for the queries have joined."""
    W, log_prior = weights(y, P)
    scores = []
    for readout, S, H in zip(readouts, support, queries, strict=True):
        Z = np.concatenate([bounded(readout, S), bounded(readout, H)])
        if len(Z) < Z.shape[1]:
            ell = scores_from_products(Z @ Z.T, Z.shape[1], W, settings.shrinkage)
        else:
            ell = scores_from_features(Z, W, settings.shrinkage)
        scores.append(ell[len(S) :] + log_prior)
    return scores


def bounded(readout: AdaptedReadout, H: Floats) -> Floats64:
    """Standardised features, cut at ``LIMIT``: a covariance holds products of four of them."""
    return np.clip(readout.standardizer(H), -LIMIT, LIMIT)


def weights(y: Indices, P: Floats64) -> tuple[Floats64, Floats64]:
    """(n + m, C) what every contact counts for each class, and (C,) the logarithm of the support's frequencies."""
    counts = np.bincount(y)
    share = np.minimum(1.0, counts / np.maximum(P.sum(axis=0), LEAST))
    return np.concatenate([np.eye(len(counts))[y], P * share]), np.log(counts / len(y))


def scores_from_features(Z: Floats64, W: Floats64, shrinkage: float | str) -> Floats64:
    """(N, C) scores without the class prior (Eq. 2), from the features themselves."""
    d = Z.shape[1]
    means = (W.T @ Z) / W.sum(axis=0)[:, None]
    S, norms = soft_scatter(Z, W)
    rho, target = _shrinkage(norms, float(np.trace(S)), float(np.square(S).sum()), d, shrinkage)
    S *= 1 - rho
    S[np.diag_indices(d)] += target
    coefficients = scipy.linalg.solve(S, means.T, assume_a="pos", overwrite_a=True)  # (d, C) columns Σ⁻¹μ
    ell: Floats64 = Z @ coefficients - (means.T * coefficients).sum(axis=0) / 2
    return ell


def scores_from_products(K: Floats64, d: int, W: Floats64, shrinkage: float | str) -> Floats64:
    """As ``scores_from_features``, from the products K (N, N) of N contacts with d features.

    Class means are rows of AᵀZ with A = W diag(mass)⁻¹. With Σ = (1 − ρ)ZᵀBZ + τI the identity
    Σ⁻¹Zᵀ = Zᵀ(τI + (1 − ρ)BK)⁻¹ turns Σ⁻¹ into a solution with N unknowns.
    """
    total, mass = W.sum(), W.sum(axis=0)
    A = W / mass
    KA = K @ A
    BK = (W.sum(axis=1)[:, None] * K - W @ KA.T) / total
    squared = np.diagonal(K)[:, None] - 2 * KA + (A * KA).sum(axis=0)  # (N, C) distances to the class means
    norms = np.sqrt((W * np.square(squared)).sum(axis=1) * (len(W) / total))
    trace, square = float(np.trace(BK)), float((BK * BK.T).sum())
    rho, target = _shrinkage(norms, trace, square, d, shrinkage)
    BK *= 1 - rho
    BK[np.diag_indices(len(BK))] += target
    ell: Floats64 = K @ scipy.linalg.solve(BK, A, overwrite_a=True)
    return ell - (A * ell).sum(axis=0) / 2


def _shrinkage(
    norms: Floats64, trace: float, squared: float, d: int, shrinkage: float | str
) -> tuple[float, float]:
    """ρ, and what is added to the diagonal: ρμ, or the floor of Eq. 5."""
    rho = ledoit_wolf_intensity(norms, trace, squared, d) if isinstance(shrinkage, str) else shrinkage
    return rho, max(rho * trace / d, EIGEN_FLOOR)
