from __future__ import annotations

import numpy as np

from bideta.baselines._transport import prepare, transport


def test_rows_sum_to_one_and_columns_to_the_mass() -> None:
    rng = np.random.default_rng(0)
    mass = np.array([10.0, 15.0, 25.0])
    P, _ = transport(rng.normal(size=(50, 3)), mass)
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(P.sum(axis=0), mass, atol=1e-4)


def test_the_plan_scales_rows_and_columns_of_the_kernel() -> None:
    """log P − log K = u_i + v_j: the form that makes a plan the entropic optimum."""
    rng = np.random.default_rng(1)
    log_kernel = rng.normal(size=(20, 4))
    D = np.log(transport(log_kernel, np.full(4, 5.0))[0]) - log_kernel
    D -= D.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(D, D[:1].repeat(20, axis=0), atol=1e-9)


def test_kernels_far_below_the_smallest_number_still_balance() -> None:
    log_kernel = np.array([[0.0, -2000.0], [0.0, -3000.0]])
    P, _ = transport(log_kernel, np.array([1.0, 1.0]))
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_prepared_features_are_centred_on_their_own_set() -> None:
    rng = np.random.default_rng(2)
    S, X = prepare(rng.normal(size=(30, 5)) + 3, rng.normal(size=(40, 5)) - 3, 0.5)
    np.testing.assert_allclose(np.linalg.norm(S, axis=1), 1)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1)
    assert np.linalg.norm(S.mean(axis=0)) < 0.2
    assert np.linalg.norm(X.mean(axis=0)) < 0.2


def test_a_head_start_leads_to_the_same_plan() -> None:
    rng = np.random.default_rng(3)
    log_kernel, mass = 4 * rng.normal(size=(30, 3)), np.full(3, 10.0)
    cold, v = transport(log_kernel, mass)
    warm, _ = transport(log_kernel, mass, v * [1.0, 2.0, 0.5])
    np.testing.assert_allclose(warm, cold, atol=1e-4)
