from __future__ import annotations

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf

from bideta.method import spectrum
from support.residuals import decomposed


@pytest.mark.parametrize(("n", "d"), [(12, 31), (120, 31), (120, 30)])
@pytest.mark.parametrize("gamma", [0.25, 0.6, 2.0])
def test_transform_equals_the_dense_eigendecomposition(n: int, d: int, gamma: float) -> None:
    E, covariance = decomposed(n, d)
    values, U = np.linalg.eigh(ledoit_wolf(E, assume_centered=True)[0])
    g = values**-gamma
    want = U @ np.diag(g / np.median(g)) @ U.T
    np.testing.assert_allclose(spectrum.transform(covariance, gamma)(np.eye(d)), want, atol=1e-9)


def test_median_gain_is_one_and_counts_every_direction() -> None:
    _, covariance = decomposed(12, 31)
    g, rest = spectrum.gains(covariance, 0.6)
    assert np.median(np.r_[g, np.full(31 - len(g), rest)]) == pytest.approx(1.0)
    assert (np.diff(g) >= 0).all()  # the more a direction varies within classes, the less it counts
    assert rest >= g.max()


def test_zero_exponent_leaves_the_geometry_alone() -> None:
    assert spectrum.transform(decomposed(12, 31)[1], 0.0) is None
