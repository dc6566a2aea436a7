from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from bideta import load_method
from bideta.baselines.transclip import affinity, block_updates, moments
from support.change_of_sensor import change


def literal_affinity(X: np.ndarray, k: int) -> np.ndarray:
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        cosine = [(X[i] @ X[j] / np.linalg.norm(X[i]) / np.linalg.norm(X[j]), -j) for j in range(n) if j != i]
        for value, j in sorted(cosine, reverse=True)[:k]:
            W[i, -j] = max(value, 0)
    return (W + W.T) / 2


def literal(
    S: np.ndarray, y: np.ndarray, X: np.ndarray, yhat: np.ndarray, W: np.ndarray, weight: float
) -> np.ndarray:
    """The paper's block updates written out: z by z, mean by mean, variance by variance."""
    n, m, C, d = len(S), len(X), yhat.shape[1], S.shape[1]
    Y = np.eye(C)[y]
    mu = np.array([S[y == c].mean(axis=0) for c in range(C)])
    sigma = np.array([sum((S[i, a] - mu[y[i], a]) ** 2 for i in range(n)) / n for a in range(d)])
    z = yhat**0.5 / (yhat**0.5).sum(axis=1, keepdims=True)
    for _ in range(10):
        p = np.array([[np.exp(-(((x - mu[c]) ** 2) / sigma).sum() / 2) for c in range(C)] for x in X])
        for _ in range(5):
            everyone = np.vstack([Y, z])
            new = []
            for i in range(m):
                pull = sum(W[n + i, j] * everyone[j] for j in range(n + m))
                row = yhat[i] ** 0.5 * p[i] * np.exp(pull)
                new.append(row / row.sum())
            z = np.array(new)
        for c in range(C):
            top = weight * S[y == c].sum(axis=0) + (z[:, c, None] * X).sum(axis=0)
            mu[c] = top / (weight * (y == c).sum() + z[:, c].sum())
        spread = sum(weight * (S[i] - mu[y[i]]) ** 2 for i in range(n))
        spread = spread + sum(z[i, c] * (X[i] - mu[c]) ** 2 for i in range(m) for c in range(C))
        sigma = spread / (weight * n + m)
    return z


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_agrees_with_the_literal_updates(weight: float) -> None:
    data = change(C=3, shots=4, per_class=6)
    S, X = data.support[0] / 4, data.queries[0] / 4
    yhat = np.random.default_rng(0).dirichlet(np.ones(3), len(X))
    graph = literal_affinity(np.vstack([S, X]), 3)
    np.testing.assert_allclose(affinity(np.vstack([S, X]), 3).toarray(), graph, atol=1e-12)
    found = block_updates(
        X,
        0.5 * np.log(yhat),
        S=S,
        Y=np.eye(3)[data.labels],
        graph=lambda A: affinity(A, 3),
        support_weight=weight,
    )
    np.testing.assert_allclose(
        softmax(found, axis=1), literal(S, data.labels, X, yhat, graph, weight), atol=1e-8
    )


def test_moments_are_those_of_the_labelled_rows() -> None:
    data = change(1)
    X, y = data.support[0], data.labels
    means, variance = moments(X, np.eye(4)[y])
    np.testing.assert_allclose(means, [X[y == c].mean(axis=0) for c in range(4)])
    np.testing.assert_allclose(variance, np.mean((X - means[y]) ** 2, axis=0))


def test_a_constant_coordinate_does_not_weigh_infinitely() -> None:
    X = np.hstack([change(2).support[0], np.ones((20, 1))])
    assert (moments(X, np.eye(4)[change(2).labels])[1] > 0).all()


def test_a_heavy_anchor_decides() -> None:
    data = change(3, noise=2.0)
    heavy = load_method("transclip", anchor_weight=1e4).fit(data.support, data.labels)
    plain = load_method("lda").fit(data.support, data.labels)
    assert np.mean(heavy.predict(data.queries) == plain.predict(data.queries)) > 0.95
