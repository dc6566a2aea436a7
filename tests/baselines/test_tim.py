from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from bideta import load_method
from bideta.baselines import alpha_tim, tim
from bideta.baselines._information import descend
from support.change_of_sensor import change

torch = pytest.importorskip("torch")


def by_autograd(S, y, X, C, n_iter, entropies, weights, alpha=0.0):
    """The published objectives, differentiated by torch and stepped by torch's own Adam."""
    S, X = (torch.nn.functional.normalize(torch.from_numpy(np.array(A)), dim=1) for A in (S, X))
    Y = torch.eye(C, dtype=torch.float64)[torch.from_numpy(y)]
    W = ((Y.T @ S) / Y.sum(0)[:, None]).requires_grad_()
    optimizer = torch.optim.Adam([W], lr=1e-3)

    def logits(A):
        return -15 / 2 * torch.cdist(A, W).square()

    for _ in range(n_iter):
        p, marginal = logits(X).softmax(1), logits(X).softmax(1).mean(0)
        ce = -(Y * torch.log(logits(S).softmax(1) + 1e-12)).sum(1).mean()
        if entropies == "shannon":
            H_y = -(marginal * torch.log(marginal)).sum()
            H_yx = -(p * torch.log(p + 1e-12)).sum(1).mean()
        else:
            H_y = (1 - marginal.pow(alpha).sum()) / (alpha - 1)
            H_yx = ((1 - p.pow(alpha).sum(1)) / (alpha - 1)).mean()
        loss = weights[0] * ce - weights[1] * H_y + weights[2] * H_yx
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return logits(X).softmax(1).detach().numpy()


def test_tim_agrees_with_autograd_and_adam() -> None:
    data = change()
    S, X, Y = data.support[0], data.queries[0], np.eye(4)[data.labels]
    options = partial(descend, support_weight=0.1, sharpness=15.0, step=1e-3)
    found = tim.solve(S, Y, X, options=options, conditional_weight=0.1, n_iter=60)
    expected = by_autograd(S, data.labels, X, 4, 60, "shannon", (0.1, 1.0, 0.1))
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("alpha", [2.0, 5.0, 7.0])
def test_alpha_tim_agrees_with_autograd_and_adam(alpha: float) -> None:
    data = change(1)
    S, X, Y = data.support[0], data.queries[0], np.eye(4)[data.labels]
    slope = partial(alpha_tim.information_slope, alpha=alpha)
    found = descend(S, Y, X, slope=slope, support_weight=1.0, sharpness=15.0, step=1e-3, n_iter=60)
    expected = by_autograd(S, data.labels, X, 4, 60, "alpha", (1.0, 1.0, 1.0), alpha)
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_alpha_follows_the_shots_as_published() -> None:
    assert [alpha_tim.published_alpha(s) for s in (1, 3, 5, 40)] == [2.0, 5.0, 7.0, 7.0]


def test_alpha_tim_bears_an_unbalanced_batch_better() -> None:
    data = change(2, C=5, shots=8, per_class=40, noise=1.5)
    kept = (data.truth < 2) | (np.arange(len(data.truth)) % 20 == 0)
    queries, truth = tuple(H[kept] for H in data.queries), data.truth[kept]
    accuracy = {
        name: np.mean(load_method(name).fit(data.support, data.labels).predict(queries) == truth)
        for name in ("tim", "alpha-tim")
    }
    assert accuracy["alpha-tim"] > accuracy["tim"]


def test_tim_keeps_the_support_prototypes_where_balance_is_impossible() -> None:
    data = change(3)
    method = load_method("tim").fit(data.support, data.labels)
    three = method.predict_proba(tuple(H[:3] for H in data.queries))
    single = method.predict_proba(tuple(H[1:2] for H in data.queries))
    np.testing.assert_allclose(three[1:2], single, atol=1e-12)
