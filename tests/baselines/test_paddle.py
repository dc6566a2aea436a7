from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from bideta import load_method
from bideta.baselines.paddle import solve
from support.change_of_sensor import change


def literal(S: np.ndarray, y: np.ndarray, X: np.ndarray, n_iter: int, lam: float) -> np.ndarray:
    """The paper's block updates of u, v (from the class proportions) and w, entry by entry."""
    C, m = y.max() + 1, len(X)
    w = [S[y == c].mean(axis=0) for c in range(C)]
    v = np.zeros(C)
    for _ in range(n_iter):
        u = np.array([[np.exp(-((x - w[c]) ** 2).sum() / 2 + lam / m * v[c]) for c in range(C)] for x in X])
        u = u / u.sum(axis=1, keepdims=True)
        v = np.array([np.log(u[:, c].mean() + 1e-6) + 1 for c in range(C)])
        w = [
            (S[y == c].sum(axis=0) + (u[:, c, None] * X).sum(axis=0)) / ((y == c).sum() + u[:, c].sum())
            for c in range(C)
        ]
    return u


@pytest.mark.parametrize("complexity", [1.0, 0.3])
def test_agrees_with_the_literal_algorithm(complexity: float) -> None:
    data = change()
    S, X = data.support[0] / 3, data.queries[0] / 3
    found = solve(S, np.eye(4)[data.labels], X, scaled=False, complexity=complexity, n_iter=20)
    np.testing.assert_allclose(
        softmax(found, axis=1), literal(S, data.labels, X, 20, complexity * len(X)), atol=1e-10
    )


def test_raw_features_are_divided_by_their_range() -> None:
    data = change(1)
    S, X = data.support[0], data.queries[0]
    extent = np.ptp(np.vstack([S, X]), axis=0)
    options = {"complexity": 1.0, "n_iter": 10}
    found = solve(S, np.eye(4)[data.labels], X, scaled=True, **options)
    np.testing.assert_allclose(
        found, solve(S / extent, np.eye(4)[data.labels], X / extent, scaled=False, **options), atol=1e-12
    )


def test_absent_classes_lose_their_queries() -> None:
    """What it was made for: a batch with two of four classes."""
    data = change(2, shots=8, noise=1.5)
    present = data.truth < 2
    queries = tuple(H[present] for H in data.queries)
    P = load_method("paddle").fit(data.support, data.labels).predict_proba(queries)
    plain = load_method("lda").fit(data.support, data.labels).predict_proba(queries)
    assert P[:, 2:].sum() <= plain[:, 2:].sum()
