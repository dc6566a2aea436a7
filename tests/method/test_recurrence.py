from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from bideta.method import recurrence
from bideta.method.recurrence import normalize_prior, recur


def problem(m: int = 30, C: int = 4, seed: int = 0):
    rng = np.random.default_rng(seed)
    G = rng.random((m, m)) * (rng.random((m, m)) < 0.3) + np.roll(np.eye(m), 1, axis=1)
    return rng.dirichlet(np.ones(C), m), csr_array(G / G.sum(axis=1, keepdims=True)), rng.uniform(0.2, 0.9, m)


def test_many_steps_without_prior_reach_the_linear_fixed_point() -> None:
    P0, G, r = problem()
    want = np.linalg.solve(np.eye(len(r)) - r[:, None] * G.toarray(), (1 - r)[:, None] * P0)
    np.testing.assert_allclose(recur(P0, G, r, None, 400), want, atol=1e-12)


def test_each_step_is_the_anchored_update() -> None:
    P0, G, r = problem()
    one = (1 - r)[:, None] * P0 + r[:, None] * (G.toarray() @ P0)
    np.testing.assert_allclose(recur(P0, G, r, None, 1), one, atol=1e-15)
    prior = np.full(4, 0.25)
    np.testing.assert_allclose(recur(P0, G, r, prior, 1), normalize_prior(one.copy(), prior), atol=1e-15)


@pytest.mark.parametrize("width", [2, 12])
def test_sparse_and_dense_graphs_give_the_same_answer(width: int, monkeypatch) -> None:
    P0, _, r = problem()
    G = csr_array(sum(np.roll(np.eye(30), i, axis=1) for i in range(width)) / width)
    expected = recur(P0, G, r, np.full(4, 0.25), 5)
    for share in (0.0, 2.0):
        monkeypatch.setattr(recurrence, "DENSE", share)
        np.testing.assert_allclose(recur(P0, G, r, np.full(4, 0.25), 5), expected, atol=1e-14)


def test_no_step_returns_the_anchor_and_the_anchor_is_never_changed() -> None:
    P0, G, r = problem()
    before = P0.copy()
    np.testing.assert_array_equal(recur(P0, G, r, np.full(4, 0.25), 0), before)
    recur(P0, G, r, np.full(4, 0.25), 5)
    np.testing.assert_array_equal(P0, before)


def test_prior_normalisation_ends_on_rows_and_approaches_the_prior() -> None:
    prior = np.array([0.4, 0.3, 0.2, 0.1])
    V = normalize_prior(np.random.default_rng(0).dirichlet(np.ones(4), 500), prior)
    np.testing.assert_allclose(V.sum(axis=1), 1, atol=1e-11)
    np.testing.assert_allclose(V.mean(axis=0), prior, atol=1e-3)


def test_an_empty_column_is_clipped_not_divided_by() -> None:
    V = normalize_prior(np.tile([1.0, 0.0], (10, 1)), np.array([0.5, 0.5]))
    assert np.isfinite(V).all()
    np.testing.assert_allclose(V, 0.5, atol=1e-6)


@pytest.mark.parametrize(
    ("m", "C", "prior", "joint"),
    [(1, 1, None, False), (1, 5, None, False), (2, 5, None, True), (4, 5, "any", False), (5, 5, "any", True)],
)
def test_a_batch_is_joint_where_it_has_neighbours_and_can_follow_a_prior(m, C, prior, joint) -> None:
    assert recurrence.is_joint(m, C, prior) is joint
