"""Prototypes that descend an information objective of the queries: what TIM and α-TIM share.

p_ik ∝ exp(−τ/2 ‖x_i − w_k‖²) on unit-length features; the objective is λ·CE(support) plus a function of the query
distributions P. Steps are Adam's (D. P. Kingma, J. Ba, ICLR 2015). The gradient is written out, which spares torch.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bideta.baselines._inputs import Floats
from bideta.baselines._prototypes import closeness, prototypes, softmax, unit_rows

Slope = Callable[[Floats], Floats]  # (m, C) distributions P → derivative of the objective by P, times m

MOMENTA, ADAM_FLOOR = (0.9, 0.999), 1e-8  # Adam's defaults


def descend(
    S: Floats,
    Y: Floats,
    X: Floats,
    *,
    slope: Slope,
    support_weight: float,
    sharpness: float,
    step: float,
    n_iter: int,
) -> Floats:
    """Query distributions under the prototypes after the last step; they start from the class means."""
    S, X = unit_rows(S), unit_rows(X)
    W = prototypes(S, Y)
    first, second = np.zeros_like(W), np.zeros_like(W)  # running moments of the gradient
    for t in range(1, n_iter + 1):
        g = gradient(W, S, Y, X, slope, support_weight, sharpness)
        first += (1 - MOMENTA[0]) * (g - first)
        second += (1 - MOMENTA[1]) * (g * g - second)
        size = np.sqrt(second / (1 - MOMENTA[1] ** t)) + ADAM_FLOOR
        W -= step * first / (1 - MOMENTA[0] ** t) / size
    return softmax(sharpness * closeness(X, W))


def gradient(
    W: Floats, S: Floats, Y: Floats, X: Floats, slope: Slope, support_weight: float, sharpness: float
) -> Floats:
    """(C, d) derivative of the objective by the prototypes, through the logits of support and queries."""
    Ps, P = (softmax(sharpness * closeness(A, W)) for A in (S, X))
    by_support = support_weight * (Ps - Y) / len(S)
    by_P = slope(P) / len(X)
    by_query = P * (by_P - (P * by_P).sum(axis=1, keepdims=True))
    pull = by_support.T @ S + by_query.T @ X
    derivative: Floats = sharpness * (pull - (by_support.sum(axis=0) + by_query.sum(axis=0))[:, None] * W)
    return derivative
