"""How much each memory is listened to: non-negative least squares on answers for left-out presses.

With few labels such weights are noise, so they are pulled towards fixed ones, as if ``PULL`` further contacts asked for
those, and their sum towards one.
"""

from __future__ import annotations

import numpy as np

from bideta.method import Floats64

PULL = 2.0  # labelled contacts that the fixed weights are worth
SUM_PULL = 3.0  # those that a sum of one is worth


def stack(answers: Floats64, y: Floats64, fixed: Floats64) -> Floats64:
    """(E,) weights ≥ 0 of E memories whose left-out answers are the rows (E, n), for centred labels of unit spread."""
    from scipy.optimize import nnls  # a third of a second to import: only where there is something to stack

    E = len(answers)
    A = np.concatenate([answers.T, np.sqrt(PULL) * np.eye(E), np.full((1, E), np.sqrt(SUM_PULL))])
    b = np.concatenate([y, np.sqrt(PULL) * fixed, [np.sqrt(SUM_PULL)]])
    # The triangle of A has the same normal equations and E rows, whatever the number of contacts.
    Q, R = np.linalg.qr(A)
    weights: Floats64 = nnls(R, Q.T @ b)[0]
    return weights


def mixture(means: Floats64, variances: Floats64, weights: Floats64) -> tuple[Floats64, Floats64]:
    """(m, K) mean and variance of memories (E, m, K) with weights (E, K): the spread between them counts as doubt."""
    mean = np.einsum("emk,ek->mk", means, weights)
    total = weights.sum(axis=0)
    share = np.divide(weights, total, out=np.full_like(weights, 1 / len(weights)), where=total > 0)
    variance = np.einsum("emk,ek->mk", variances + np.square(means - mean), share)
    return mean, variance
