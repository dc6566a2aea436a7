from __future__ import annotations

import numpy as np
import pytest

from bideta.extensions.whitening import soft_scatter, whitening
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


def test_the_scatter_is_about_the_weighted_means() -> None:
    rng = np.random.default_rng(1)
    Z, weights = rng.normal(size=(30, 4)), rng.dirichlet(np.ones(3), 30) * rng.uniform(0.2, 1, (30, 1))
    means = weights.T @ Z / weights.sum(axis=0)[:, None]
    residuals = Z[:, None] - means  # (n, C, d)
    S, norms = soft_scatter(Z, weights)
    want = np.einsum("nc,nci,ncj->ij", weights, residuals, residuals) / weights.sum()
    np.testing.assert_allclose(S, want, atol=1e-12)
    fourth = np.square(np.square(residuals).sum(axis=2))  # (n, C): ‖e‖⁴ about each mean
    np.testing.assert_allclose(norms**2, (weights * fourth).sum(axis=1) * 30 / weights.sum(), atol=1e-12)


def test_hard_weights_give_the_covariance_of_the_class_residuals() -> None:
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(60, 7)), np.repeat(np.arange(3), 20)
    counts = np.bincount(y)
    hard = within_class(Z, counts, class_means(Z, counts))
    S, norms = soft_scatter(Z, np.eye(3)[y])
    np.testing.assert_allclose(S, (hard.vectors * hard.values) @ hard.vectors.T, atol=1e-9)
    np.testing.assert_allclose(norms.mean(), hard.values.sum(), rtol=1e-9)
