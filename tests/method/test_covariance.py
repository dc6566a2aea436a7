from __future__ import annotations

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf

from bideta.method.spectrum import EIGEN_FLOOR, MatrixFunction, class_means, within_class
from support.residuals import decomposed


@pytest.mark.parametrize(("n", "d"), [(9, 30), (34, 30), (35, 30), (200, 30), (5, 1), (60, 1)])
def test_decomposition_and_intensity_equal_scikit_learns_ledoit_wolf(n: int, d: int) -> None:
    E, covariance = decomposed(n, d)
    want, intensity = ledoit_wolf(E, assume_centered=True)
    if d > 1:  # with one feature S is its own target and any intensity is right
        assert covariance.intensity == pytest.approx(intensity, abs=1e-12)
    values, rest = covariance.shrunk(covariance.intensity)
    got = covariance.function(values, rest)(np.eye(d))
    np.testing.assert_allclose(got, want, atol=1e-10)


@pytest.mark.parametrize(("n", "d"), [(9, 30), (28, 30), (200, 30)])
def test_factors_and_matrix_agree_and_the_inverse_inverts(n: int, d: int) -> None:
    E, covariance = decomposed(n, d)
    values, rest = covariance.shrunk(0.3)
    inverse = covariance.function(1 / values, 1 / rest)
    X = np.random.default_rng(1).normal(size=(2 * d, d))
    np.testing.assert_allclose(inverse(X)[:7], inverse(X[:7]), atol=1e-10)
    np.testing.assert_allclose(inverse(X), X @ inverse.matrix, atol=1e-10)
    S = E.T @ E / n
    shrunk = 0.7 * S + 0.3 * np.trace(S) / d * np.eye(d)
    np.testing.assert_allclose(inverse(X) @ shrunk, X, atol=1e-9)


@pytest.mark.parametrize(("n", "d"), [(4, 30), (9, 30), (28, 30), (200, 30)])
def test_a_rotation_keeps_lengths_and_angles(n: int, d: int) -> None:
    _, covariance = decomposed(n, d)
    function = covariance.function(*covariance.shrunk(0.3))
    X = np.random.default_rng(1).normal(size=(11, d))
    whole, turned = function(X), function.rotated(X)
    np.testing.assert_allclose(turned @ turned.T, whole @ whole.T, atol=1e-9)


def test_spread_counts_the_directions_left_out() -> None:
    assert MatrixFunction(np.eye(3)[:, :2], np.array([2.0, 4.0]), 16.0).spread == 8
    assert MatrixFunction(np.eye(2), np.array([2.0, 4.0]), 16.0).spread == 2


def test_intensity_is_the_same_on_both_sides_of_n_equal_d() -> None:
    for d in (28, 29, 30, 31, 32):
        E, covariance = decomposed(34, d)
        assert covariance.intensity == pytest.approx(ledoit_wolf(E, assume_centered=True)[1], abs=1e-12)


def test_residuals_that_vanish_give_the_identity() -> None:
    Z = np.random.default_rng(0).normal(size=(4, 6)).repeat(3, axis=0)
    counts = np.full(4, 3)
    covariance = within_class(Z, counts, class_means(Z, counts))
    for shrinkage in (0.0, 0.4, 1.0):
        values, rest = covariance.shrunk(shrinkage)
        assert len(values) == 0
        assert rest == 1.0


def test_singular_covariance_is_floored_where_nothing_is_shrunk() -> None:
    _, covariance = decomposed(9, 30)
    assert covariance.shrunk(0.0)[1] == EIGEN_FLOOR
