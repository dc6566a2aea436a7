from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta
from bideta.method import graph, memory
from bideta.method.algorithm import AdaptedReadout

from shift import episode


def adapted(shots: int, gamma: float = 0.6, dtype: type = np.float64) -> tuple[AdaptedReadout, np.ndarray]:
    e = episode(shots=shots, dims=(40,))
    H = (e.support[0] * 3 + 100).astype(dtype)  # far from zero: the mean does not fit into float32
    readout = Bideta(gamma=gamma).fit(H, e.labels).readouts_[0]
    return readout, (e.queries[0] * 3 + 100).astype(dtype)


def literal(readout: AdaptedReadout, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores and cosines by the equations, one after the other."""
    Z = readout.standardizer(H)
    ell = memory.scores(readout.memory, Z)
    Q = graph.unit_rows(Z if readout.transform is None else readout.transform(Z))
    return ell, Q @ Q.T


@pytest.mark.parametrize("shots", [1, 3, 8, 30])  # no residuals, r < d/2, r > d/2, r = d
@pytest.mark.parametrize("gamma", [0.0, 0.6])
@pytest.mark.parametrize(("dtype", "digits"), [(np.float64, 1e-10), (np.float32, 3e-6)])
def test_folded_products_equal_the_equations_one_by_one(shots, gamma, dtype, digits) -> None:
    readout, H = adapted(shots, gamma, dtype)
    projection = readout.projection(H.dtype)
    D = projection.centered(H)
    Q = projection.unit_rows(D, H)
    assert Q.dtype == dtype
    ell, cosines = literal(readout, H)
    np.testing.assert_allclose(Q.astype(float) @ Q.astype(float).T, cosines, atol=digits)
    np.testing.assert_allclose(projection.scores(D, H), ell, atol=100 * digits)


def test_gains_too_far_apart_for_float32_are_applied_in_double() -> None:
    readout, H = adapted(30, 6.0, np.float32)
    assert readout.transform is not None
    assert readout.transform.spread > 1e3
    projection = readout.projection(H.dtype)
    Q = projection.unit_rows(projection.centered(H), H)
    assert Q.dtype == np.float64
    np.testing.assert_allclose(Q @ Q.T, literal(readout, H)[1], atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shots", [3, 30])
def test_rows_out_of_range_are_cut_like_standardised_features(dtype, shots: int) -> None:
    readout, H = adapted(shots, dtype=dtype)
    H[2] = np.finfo(dtype).max
    H[3] = -np.finfo(dtype).max / 3
    H[4] = readout.standardizer.mean
    projection = readout.projection(H.dtype)
    D = projection.centered(H)
    Q = projection.unit_rows(D, H).astype(float)
    ell, cosines = literal(readout, H)
    assert np.isfinite(Q).all()
    np.testing.assert_allclose((Q @ Q.T)[2:4], cosines[2:4], atol=3e-6)
    np.testing.assert_allclose(projection.scores(D, H)[2:4], ell[2:4], rtol=3e-6)
    if dtype == np.float64:
        assert not Q[4].any()


def test_a_row_is_projected_the_same_in_any_company() -> None:
    readout, H = adapted(30)
    projection = readout.projection(H.dtype)
    whole = projection.unit_rows(projection.centered(H), H)
    alone = projection.unit_rows(projection.centered(H[5:6]), H[5:6])
    np.testing.assert_allclose(alone[0], whole[5], atol=1e-14)
