"""The covariance of the class residuals, decomposed once, and the gains of Eq. 5."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf

from bideta.method.spectrum import EIGEN_FLOOR, MatrixFunction, class_means, gains, within_class
from support.residuals import decomposed


@pytest.mark.parametrize(("n", "d"), [(9, 30), (34, 30), (35, 30), (200, 30), (5, 1), (60, 1)])
def test_decomposition_and_intensity_equal_scikit_learns_ledoit_wolf(n: int, d: int) -> None:
    E, covariance = decomposed(n, d)
    want, intensity = ledoit_wolf(E, assume_centered=True)
    if d > 1:  # with one feature S is its own target and any intensity is right
        assert covariance.intensity == pytest.approx(intensity, abs=1e-12)
    values, rest = covariance.shrunk(covariance.intensity)
    got = MatrixFunction(covariance.vectors, values, rest)(np.eye(d))
    np.testing.assert_allclose(got, want, atol=1e-10)
    np.testing.assert_array_equal(covariance.shrunk()[0], values)  # "auto"


@pytest.mark.parametrize(("n", "d"), [(9, 30), (28, 30), (200, 30)])
def test_factors_and_matrix_agree_and_the_inverse_inverts(n: int, d: int) -> None:
    E, covariance = decomposed(n, d)
    values, rest = covariance.shrunk(0.3)
    inverse = MatrixFunction(covariance.vectors, 1 / values, 1 / rest)
    X = np.random.default_rng(1).normal(size=(2 * d, d))
    np.testing.assert_allclose(inverse(X)[:7], inverse(X[:7]), atol=1e-10)
    np.testing.assert_allclose(inverse(X), X @ inverse.matrix, atol=1e-10)
    S = E.T @ E / n
    shrunk = 0.7 * S + 0.3 * np.trace(S) / d * np.eye(d)
    np.testing.assert_allclose(inverse(X) @ shrunk, X, atol=1e-9)


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


def test_a_scale_multiplies_the_covariance_and_not_its_target() -> None:
    _, covariance = decomposed(200, 30)
    values, rest = covariance.shrunk(0.3, 1.5)
    np.testing.assert_allclose(values, 0.7 * 1.5 * covariance.values + 0.3 * covariance.mean_variance)
    assert rest == pytest.approx(0.3 * covariance.mean_variance)


@pytest.mark.parametrize(("n", "d"), [(12, 31), (120, 31), (120, 30)])
@pytest.mark.parametrize("gamma", [0.25, 0.6, 2.0])
def test_transform_equals_the_dense_eigendecomposition(n: int, d: int, gamma: float) -> None:
    E, covariance = decomposed(n, d)
    values, U = np.linalg.eigh(ledoit_wolf(E, assume_centered=True)[0])
    g = values**-gamma
    want = U @ np.diag(g / np.median(g)) @ U.T
    np.testing.assert_allclose(
        MatrixFunction(covariance.vectors, *gains(covariance, gamma))(np.eye(d)), want, atol=1e-9
    )


def test_median_gain_is_one_and_counts_every_direction() -> None:
    _, covariance = decomposed(12, 31)
    g, rest = gains(covariance, 0.6)
    assert np.median(np.r_[g, np.full(31 - len(g), rest)]) == pytest.approx(1.0)
    assert (np.diff(g) >= 0).all()  # the more a direction varies within classes, the less it counts
    assert rest >= g.max()


def test_zero_exponent_leaves_the_geometry_alone() -> None:
    g, rest = gains(decomposed(12, 31)[1], 0.0)
    assert (g == 1).all()
    assert rest == 1
