"""Reliability gate (Eqs. 8–9): every query listens to its neighbours, an unsure one more.

The paper's exponent p = 0.05 makes the gate sensitive to *tiny* uncertainties: s = 1e-16 already opens it by
0.16 of its range. Entropy and divergence of confident rows are therefore computed from the small
probabilities, never from 1 − ε, where they would drown in rounding and the answer would depend on the BLAS.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bideta.method import Floats64
from bideta.method.settings import Settings

LEAST = float(np.finfo(np.float64).tiny)
BELOW_ONE = float(
    np.nextafter(1.0, 0.0)
)  # largest |x| used: at 1 the term (1 − x)log(1 − x) would be NaN, not 0


def ambiguity(P0: Floats64) -> Floats64:
    """Normalised entropy a = H(P₀)/log C of each row (Eq. 8); zero where there is one class."""
    m, C = P0.shape
    if C == 1:
        return np.zeros(m)
    top = P0.argmax(axis=1)
    tail = P0.copy()
    tail[np.arange(m), top] = 0.0
    rest = tail.sum(axis=1)  # 1 − p_top without cancellation
    entropy = -(tail * np.log(np.maximum(tail, LEAST))).sum(axis=1) - (1 - rest) * np.log1p(-rest)
    return np.clip(entropy / np.log(C), 0.0, 1.0)


def disagreement(views: Sequence[Floats64]) -> Floats64:
    """Jensen–Shannon distance d of the readouts' rows (Eq. 8), a number in [0, 1]; zero where there is one readout.

    d² = ½ [KL(P⁽¹⁾ ‖ M) + KL(P⁽²⁾ ‖ M)]/log 2, M the mean of both. With u and v the probabilities of a class and
    x = (u − v)/(u + v) the class contributes (u + v)/4 · [(1 + x)log(1 + x) + (1 − x)log(1 − x)] to the bracket's half:
    the same, rearranged so that every term is ≥ 0 and nothing cancels. V readouts have a mean of V divergences, divided
    by log V, the largest that it can be; α plays no part.
    """
    if len(views) == 1:
        return np.zeros(len(views[0]))
    if len(views) > 2:
        return np.sqrt(np.clip(_divergence(views) / np.log(len(views)), 0.0, 1.0))
    P1, P2 = views
    total = P1 + P2
    difference = P1 - P2
    # Where both readouts favour the same class, u − v is the difference of the two remainders, which are small.
    rows = np.arange(len(P1))
    top = total.argmax(axis=1)
    at_top = difference[rows, top]
    difference[rows, top] = 0.0
    certain = np.minimum(P1[rows, top], P2[rows, top]) > 0.5
    difference[rows, top] = np.where(certain, -difference.sum(axis=1), at_top)
    x = difference / np.maximum(total, LEAST)
    x2 = np.square(x)
    series = x2 * (1 + x2 * (1 / 6 + x2 / 15))  # exact to rounding for |x| < 1e-3
    x = np.minimum(np.abs(x), BELOW_ONE)
    phi = np.where(x2 < 1e-6, series, (1 + x) * np.log1p(x) + (1 - x) * np.log1p(-x))
    divergence = (total * phi).sum(axis=1) / 4
    return np.sqrt(np.clip(divergence / np.log(2), 0.0, 1.0))


def _divergence(views: Sequence[Floats64]) -> Floats64:
    """(m,) Jensen–Shannon divergence of V > 2 readouts: the mean of their Kullback–Leibler divergences to their mean.

    With x = (u_v − ū)/ū a class contributes ū/V · Σ_v [(1 + x_v)log(1 + x_v) − x_v]: the x_v sum to zero, so that
    every term is ≥ 0 and nothing cancels.
    """
    P = np.stack(views)  # (V, m, C)
    mean = P.mean(axis=0)
    difference = P - mean
    # As for two: where all readouts favour one class, the remainders tell how far they differ there.
    rows = np.arange(P.shape[1])
    top = mean.argmax(axis=1)
    at_top = difference[:, rows, top]
    difference[:, rows, top] = 0.0
    certain = P[:, rows, top].min(axis=0) > 0.5
    difference[:, rows, top] = np.where(certain, -difference.sum(axis=2), at_top)
    x = difference / np.maximum(mean, LEAST)
    series = np.square(x) * (1 / 2 - x * (1 / 6 - x * (1 / 12 - x * (1 / 20 - x / 30))))  # for |x| < 1e-3
    beyond = np.maximum(x, -BELOW_ONE)
    phi = np.where(np.abs(x) < 1e-3, series, (1 + beyond) * np.log1p(beyond) - x)
    return (mean * phi).sum(axis=(0, 2)) / len(views)


def recurrence_weight(a: Floats64, d: Floats64, settings: Settings) -> Floats64:
    """Recurrence weight r = r_min + (r_max − r_min)·s^p with s = (1 − λ)a + λd (Eq. 9).

    A large r gives the query more of the graph: the paper's "reliability" weight grows with uncertainty. With one
    readout d is zero, so that s stays below 1 − λ.
    """
    weight, r_min, r_max = settings.disagreement_weight, settings.r_min, settings.r_max
    s = np.clip((1 - weight) * a + weight * d, 0.0, 1.0)
    with np.errstate(under="ignore"):
        return r_min + (r_max - r_min) * s**settings.gate_exponent
