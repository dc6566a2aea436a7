from __future__ import annotations

import numpy as np
import pytest
from sklearn.covariance import LedoitWolf

from bideta import Bideta, presets
from bideta.deploy import OnlineBideta
from bideta.extensions import second_pass
from support.sensor_shift import episode


def literal(Z: np.ndarray, W: np.ndarray, shrinkage: float) -> np.ndarray:
    """Scores by the definition: weighted means, residuals one by one, an inverse."""
    N, C = W.shape
    means = np.array([sum(W[i, c] * Z[i] for i in range(N)) / W[:, c].sum() for c in range(C)])
    S = (
        sum(W[i, c] * np.outer(Z[i] - means[c], Z[i] - means[c]) for i in range(N) for c in range(C))
        / W.sum()
    )
    d = Z.shape[1]
    inverse = np.linalg.inv((1 - shrinkage) * S + shrinkage * np.trace(S) / d * np.eye(d))
    return np.array([[z @ inverse @ mu - mu @ inverse @ mu / 2 for mu in means] for z in Z])


def soft_labels(N: int, C: int, rng: np.random.Generator) -> np.ndarray:
    W = rng.dirichlet(np.full(C, 0.3), N)
    W[:C] = np.eye(C)
    return W * rng.uniform(0.2, 1, (N, 1))


@pytest.mark.parametrize(("N", "d"), [(12, 5), (12, 30), (40, 41)])
@pytest.mark.parametrize("shrinkage", [0.3, 0.9])
def test_both_ways_are_the_definition(N: int, d: int, shrinkage: float) -> None:
    rng = np.random.default_rng(N + d)
    Z, W = rng.normal(size=(N, d)), soft_labels(N, 3, rng)
    want = literal(Z, W, shrinkage)
    np.testing.assert_allclose(second_pass.scores_from_features(Z, W, shrinkage), want, atol=1e-8)
    np.testing.assert_allclose(second_pass.scores_from_products(Z @ Z.T, d, W, shrinkage), want, atol=1e-8)


@pytest.mark.parametrize(("N", "d"), [(30, 8), (30, 60)])
def test_with_hard_labels_the_intensity_is_scikit_learns(N: int, d: int) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(N) % 3
    Z = rng.normal(size=(N, d)) * rng.uniform(0.3, 3, d)
    residuals = Z - np.array([Z[y == c].mean(axis=0) for c in range(3)])[y]
    rho = LedoitWolf(assume_centered=True).fit(residuals).shrinkage_
    want = literal(Z, np.eye(3)[y], rho)
    np.testing.assert_allclose(second_pass.scores_from_features(Z, np.eye(3)[y], "auto"), want, atol=1e-8)
    got = second_pass.scores_from_products(Z @ Z.T, d, np.eye(3)[y], "auto")
    np.testing.assert_allclose(got, want, atol=1e-8)


def test_queries_of_a_class_count_at_most_as_much_as_its_labels() -> None:
    y = np.array([0, 0, 1])
    P = np.array([[0.9, 0.1], [0.8, 0.2], [0.9, 0.1], [0.1, 0.9]])
    W, log_prior = second_pass.weights(y, P)
    np.testing.assert_allclose(W[3:].sum(axis=0), [2.0, 1.0])
    np.testing.assert_allclose(W[:3], np.eye(2)[y])
    np.testing.assert_allclose(np.exp(log_prior), [2 / 3, 1 / 3])


def test_a_class_without_queries_is_taught_by_its_labels() -> None:
    W, _ = second_pass.weights(np.array([0, 1]), np.array([[1.0, 0.0], [1.0, 0.0]]))
    np.testing.assert_allclose(W[:, 1], [0, 1, 0, 0])


@pytest.mark.parametrize("nodes", [False, True])
@pytest.mark.parametrize("dims", [(30,), (30, 50), (20, 200, 30)])
def test_it_helps_where_labels_are_few(nodes: bool, dims: tuple[int, ...]) -> None:
    gains = []
    for seed in range(6):
        e = episode(seed, C=6, per_class=40, shots=1, dims=dims, signal=2.0)
        settings = {"support_nodes": nodes, "n_neighbors": 10, "fusion": 0.25}
        one, two = (
            Bideta(**settings, second_pass=both).fit(e.support, e.labels).predict(e.queries) == e.truth
            for both in (False, True)
        )
        gains.append(two.mean() - one.mean())
    assert np.mean(gains) > 0


@pytest.mark.parametrize(("prior", "m"), [(None, 60), ("support", 3)])
def test_a_batch_that_is_not_held_to_the_support_is_answered_once(prior, m: int) -> None:
    e = episode(C=6, per_class=10)
    queries = tuple(H[:m] for H in e.queries)
    one, two = (
        Bideta(prior=prior, second_pass=both).fit(e.support, e.labels).predict_proba(queries)
        for both in (False, True)
    )
    np.testing.assert_array_equal(one, two)


def test_permuting_queries_permutes_answers() -> None:
    e = episode(C=5, per_class=30)
    adapted = Bideta(second_pass=True, fusion=0.25, support_nodes=True).fit(e.support, e.labels)
    order = np.random.default_rng(0).permutation(len(e.queries[0]))
    P, permuted = adapted.predict_proba(e.queries), adapted.predict_proba(tuple(H[order] for H in e.queries))
    np.testing.assert_allclose(permuted, P[order], atol=1e-9)


@pytest.mark.parametrize("m", [20, 200])  # fewer contacts than features, and more
@pytest.mark.parametrize("size", [1e200, -1e300])
def test_a_feature_far_outside_every_range_gives_distributions(m: int, size: float) -> None:
    bed = episode(C=4, shots=3, per_class=m // 4, dims=(40, 60))
    queries = tuple(H.astype(np.float64) for H in bed.queries)
    queries[0][3, 5] = size
    P = Bideta(**presets.TOUCH).fit(bed.support, bed.labels).predict_proba(queries)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)
    online = OnlineBideta(Bideta(**presets.TOUCH).fit(bed.support, bed.labels), window=16)
    for i in range(8):
        assert np.isfinite(online.predict_one(tuple(H[i] for H in queries)).proba).all()
