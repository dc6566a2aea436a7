from __future__ import annotations

import numpy as np
import pytest

from bideta import load_method
from bideta.baselines import _transport
from bideta.baselines.protolp import solve
from support.change_of_sensor import change
from support.transport_plans import plan, unit


def literal(S: np.ndarray, y: np.ndarray, X: np.ndarray, n_iter: int) -> np.ndarray:
    """The paper's loop over assignment, prototype graph, prototype labels, propagation and update."""
    S, X = (np.array([unit(np.sign(x) * np.sqrt(np.abs(x))) for x in A]) for A in (S, X))
    S, X = (np.array([unit(x - A.mean(axis=0)) for x in A]) for A in (S, X))
    n, m, C = len(S), len(X), y.max() + 1
    Y = np.zeros((n, C))
    Y[np.arange(n), y] = 1
    means = [unit(S[y == c].mean(axis=0)) for c in range(C)]
    both = np.vstack([S, X])

    def assign() -> np.ndarray:
        return plan(np.array([[((x - p) ** 2).sum() for p in means] for x in X]), m / C, 3.0)

    for _ in range(n_iter):
        Z = np.vstack([Y, assign()])
        Lambda = np.diag(Z.sum(axis=0))
        L = np.eye(C) - Z.T @ Z @ np.linalg.inv(Lambda)
        A = np.linalg.inv(Y.T @ Y + L) @ Y.T @ Y
        propagated = np.maximum((Z @ A)[n:], 1e-12)
        balanced = plan(-np.log(propagated), m / C, 1.0)
        weights = np.vstack([Y, 0.6 * balanced + 0.4 * Z[n:]])
        for c in range(C):
            estimate = (weights[:, c, None] * both).sum(axis=0) / weights[:, c].sum()
            means[c] = means[c] + 0.2 * (estimate - means[c])
    return assign()


def test_agrees_with_the_literal_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_transport, "TOLERANCE", 1e-14)  # Sinkhorn to the end, as the literal version
    data = change(C=3, per_class=6, shots=4)
    S, X = data.support[0] / 5, data.queries[0] / 5
    options = {"power": 0.5, "sharpness": 3.0, "smoothness": 1.0, "mix": 0.6, "step": 0.2}
    P = solve(S, np.eye(3)[data.labels], X, n_iter=2, **options)
    np.testing.assert_allclose(P, literal(S, data.labels, X, 2), atol=1e-8)


def test_predictions_are_balanced() -> None:
    data = change(1)
    P = load_method("protolp", n_iter=5).fit(data.support, data.labels).predict_proba(data.queries)
    np.testing.assert_allclose(P.sum(axis=0), 12, atol=0.01)
