from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bideta import load_method
from bideta.baselines.tip_adapter import ALPHAS, BETAS
from support.change_of_sensor import Change, change


def unit(H: np.ndarray) -> np.ndarray:
    return H / np.linalg.norm(H, axis=1, keepdims=True)


def head(data: Change) -> LogisticRegression:
    (_, final), y = data.source
    return LogisticRegression(C=10, max_iter=2000).fit(10 * unit(final), y)


def literal(
    data: Change, queries: np.ndarray, prior: np.ndarray, alpha: float, beta: float, skip: bool
) -> np.ndarray:
    """Equations of the paper: affinity, cache logits, sum with the prior logits; ``skip``: not from oneself."""
    keys, X = unit(data.support[1]), unit(queries)
    logits = np.array(prior, dtype=float)
    for j, x in enumerate(X):
        for i, key in enumerate(keys):
            weight = alpha
            if skip and data.labels[i] == data.labels[j]:
                n = (data.labels == data.labels[j]).sum()
                weight = 0.0 if i == j else alpha * n / (n - 1)
            logits[j, data.labels[i]] += weight * np.exp(-beta * (1 - x @ key))
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def test_paper_mode_agrees_with_the_literal_formula() -> None:
    data = change()
    prior = head(data).decision_function(10 * unit(data.queries[1]))
    method = load_method("tip-adapter", mode="paper").fit(data.support, data.labels, source=data.source)
    expected = literal(data, data.queries[1], prior, 1.0, 5.5, skip=False)
    np.testing.assert_allclose(method.predict_proba(data.queries), expected, atol=1e-12)


def test_cache_mode_needs_no_source() -> None:
    data = change(1)
    method = load_method("tip-adapter", mode="cache", alpha=3.0, beta=2.0).fit(data.support, data.labels)
    expected = literal(data, data.queries[1], np.zeros((48, 4)), 3.0, 2.0, skip=False)
    np.testing.assert_allclose(method.predict_proba(data.queries), expected, atol=1e-12)


def test_tuned_mode_takes_the_best_pair_of_leave_one_out() -> None:
    data = change(2, shots=6)
    model = head(data)
    prior = model.decision_function(10 * unit(data.support[1]))
    best = (-1.0, -np.inf)
    for beta in BETAS:
        for alpha in ALPHAS:
            P = literal(data, data.support[1], prior, alpha, beta, skip=True)
            score = (
                (P.argmax(axis=1) == data.labels).mean(),
                np.log(np.maximum(P[np.arange(len(P)), data.labels], 1e-300)).mean(),
            )
            if score > best:
                best, chosen = score, (alpha, beta)
    method = load_method("tip-adapter").fit(data.support, data.labels, source=data.source)
    expected = literal(
        data, data.queries[1], model.decision_function(10 * unit(data.queries[1])), *chosen, skip=False
    )
    np.testing.assert_allclose(method.predict_proba(data.queries), expected, atol=1e-10)


def test_one_contact_per_class_keeps_the_published_values() -> None:
    data = change(3, shots=1)
    tuned, paper = (
        load_method("tip-adapter", mode=mode).fit(data.support, data.labels, source=data.source)
        for mode in ("tuned", "paper")
    )
    np.testing.assert_array_equal(tuned.predict_proba(data.queries), paper.predict_proba(data.queries))


def test_a_lost_head_drowns_the_cache_unless_tuned() -> None:
    data = change(4, shift=4.0, shots=10)
    accuracy = {
        mode: np.mean(
            load_method("tip-adapter", mode=mode)
            .fit(data.support, data.labels, source=data.source)
            .predict(data.queries)
            == data.truth
        )
        for mode in ("paper", "tuned")
    }
    assert accuracy["tuned"] > accuracy["paper"]


def test_the_search_finds_a_cache_as_sharp_as_the_readouts_ask_for() -> None:
    """Readouts far from the origin: cosines differ by ten-thousandths, and β must be in the thousands."""
    data = change(0, shots=10)
    offset = 60 * np.sign(np.random.default_rng(0).normal(size=14))
    far = replace(
        data,
        support=(data.support[0], data.support[1] + offset),
        queries=(data.queries[0], data.queries[1] + offset),
        source=((data.source[0][0], data.source[0][1] + offset), data.source[1]),
    )
    method = load_method("tip-adapter").fit(far.support, far.labels, source=far.source)
    assert 500 < method.notes["beta"] < BETAS[-1]
    assert method.notes["alpha"] < ALPHAS[-1]
    assert np.mean(method.predict(far.queries) == far.truth) > 0.8


def test_an_unknown_mode_is_refused() -> None:
    data = change()
    with pytest.raises(ValueError, match="mode='test'"):
        load_method("tip-adapter", mode="test").fit(data.support, data.labels, source=data.source)
