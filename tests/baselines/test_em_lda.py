from __future__ import annotations

import numpy as np
from sklearn.covariance import LedoitWolf, ledoit_wolf_shrinkage

from bideta import load_method
from bideta.baselines.em_lda import pooled_covariance
from support.change_of_sensor import change


def test_with_hard_labels_the_covariance_is_scikit_learns_ledoit_wolf() -> None:
    data = change(shots=8)
    Z, Y = data.support[1], np.eye(4)[data.labels]
    means = np.array([Z[data.labels == c].mean(axis=0) for c in range(4)])
    oracle = LedoitWolf(assume_centered=True).fit(Z - means[data.labels])
    np.testing.assert_allclose(pooled_covariance(Z, Y), oracle.covariance_, atol=1e-10)


def test_a_spherical_covariance_keeps_its_level() -> None:
    """Few rows in many dimensions: the intensity reaches one, and the target must not vanish with 1 − ρ."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(6, 40)) * 3
    Z = np.vstack([part - part.mean(axis=0) for part in (Z[:3], Z[3:])])  # class means of zero
    covariance = pooled_covariance(Z, np.eye(2)[[0, 0, 0, 1, 1, 1]])
    oracle = LedoitWolf(assume_centered=True).fit(Z).covariance_
    np.testing.assert_allclose(np.trace(covariance), np.trace(oracle), rtol=1e-9)


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
