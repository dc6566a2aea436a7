from __future__ import annotations

import numpy as np
import pytest

from bideta import load_method
from bideta.baselines import _transport
from bideta.baselines.pt_map import solve
from support.change_of_sensor import change
from support.transport_plans import plan, unit


def literal(S: np.ndarray, y: np.ndarray, X: np.ndarray, n_iter: int) -> np.ndarray:
    """The paper's algorithm: power transform, projections, then MAP (blunter than published, so that Sinkhorn ends)."""
    S, X = (np.array([unit(np.sign(x) * np.sqrt(np.abs(x))) for x in A]) for A in (S, X))
    S, X = (np.array([unit(x - A.mean(axis=0)) for x in A]) for A in (S, X))
    C = y.max() + 1
    means = [S[y == c].mean(axis=0) for c in range(C)]
    for _ in range(n_iter + 1):
        P = plan(np.array([[((x - m) ** 2).sum() for m in means] for x in X]), len(X) / C, 3.0)
        for c in range(C):
            total = S[y == c].sum(axis=0) + sum(p[c] * x for p, x in zip(P, X, strict=True))
            means[c] = means[c] + 0.2 * (total / ((y == c).sum() + P[:, c].sum()) - means[c])
    return P


def test_agrees_with_the_literal_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_transport, "TOLERANCE", 1e-14)  # Sinkhorn to the end, as the literal version
    data = change(C=3, per_class=6, shots=4)
    S, X = data.support[0] / 5, data.queries[0] / 5
    P = solve(S, np.eye(3)[data.labels], X, power=0.5, sharpness=3.0, step=0.2, n_iter=4)
    np.testing.assert_allclose(P, literal(S, data.labels, X, 4), atol=1e-8)


def test_predictions_are_balanced() -> None:
    data = change(1)
    P = load_method("pt-map").fit(data.support, data.labels).predict_proba(data.queries)
    np.testing.assert_allclose(P.sum(axis=0), 12, atol=0.01)


@pytest.mark.parametrize("space", ["lda", "raw"])
def test_both_spaces_work(space: str) -> None:
    data = change(2)
    P = load_method("pt-map", space=space).fit(data.support, data.labels).predict_proba(data.queries)
    assert np.mean(P.argmax(axis=1) == data.truth) > 0.3


def test_a_batch_too_small_to_balance_is_answered_one_by_one() -> None:
    data = change(3)
    method = load_method("pt-map").fit(data.support, data.labels)
    three = method.predict_proba(tuple(H[:3] for H in data.queries))
    single = method.predict_proba(tuple(H[1:2] for H in data.queries))
    np.testing.assert_allclose(three[1:2], single, atol=1e-12)
