"""What the memory would say about each labelled contact had it not seen it: closed form, no refit.

Frames of one press are nearly alike, so a press leaves as a whole. Without its g contacts, whose residuals are the rows
of E, class c's mean moves by their sum s/(n_c − g), and the scatter loses EᵀWE with W = I + 11ᵀ/(n_c − g). With B the
covariance divided by n − g instead of n, Woodbury's formula gives the new Mahalanobis distances from products with B⁻¹:

    δᵀ(B − κEᵀWE)⁻¹δ = δᵀB⁻¹δ + κ bᵀ(W⁻¹ − κEB⁻¹Eᵀ)⁻¹b   with b = EB⁻¹δ, κ = (1 − ρ)/(n − g), W⁻¹ = I − 11ᵀ/n_c

The standardisation, the shrinkage intensity ρ and its target μI stay those of the whole support.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bideta.extensions.presses import alone, press_of
from bideta.method import Floats, Floats64, Indices
from bideta.method.readout import AdaptedReadout
from bideta.method.spectrum import MatrixFunction, WithinClass, class_means

SMALLEST = 1e-9  # eigenvalue of W⁻¹ − κEB⁻¹Eᵀ: zero where a press alone spans a direction, and only at ρ = 0
PAIRS = 1 << 18  # pairs inside presses that are worked on at a time: C numbers each


def unseen_scores(
    readouts: Sequence[AdaptedReadout],
    support: Sequence[Floats],
    y: Indices,
    presses: Indices,
    shrinkage: float | str,
    prior: Floats64 | None = None,
) -> list[Floats64]:
    """Class scores (n, C) of each readout for the labelled contacts, each as if the memory had not seen its press.

    ``prior`` is the memory's; None: the frequencies of the support.
    """
    frequencies = np.bincount(y) / len(y) if prior is None else prior
    return [
        scores(readout.standardizer(H), y, readout.covariance, frequencies, shrinkage, presses)
        for readout, H in zip(readouts, support, strict=True)
    ]


def scores(
    Z: Floats64,
    y: Indices,
    covariance: WithinClass,
    prior: Floats64,
    shrinkage: float | str = "auto",
    presses: Indices | None = None,
) -> Floats64:
    """(n, C) class scores of every labelled contact, as Eq. 2 would give them without its press; Z standardised.

    ``presses`` numbers them; left out, every contact is a press of its own. Scores are up to a constant of each row,
    which no class distribution notices. The only press of its class leaves nothing to be compared with: such rows keep
    the scores of the whole support (``presses.alone`` marks them).
    """
    rho = covariance.intensity if isinstance(shrinkage, str) else shrinkage
    n, C = len(y), len(prior)
    counts = np.bincount(y)
    means = class_means(Z[np.argsort(y, kind="stable")], counts)  # (C, d)
    distance = np.empty((n, C))
    stays = alone(y, presses)
    if stays.any():
        B = _inverse(covariance, rho, 1.0)
        distance[stays] = _distances(Z[stays], B(Z[stays]), means, B(means))
    for members in _by_size(y, presses, np.flatnonzero(~stays)):
        left = n - members.shape[1]
        B = _inverse(covariance, rho, n / left)
        c = y[members[:, 0]]
        distance[members] = _without(Z[members], c, means, counts[c], B, (1 - rho) / left)
    with np.errstate(divide="ignore"):  # a class of prior zero scores −inf
        ell: Floats64 = np.log(prior) - distance / 2
    return ell


def _by_size(y: Indices, presses: Indices | None, rows: Indices) -> Iterator[Indices]:
    """The presses that these contacts form, as rows: (N, g), equal sizes g together."""
    press = press_of(y[rows], None if presses is None else presses[rows])[1]
    sizes = np.bincount(press)
    starts = np.cumsum(sizes) - sizes
    sorted_rows = rows[np.argsort(press, kind="stable")]
    for g in np.unique(sizes):
        alike, step = starts[sizes == g, None], max(1, PAIRS // g**2)
        for first in range(0, len(alike), step):
            yield sorted_rows[alike[first : first + step] + np.arange(g)]


def _inverse(covariance: WithinClass, shrinkage: float, scale: float) -> MatrixFunction:
    """B⁻¹, B = (1 − ρ)·scale·S + ρμI."""
    values, rest = covariance.shrunk(shrinkage, scale)
    return MatrixFunction(covariance.vectors, 1 / values, 1 / rest)


def _distances(X: Floats64, BX: Floats64, means: Floats64, BM: Floats64) -> Floats64:
    """(n, C) δᵀB⁻¹δ for the differences δ of rows and means; BX and BM are both times B⁻¹."""
    squares: Floats64 = np.einsum("id,id->i", BX, X)[:, None] - 2 * X @ BM.T
    return squares + np.einsum("kd,kd->k", BM, means)


def _without(
    X: Floats64, c: Indices, means: Floats64, counts: Indices, B: MatrixFunction, kappa: float
) -> Floats64:
    """(N, g, C) distances of N presses of g contacts, each by a memory without it; c (N,) are their classes."""
    N, g, d = X.shape
    rows = X.reshape(N * g, d)
    BX, BM = B(rows), B(means)
    distance = _distances(rows, BX, means, BM).reshape(N, g, -1)
    E = X - means[c, None]
    BE = BX.reshape(N, g, d) - BM[c, None]
    K = BE @ E.transpose(0, 2, 1)  # EB⁻¹Eᵀ
    left = (counts - g)[:, None, None]
    moved = K.sum(axis=2, keepdims=True) / left  # EB⁻¹s/(n_c − g)
    # b of every difference: (N, g, i, k) for that of contact i to class k; to its own class it is e + s/(n_c − g)
    b = (BE @ X.transpose(0, 2, 1))[..., None] - (BE @ means.T)[:, :, None]
    every = np.arange(N)
    b[every, :, :, c] = K + moved
    shifted = (moved.sum(axis=1, keepdims=True) / left)[..., 0]
    distance[every, :, c] = np.diagonal(K, axis1=1, axis2=2) + 2 * moved[..., 0] + shifted
    w, V = np.linalg.eigh(np.eye(g) - 1 / counts[:, None, None] - kappa * K)
    b = np.einsum("naj,naik->njik", V, b)
    distance += kappa * np.einsum("njik,nj->nik", np.square(b), 1 / np.maximum(w, SMALLEST))
    return distance
