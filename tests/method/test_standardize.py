from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from bideta.method.readout import Z_LIMIT, fit_standardizer, standardize


def test_standardised_features_equal_scikit_learns_scaler() -> None:
    rng = np.random.default_rng(0)
    H, X = rng.normal(size=(30, 8)) * 5 + 2, rng.normal(size=(9, 8))
    H[:, 3] = 0.1
    np.testing.assert_allclose(fit_standardizer(H)(X), StandardScaler().fit(H).transform(X), atol=1e-12)


def test_constant_coordinates_get_unit_scale_even_when_their_mean_is_rounded() -> None:
    for value in (0.1, 1e-30, 1e30, 3.3333, 0.0):
        for dtype in (np.float32, np.float64):
            assert fit_standardizer(np.full((7, 2), value, dtype)).scale.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150, 1e300])
def test_extreme_scales_are_standardised_like_any_other(factor: float) -> None:
    H = np.random.default_rng(0).normal(size=(20, 4))
    np.testing.assert_allclose(fit_standardizer(H * factor)(H * factor), fit_standardizer(H)(H), rtol=1e-9)


def test_extremes_are_cut() -> None:
    H = np.random.default_rng(0).normal(size=(20, 4))
    Z = fit_standardizer(H)(np.full((1, 4), np.finfo(float).max))
    assert (Z == Z_LIMIT).all()


def test_statistics_of_float32_features_are_kept_in_double() -> None:
    H = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32) + 1000
    np.testing.assert_array_equal(fit_standardizer(H)(H), fit_standardizer(H.astype(float))(H.astype(float)))


def test_input_is_not_changed() -> None:
    H = np.random.default_rng(0).normal(size=(20, 4))
    before = H.copy()
    fit_standardizer(H)(H)
    np.testing.assert_array_equal(H, before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factor", [1.0, 1e-20, 1e20])
def test_a_support_standardises_as_its_queries_do(dtype, factor):
    H = (np.random.default_rng(0).normal(size=(9, 5)) * factor).astype(dtype)
    H[:, 2] = 3.0
    standardizer, Z = standardize(H)
    np.testing.assert_allclose(Z, standardizer(H), rtol=1e-12, atol=1e-12)
    assert (Z[:, 2] == 0).all()
