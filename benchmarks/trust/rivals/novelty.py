"""Contacts of no enrolled class: published scores, computed on an adapted sensor; each grows with strangeness.

A detector is taught by labelled contacts and then scores any others. The logits of the network that the papers speak of
are the memory's class scores, mean of the readouts; features are either the standardised readouts side by side or the
unit rows of our spectral geometry. tests/benchmarks compare every score with pytorch-ood's where that is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.covariance import ledoit_wolf

from bideta.deploy.geometry import spectral
from bideta.encoders import Readouts
from bideta.method import memory
from bideta.method.algorithm import Inference
from bideta.sensor import Sensor

Array = NDArray[np.float64]

NEIGHBOURS = (
    5  # of k-NN and NNGuide: papers take 1 to 10 % of the training set; few labels have few neighbours
)
VARIANCE = (
    0.9  # share that ViM's principal space keeps; the paper's 1,000 of 2,048 need more contacts than labels
)


@dataclass(frozen=True)
class Seen:
    """What detectors see of some contacts."""

    plain: Array  # (n, Σd) standardised readouts side by side, each divided by √d: readouts weigh alike
    unit: Array  # (n, Σd) spectral geometry, unit rows
    logits: Array  # (n, C)


Detector = Callable[[Seen, NDArray[np.intp], Seen], Array]  # labelled contacts, their classes, asked → (m,)


def seen(sensor: Sensor, contacts: Readouts) -> Seen:
    """The features and logits of contacts under a sensor."""
    Z = [readout.standardizer(H) for readout, H in zip(sensor.readouts, contacts, strict=True)]
    logits = np.mean(
        [memory.scores(readout.memory, z) for readout, z in zip(sensor.readouts, Z, strict=True)], axis=0
    )
    plain = np.hstack([z / z.shape[1] ** 0.5 for z in Z])
    return Seen(plain, spectral(sensor.readouts, contacts).astype(np.float64), logits)


def best_probability(result: Inference) -> Array:
    """1 − the best final probability (Hendrycks and Gimpel, 2017)."""
    return 1 - result.proba.max(axis=1)


def energy(labelled: Seen, y: NDArray[np.intp], asked: Seen) -> Array:
    """−log Σ exp of the logits (Liu and others, 2020)."""
    return -logsumexp(asked.logits, axis=1)


def k_nearest(A: Array, Q: Array, k: int = NEIGHBOURS) -> Array:
    """Distance to the k-th labelled contact after normalising to unit length (Sun and others, 2022)."""
    A, Q = _unit(A), _unit(Q)
    k = min(k, len(A))
    cosine = np.partition(Q @ A.T, len(A) - k, axis=1)[:, len(A) - k]
    return np.sqrt(np.maximum(2 - 2 * cosine, 0))


def virtual_logit(A: Array, logits_a: Array, Q: Array, logits_q: Array, origin: Array, d: int) -> Array:
    """α‖residual outside of d principal axes‖ − energy, α = mean best logit / mean residual (ViM, Wang, 2022)."""
    X = A - origin
    axes = np.linalg.svd(X, full_matrices=False)[2][:d]
    rest, asked = (np.linalg.norm(Y - Y @ axes.T @ axes, axis=1) for Y in (X, Q - origin))
    alpha = logits_a.max(axis=1).mean() / max(rest.mean(), 1e-12)
    return alpha * asked - logsumexp(logits_q, axis=1)


def relative_mahalanobis(A: Array, y: NDArray[np.intp], Q: Array) -> Array:
    """min over classes of d_c − d_0, both with Ledoit–Wolf covariances: labels are fewer than features (Ren, 2021)."""
    means = np.stack([A[y == c].mean(axis=0) for c in range(y.max() + 1)])
    within = np.linalg.inv(ledoit_wolf(A - means[y], assume_centered=True)[0])
    whole = np.linalg.inv(ledoit_wolf(A)[0])
    W = Q @ within
    d = (W * Q).sum(axis=1)[:, None] - 2 * W @ means.T + np.einsum("cd,de,ce->c", means, within, means)
    centred = Q - A.mean(axis=0)
    return d.min(axis=1) - np.einsum("md,de,me->m", centred, whole, centred, optimize=True)


def guided_energy(A: Array, logits_a: Array, Q: Array, logits_q: Array, k: int = NEIGHBOURS) -> Array:
    """−energy · mean of the k best similarities to labelled contacts weighed by their energies (NNGuide, 2023)."""
    bank = _unit(A) * logsumexp(logits_a, axis=1)[:, None]
    k = min(k, len(A))
    guidance = np.partition(_unit(Q) @ bank.T, len(A) - k, axis=1)[:, len(A) - k :].mean(axis=1)
    return -guidance * logsumexp(logits_q, axis=1)


def _unit(X: Array) -> Array:
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)


def _vim(a: Seen, q: Seen, where: str) -> Array:
    A, Q = getattr(a, where), getattr(q, where)
    origin = A.mean(axis=0)  # the paper's −W⁺b is the support's mean where features were standardised by it
    spread = np.cumsum(np.linalg.svd(A - origin, compute_uv=False) ** 2)
    d = int(np.searchsorted(spread, VARIANCE * spread[-1])) + 1
    return virtual_logit(A, a.logits, Q, q.logits, origin, d)


def _reduced(A: Array, Q: Array) -> tuple[Array, Array]:
    """Both in the principal axes of the labelled contacts and what lies outside as one more: d ≤ n for inverses."""
    centre = A.mean(axis=0)
    axes = np.linalg.svd(A - centre, full_matrices=False)[2]
    return (A - centre) @ axes.T, (Q - centre) @ axes.T


DETECTORS: dict[str, Detector] = {
    "energy": energy,
    "k-NN, readouts": lambda a, y, q: k_nearest(a.plain, q.plain),
    "k-NN, spectral": lambda a, y, q: k_nearest(a.unit, q.unit),
    "nearest (k = 1), spectral": lambda a, y, q: k_nearest(a.unit, q.unit, 1),
    "ViM, readouts": lambda a, y, q: _vim(a, q, "plain"),
    "ViM, spectral": lambda a, y, q: _vim(a, q, "unit"),
    "relative Mahalanobis, readouts": lambda a, y, q: relative_mahalanobis(*_pair(a.plain, y, q.plain)),
    "relative Mahalanobis, spectral": lambda a, y, q: relative_mahalanobis(*_pair(a.unit, y, q.unit)),
    "NNGuide, readouts": lambda a, y, q: guided_energy(a.plain, a.logits, q.plain, q.logits),
    "NNGuide, spectral": lambda a, y, q: guided_energy(a.unit, a.logits, q.unit, q.logits),
}


def _pair(A: Array, y: NDArray[np.intp], Q: Array) -> tuple[Array, NDArray[np.intp], Array]:
    a, q = _reduced(A, Q)
    return a, y, q
