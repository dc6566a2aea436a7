"""Which contacts to measure next: those whose labels would leave the least doubt about the whole pool.

In a Gaussian process the doubt that a label removes does not depend on what the label will say. Greedily, the next
suggestion is the contact that lowers the summed variance of the pool most, given the labelled contacts and the earlier
suggestions: it covers the space and the doubt at once, and a copy of a labelled contact removes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bideta.checks import check_number
from bideta.deploy.labelling.suggestions import Suggestion
from bideta.extensions.presses import press_numbers
from bideta.method import Floats, Floats64, Indices
from bideta.quantity_sensor import QuantitySensor

if TYPE_CHECKING:  # with scikit-learn, which those who only answer classes go without
    from bideta.regressor import BidetaRegressor

LARGEST = 2048  # contacts that are compared with each other; of a larger pool a random part takes part
NOISE = 1e-2  # of a label, where the kernel of a contact with itself is one


def suggest_quantities(
    pool: Any, budget: int, adapted: BidetaRegressor, presses: ArrayLike | None = None, seed: int = 0
) -> list[Suggestion]:
    """Contacts of the pool to measure, best first; the same for the same input.

    ``doubt`` is what the labelled contacts leave open (0 … 1), ``covers`` how many contacts of the pool a suggestion is
    closer to than anything labelled or suggested before, ``gain`` the share of the pool's doubt that it removes.

    Args:
        pool: the readouts of m unlabelled contacts.
        budget: how many to name.
        adapted: a fitted ``BidetaRegressor``.
        presses: (m,) the press of each contact of the pool; None: each is one.
        seed: of the draw from a large pool.
    """
    contacts = adapted.readouts(pool, "pool")
    m = len(contacts[0])
    check_number("budget", budget, int, low=1, high=m)
    press = press_numbers(presses, m)
    rows = np.arange(m)
    if m > max(LARGEST, budget):
        rows = np.sort(np.random.default_rng(seed).choice(m, max(LARGEST, budget), replace=False))
        contacts, press = tuple(H[rows] for H in contacts), press[rows]
    K = likeness(adapted.sensor_, contacts)
    n = len(adapted.sensor_.values)
    picked = _greedy(K, n, press, budget)
    return [Suggestion(int(rows[i]), covers, doubt, gain) for i, covers, doubt, gain in picked]


def likeness(sensor: QuantitySensor, contacts: tuple[Floats, ...]) -> Floats64:
    """(n + m, n + m) mean kernel of the readouts, one on the diagonal: labelled contacts first, then the pool."""
    model = sensor.model
    total = np.zeros((1, 1))
    for scaler, Z, memory, H in zip(model.scalers, model.support, model.memories[:-1], contacts, strict=True):
        A = np.concatenate([Z, scaler(H)])
        squares = np.einsum("id,id->i", A, A)
        total = total + memory.kernel(A @ A.T, squares, squares) - 1  # without the constant
    mean: Floats64 = total / len(contacts)
    return mean


def _greedy(K: Floats64, n: int, presses: Indices, budget: int) -> list[tuple[int, int, float, float]]:
    """Rows of the pool with covers, doubt and gain; a press waits until every press has been suggested."""
    labelled, across = K[:n, :n], K[n:, :n]
    near = across.max(axis=1)
    remaining = K[n:, n:] - across @ np.linalg.solve(labelled + NOISE * np.eye(n), across.T)
    doubt = np.clip(np.diagonal(remaining), 0.0, 1.0)
    total = max(float(doubt.sum()), np.finfo(float).tiny)
    free = np.ones(len(near), bool)  # not yet suggested
    used: set[int] = set()
    picked = []
    for _ in range(budget):
        allowed = free & ~np.isin(presses, list(used))
        if not allowed.any():
            used.clear()
            allowed = free
        variance = np.maximum(np.diagonal(remaining), 0.0) + NOISE
        removed = np.square(remaining).sum(axis=0) / variance
        i = int(np.argmax(np.where(allowed, removed, -1.0)))
        closer = K[n:, n + i] > near
        picked.append((i, int(closer.sum()), float(doubt[i]), float(removed[i]) / total))
        near = np.maximum(near, K[n:, n + i])
        remaining = remaining - np.outer(remaining[:, i], remaining[i]) / variance[i]
        free[i] = False
        used.add(int(presses[i]))
    return picked
