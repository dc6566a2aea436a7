from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.covariance import ledoit_wolf_shrinkage

from bideta import load_method
from bideta.baselines.em_lda import discriminant, scatter
from bideta.extensions.whitening import soft_scatter
from bideta.method.spectrum import ledoit_wolf_intensity
from support.change_of_sensor import change


def slow_posterior(Z: np.ndarray, weights: np.ndarray, prior: np.ndarray, m: int) -> np.ndarray:
    """The same step with the covariance written out and solved with d unknowns."""
    d, mass = Z.shape[1], weights.sum(axis=0)
    means = (weights.T @ Z) / mass[:, None]
    S, norms = soft_scatter(Z, weights)
    rho = ledoit_wolf_intensity(norms, np.trace(S), np.square(S).sum(), d)
    covariance = (1 - rho) * S + max(rho * np.trace(S) / d, 1e-6) * np.eye(d)
    coefficients = np.linalg.solve(covariance, means.T)
    scores = Z[-m:] @ coefficients + np.log(prior) - (means.T * coefficients).sum(axis=0) / 2
    return softmax(scores, axis=1)


@pytest.mark.parametrize("d", [9, 60, 200])  # fewer features than contacts, about as many, more
@pytest.mark.parametrize("query_weight", [1.0, 0.3])
def test_a_step_is_that_of_the_written_out_covariance(d: int, query_weight: float) -> None:
    rng = np.random.default_rng(d)
    labels, m, C = np.repeat(np.arange(4), 5), 40, 4
    hidden = rng.integers(C, size=m)
    Z = rng.normal(size=(20 + m, d)) + 2 * rng.normal(size=(C, d))[np.concatenate([labels, hidden])]
    Z[:, : d // 2] *= 1e-3
    counts = np.concatenate([np.ones(20), np.full(m, query_weight)])
    P, prior = rng.dirichlet(np.ones(C), m), rng.dirichlet(np.ones(C))
    weights = np.concatenate([np.eye(C)[labels], query_weight * P])
    fast = softmax(discriminant(scatter(Z.copy(), counts), weights, prior, m), axis=1)
    np.testing.assert_allclose(fast, slow_posterior(Z, weights, prior, m), atol=1e-9)


def test_no_step_is_larger_than_the_contacts_are_many() -> None:
    """Readouts of thousands of features cost what the few contacts cost."""
    wide = scatter(np.random.default_rng(0).normal(size=(20, 300)), np.ones(20))
    assert wide.T.shape == (20, 20)
    assert wide.d == 300


def test_copies_of_one_contact_per_class_are_told_apart() -> None:
    H = np.random.default_rng(0).normal(size=(3, 30))
    rows = np.repeat(np.arange(3), 4)
    P = load_method("em-lda").fit((H, H), np.arange(3)).predict_proba((H[rows], H[rows]))
    np.testing.assert_array_equal(P.argmax(axis=1), rows)


def literal(data, n_iter: int) -> np.ndarray:
    """EM written out: every query is C weighted copies of itself."""
    C, n, m = 4, len(data.labels), len(data.truth)
    readouts = []
    for H, Q in zip(data.support, data.queries, strict=True):
        mean, std = H.mean(axis=0), H.std(axis=0)
        readouts.append(((H - mean) / std, (Q - mean) / std))
    P = load_method("lda").fit(data.support, data.labels).predict_proba(data.queries)
    for _ in range(n_iter):
        prior = (P.sum(axis=0) + 1) / (m + C)
        fused = np.zeros((m, C))
        for S, X in readouts:
            d = S.shape[1]
            mu = np.zeros((C, d))
            for c in range(C):
                top = S[data.labels == c].sum(axis=0) + sum(P[i, c] * X[i] for i in range(m))
                mu[c] = top / ((data.labels == c).sum() + P[:, c].sum())
            copies = [(1.0, S[i] - mu[data.labels[i]]) for i in range(n)]
            copies += [(P[i, c], X[i] - mu[c]) for i in range(m) for c in range(C)]
            total = n + m
            cov = sum(w * np.outer(e, e) for w, e in copies) / total
            level = np.trace(cov) / d
            distance = ((cov - level * np.eye(d)) ** 2).sum() / d
            scatter = (sum(w * (e @ e) ** 2 for w, e in copies) / total - (cov**2).sum()) / (total * d)
            rho = min(scatter / distance, 1)
            cov = (1 - rho) * cov + rho * level * np.eye(d)
            scores = np.array(
                [[x @ np.linalg.solve(cov, u) - u @ np.linalg.solve(cov, u) / 2 for u in mu] for x in X]
            ) + np.log(prior)
            e = np.exp(scores - scores.max(axis=1, keepdims=True))
            fused += e / e.sum(axis=1, keepdims=True) / 2
        P = fused
    return P


def test_agrees_with_the_literal_algorithm() -> None:
    data = change(1, noise=2.0)
    method = load_method("em-lda", max_iter=3).fit(data.support, data.labels)
    np.testing.assert_allclose(method.predict_proba(data.queries), literal(data, 3), atol=1e-8)


def test_without_steps_it_is_lda() -> None:
    data = change(2)
    none = load_method("em-lda", max_iter=0).fit(data.support, data.labels)
    plain = load_method("lda").fit(data.support, data.labels)
    np.testing.assert_array_equal(none.predict_proba(data.queries), plain.predict_proba(data.queries))


def test_queries_improve_a_small_support() -> None:
    accuracy = {"lda": [], "em-lda": []}
    for seed in range(4):
        data = change(seed, shots=3, per_class=40, noise=1.5)
        for name, scores in accuracy.items():
            method = load_method(name).fit(data.support, data.labels)
            scores.append(np.mean(method.predict(data.queries) == data.truth))
    assert np.mean(accuracy["em-lda"]) > np.mean(accuracy["lda"])


def test_intensity_agrees_with_scikit_learn() -> None:
    """The formula of the literal version above, against the library."""
    E = np.random.default_rng(0).normal(size=(30, 5)) * np.arange(1, 6)
    S = E.T @ E / 30
    level = np.trace(S) / 5
    distance = ((S - level * np.eye(5)) ** 2).sum() / 5
    scatter = ((np.square(E).sum(axis=1) ** 2).mean() - (S**2).sum()) / (30 * 5)
    assert abs(scatter / distance - ledoit_wolf_shrinkage(E, assume_centered=True)) < 1e-12
