from __future__ import annotations

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf

from bideta.method.covariance import EIGEN_FLOOR, MatrixFunction, class_means, within_class
from method_data import decomposed


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
def test_low_rank_and_whole_matrix_agree_and_the_inverse_inverts(n: int, d: int) -> None:
    E, covariance = decomposed(n, d)
    values, rest = covariance.shrunk(0.3)
    inverse = covariance.function(1 / values, 1 / rest)
    X = np.random.default_rng(1).normal(size=(7, d))
    np.testing.assert_allclose(inverse(X), inverse.whole()(X), atol=1e-10)
    S = E.T @ E / n
    shrunk = 0.7 * S + 0.3 * np.trace(S) / d * np.eye(d)
    np.testing.assert_allclose(inverse(X) @ shrunk, X, atol=1e-9)


def test_whole_matrix_is_formed_only_where_it_is_cheaper() -> None:
    thin = MatrixFunction(np.eye(10)[:, :4], np.ones(4), 1.0).whole()
    wide = MatrixFunction(np.eye(10)[:, :5], np.ones(5), 1.0).whole()
    assert thin.matrix is None
    assert wide.matrix is not None


def test_intensity_is_the_same_on_both_sides_of_n_equal_d() -> None:
    for d in (28, 29, 30, 31, 32):
        E, covariance = decomposed(34, d)
        assert covariance.intensity == pytest.approx(ledoit_wolf(E, assume_centered=True)[1], abs=1e-12)


def test_residuals_that_vanish_give_the_identity() -> None:
    Z = np.random.default_rng(0).normal(size=(4, 6)).repeat(3, axis=0)
    y, counts = np.arange(4).repeat(3), np.full(4, 3)
    covariance = within_class(Z, y, counts, class_means(Z, counts))
    for shrinkage in (0.0, 0.4, 1.0):
        values, rest = covariance.shrunk(shrinkage)
        assert len(values) == 0
        assert rest == 1.0


def test_singular_covariance_is_floored_where_nothing_is_shrunk() -> None:
    _, covariance = decomposed(9, 30)
    assert covariance.shrunk(0.0)[1] == EIGEN_FLOOR
