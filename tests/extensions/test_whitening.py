from __future__ import annotations

import numpy as np
import pytest

from bideta.extensions.whitening import soft_scatter, soft_within_class, whitening
from bideta.method.spectrum import class_means, within_class
from support.residuals import decomposed


@pytest.mark.parametrize(("n", "d"), [(9, 30), (200, 30)])
def test_whitened_residuals_have_the_inverse_of_the_shrunk_covariance_twice(n: int, d: int) -> None:
    E, covariance = decomposed(n, d)
    S = E.T @ E / n
    rho = covariance.intensity
    shrunk = (1 - rho) * S + rho * np.trace(S) / d * np.eye(d)
    W = whitening(covariance)(np.eye(d))
    np.testing.assert_allclose(W @ shrunk @ W, np.eye(d), atol=1e-9)
    np.testing.assert_allclose(W, W.T, atol=1e-12)


def test_without_means_the_scatter_is_about_the_weighted_ones() -> None:
    rng = np.random.default_rng(1)
    Z, weights = rng.normal(size=(30, 4)), rng.dirichlet(np.ones(3), 30) * rng.uniform(0.2, 1, (30, 1))
    means = weights.T @ Z / weights.sum(axis=0)[:, None]
    for part, want in zip(soft_scatter(Z, weights), soft_scatter(Z, weights, means), strict=True):
        np.testing.assert_allclose(part, want, atol=1e-12)


def test_hard_weights_give_the_covariance_of_the_class_residuals() -> None:
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(60, 7)), np.repeat(np.arange(3), 20)
    counts = np.bincount(y)
    means = class_means(Z, counts)
    soft, hard = soft_within_class(Z, np.eye(3)[y], means), within_class(Z, counts, means)
    np.testing.assert_allclose(soft.values, hard.values, rtol=1e-9)
    np.testing.assert_allclose(soft.intensity, hard.intensity, rtol=1e-9)
    np.testing.assert_allclose(soft.mean_variance, hard.mean_variance, rtol=1e-9)
    rebuilt = (soft.vectors * soft.values) @ soft.vectors.T
    np.testing.assert_allclose(rebuilt, (hard.vectors * hard.values) @ hard.vectors.T, atol=1e-9)


def test_residuals_are_taken_about_the_means_given() -> None:
    rng = np.random.default_rng(1)
    Z, weights, means = rng.normal(size=(30, 4)), rng.dirichlet(np.ones(3), 30), rng.normal(size=(3, 4))
    S = sum(
        w * np.outer(z - mean, z - mean)
        for z, row in zip(Z, weights, strict=True)
        for w, mean in zip(row, means, strict=True)
    )
    found = soft_within_class(Z, weights, means)
    np.testing.assert_allclose((found.vectors * found.values) @ found.vectors.T, S / 30, atol=1e-12)
