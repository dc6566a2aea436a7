"""Made-up contacts with quantities, and slow literal versions of what ``bideta.quantities`` does in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls


@dataclass(frozen=True)
class Contacts:
    support: tuple[np.ndarray, ...]
    values: np.ndarray  # (n, 2)
    queries: tuple[np.ndarray, ...]
    truth: np.ndarray  # (m, 2)


def contacts(n: int = 30, m: int = 60, widths: tuple[int, ...] = (8, 12), seed: int = 0) -> Contacts:
    """Two quantities seen through noisy bent features."""
    rng = np.random.default_rng(seed)
    Y = rng.uniform(-1, 1, (n + m, 2)) * (2.0, 15.0)
    readouts = []
    for d in widths:
        inner = (Y / (2.0, 15.0)) @ rng.normal(size=(2, d))
        readouts.append(inner + 0.3 * inner**2 + rng.normal(size=inner.shape) / 10)
    return Contacts(tuple(H[:n] for H in readouts), Y[:n], tuple(H[n:] for H in readouts), Y[n:])


def gaussian_process(K: np.ndarray, k: np.ndarray, own: np.ndarray, y: np.ndarray, noise: float) -> tuple:
    """Mean and variance (σ² = 1, noise included) of the textbook: K (n, n), k (m, n), own (m,) = k(x, x)."""
    C = np.linalg.inv(K + noise * np.eye(len(K)))
    return k @ C @ y, own + noise - np.einsum("ij,jk,ik->i", k, C, k)


def without_each_press(K: np.ndarray, y: np.ndarray, noise: float, presses: np.ndarray) -> tuple:
    """Residuals and their variances (σ² = 1) of every press by a process that was fitted without it."""
    residuals, variances = np.empty(len(y)), np.empty(len(y))
    for press in np.unique(presses):
        here, rest = np.flatnonzero(presses == press), np.flatnonzero(presses != press)
        C = np.linalg.inv(K[np.ix_(rest, rest)] + noise * np.eye(len(rest)))
        cross = K[np.ix_(here, rest)]
        residuals[here] = y[here] - cross @ C @ y[rest]
        covariance = K[np.ix_(here, here)] + noise * np.eye(len(here)) - cross @ C @ cross.T
        variances[here] = np.diagonal(covariance)
    return residuals, variances


def literal_stack(
    answers: np.ndarray, y: np.ndarray, fixed: np.ndarray, pull: float, total: float
) -> np.ndarray:
    """Weights w ≥ 0 that minimise |y − Aᵀw|² + pull·|w − fixed|² + total·(Σw − 1)²."""
    E = len(fixed)
    rows = [*answers.T, *(np.sqrt(pull) * np.eye(E)), np.full(E, np.sqrt(total))]
    goal = [*y, *(np.sqrt(pull) * fixed), np.sqrt(total)]
    return nnls(np.array(rows), np.array(goal))[0]
