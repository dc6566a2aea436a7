"""What PT-MAP and protoLP share: features of unit length about their mean, and balanced transport plans."""

from __future__ import annotations

import numpy as np

from bideta.baselines._inputs import Floats
from bideta.baselines._prototypes import prototypes, softmax, squared_distances, unit_rows

TOLERANCE = 1e-6  # largest change of a row sum at which the published code stops
MAX_ITER = 1000
KERNEL_FLOOR = 1e-300  # a class far from every query would have nothing to scale


def prepare(S: Floats, X: Floats, power: float) -> tuple[Floats, Floats]:
    """Power transform that keeps the sign, unit length, each set centred on its own mean, unit length."""
    S, X = (unit_rows(np.sign(A) * np.abs(A) ** power) for A in (S, X))
    return unit_rows(S - S.mean(axis=0)), unit_rows(X - X.mean(axis=0))


def from_support(S: Floats, Y: Floats, X: Floats, sharpness: float) -> Floats:
    """(m, C) distributions by the support's prototypes: a batch smaller than C cannot be balanced."""
    return softmax(-sharpness * squared_distances(unit_rows(X), prototypes(unit_rows(S), Y)))


def transport(log_kernel: Floats, mass: Floats, v: Floats | None = None) -> tuple[Floats, Floats]:
    """(m, C) plan ∝ exp(log_kernel) with rows that sum to one and columns to ``mass``, which sums to m; and v.

    Sinkhorn's scaling P = diag(u) K diag(v) (M. Cuturi, NeurIPS 2013), ending on rows: the plan is made of
    distributions, and the class masses hold to the tolerance. ``v`` of a similar plan is a head start.
    """
    K = np.exp(log_kernel - log_kernel.max(axis=1, keepdims=True))  # u undoes the shift
    np.maximum(K, KERNEL_FLOOR, out=K)
    v = np.ones_like(mass) if v is None else v
    last = np.zeros(len(K))
    for _ in range(MAX_ITER):
        u = 1 / (K @ v)
        v = mass / (u @ K)
        rows = u * (K @ v)
        if np.abs(rows - last).max() <= TOLERANCE:
            break
        last = rows
    P: Floats = K * v
    P /= P.sum(axis=1, keepdims=True)
    return P, v
