"""One readout, adapted: the scaler of Eq. 1, and the two verbs against the equations one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from bideta import Bideta
from bideta.method import memory
from bideta.method.readout import GAIN_RATIO, Z_LIMIT, AdaptedReadout, standardize, unit_rows, workspace
from bideta.method.spectrum import MatrixFunction, gains
from support.sensor_shift import episode


def test_standardised_features_equal_scikit_learns_scaler() -> None:
    rng = np.random.default_rng(0)
    H, X = rng.normal(size=(30, 8)) * 5 + 2, rng.normal(size=(9, 8))
    H[:, 3] = 0.1
    np.testing.assert_allclose(standardize(H)[0](X), StandardScaler().fit(H).transform(X), atol=1e-12)


def test_constant_coordinates_get_unit_scale_even_when_their_mean_is_rounded() -> None:
    for value in (0.1, 1e-30, 1e30, 3.3333, 0.0):
        for dtype in (np.float32, np.float64):
            assert standardize(np.full((7, 2), value, dtype))[0].scale.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150, 1e300])
def test_extreme_scales_are_standardised_like_any_other(factor: float) -> None:
    H = np.random.default_rng(0).normal(size=(20, 4))
    np.testing.assert_allclose(standardize(H * factor)[0](H * factor), standardize(H)[0](H), rtol=1e-9)


def test_extremes_are_cut() -> None:
    H = np.random.default_rng(0).normal(size=(20, 4))
    Z = standardize(H)[0](np.full((1, 4), np.finfo(float).max))
    assert (Z == Z_LIMIT).all()


def test_statistics_of_float32_features_are_kept_in_double() -> None:
    H = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32) + 1000
    np.testing.assert_array_equal(standardize(H)[0](H), standardize(H.astype(float))[0](H.astype(float)))


def test_input_is_not_changed() -> None:
    H = np.random.default_rng(0).normal(size=(20, 4))
    before = H.copy()
    standardize(H)[0](H)
    np.testing.assert_array_equal(H, before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factor", [1.0, 1e-20, 1e20])
def test_a_support_standardises_as_its_queries_do(dtype, factor):
    H = (np.random.default_rng(0).normal(size=(9, 5)) * factor).astype(dtype)
    H[:, 2] = 3.0
    standardizer, Z = standardize(H)
    np.testing.assert_allclose(Z, standardizer(H), rtol=1e-12, atol=1e-12)
    assert (Z[:, 2] == 0).all()


def test_unit_rows_survive_extreme_lengths_and_keep_zero_rows() -> None:
    X = np.array([[3e200, 4e200], [3e-200, 4e-200], [0, 0], [-3, 4]])
    np.testing.assert_allclose(unit_rows(X), [[0.6, 0.8], [0.6, 0.8], [0, 0], [-0.6, 0.8]])


def adapted(shots: int, gamma: float = 0.6, dtype: type = np.float64) -> tuple[AdaptedReadout, np.ndarray]:
    e = episode(shots=shots, dims=(40,))
    H = (e.support[0] * 3 + 100).astype(dtype)  # far from zero: the mean does not fit into float32
    (readout,) = Bideta(gamma=gamma).fit(H, e.labels).sensor_.readouts
    return readout, (e.queries[0] * 3 + 100).astype(dtype)


def literal(readout: AdaptedReadout, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores and cosines by the equations, one after the other."""
    Z = readout.standardizer(H)
    ell = memory.scores(readout.memory, Z)
    Q = unit_rows(transform(readout)(Z))
    return ell, Q @ Q.T


def transform(readout: AdaptedReadout) -> MatrixFunction:
    """A of Eq. 5; γ = 0 has gains of one."""
    return MatrixFunction(readout.covariance.vectors, *gains(readout.covariance, readout.gamma))


def spread(readout: AdaptedReadout) -> float:
    """Largest over smallest gain of Eq. 5, directions outside the support's range included."""
    A = transform(readout)
    g = A.weights if len(A.weights) == len(A.vectors) else np.append(A.weights, A.rest)
    return float(g.max() / g.min())


@pytest.mark.parametrize("shots", [1, 3, 8, 30])  # no residuals, r < d/2, r > d/2, r = d
@pytest.mark.parametrize("gamma", [0.0, 0.6])
@pytest.mark.parametrize(("dtype", "digits"), [(np.float64, 1e-10), (np.float32, 3e-6)])
def test_folded_products_equal_the_equations_one_by_one(shots, gamma, dtype, digits) -> None:
    readout, H = adapted(shots, gamma, dtype)
    Q = readout.directions(H).rows
    assert Q.dtype == dtype
    ell, cosines = literal(readout, H)
    np.testing.assert_allclose(Q.astype(float) @ Q.astype(float).T, cosines, atol=digits)
    np.testing.assert_allclose(readout.scores(H), ell, atol=100 * digits)
    precise = readout.precise_directions(H)
    np.testing.assert_allclose(precise @ precise.T, cosines, atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounded_directions_can_be_had_in_double_and_others_are_not_rounded(dtype) -> None:
    readout, H = adapted(30, dtype=dtype)
    Q = readout.directions(H)
    if dtype == np.float64:
        assert Q.precise is None
    else:
        np.testing.assert_array_equal(Q.precise(np.array([7, 2])), readout.precise_directions(H[[7, 2]]))


def test_raw_directions_are_the_features_at_unit_length() -> None:
    readout, H = adapted(3)
    Q = readout.directions(H, "raw")
    np.testing.assert_allclose(Q.rows, H / np.linalg.norm(H, axis=1, keepdims=True))
    assert Q.precise is None


def test_directions_are_written_where_there_is_room_for_them() -> None:
    readout, H = adapted(3)
    room = workspace(H, extra=4)
    room[len(H) :] = 7
    Q = readout.directions(H, out=room[: len(H)])
    assert np.shares_memory(Q.rows, room)
    np.testing.assert_array_equal(Q.rows, readout.directions(H).rows)
    assert (room[len(H) :] == 7).all()


@pytest.mark.parametrize(("intensity", "precise"), [(1.0, False), (1e-12, True)])
def test_the_spread_of_the_gains_counts_the_directions_left_out(intensity: float, precise: bool) -> None:
    """With γ = 1 the gains of equal eigenvalues are equal, and a direction without variance has the largest gain."""
    readout, H = adapted(3, gamma=1.0, dtype=np.float32)
    U = readout.covariance.vectors
    assert U.shape[1] < U.shape[0]
    even = replace(readout.covariance, values=np.ones(U.shape[1]), intensity=intensity)
    flat = replace(readout, covariance=even)
    assert np.ptp(transform(flat).weights) == 0
    assert (spread(flat) > GAIN_RATIO) == precise
    Q = flat.directions(H, out=np.empty(H.shape)).rows
    error = np.abs(Q @ Q.T - literal(flat, H)[1]).max()
    assert error < (1e-10 if precise else 3e-6)
    assert precise or error > 1e-9  # float32 will do


def test_gains_too_far_apart_for_float32_are_applied_in_double() -> None:
    readout, H = adapted(30, 6.0, np.float32)
    assert spread(readout) > GAIN_RATIO
    cosines = literal(readout, H)[1]
    wide = readout.directions(H, out=np.empty(H.shape)).rows  # not rounded when it is written
    np.testing.assert_allclose(wide @ wide.T, cosines, atol=1e-10)
    Q = readout.directions(H).rows
    assert Q.dtype == np.float32
    np.testing.assert_allclose(
        Q, wide, rtol=1e-6
    )  # the smallest numbers too: float32 products would lose them


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shots", [3, 30])
def test_rows_out_of_range_are_cut_like_standardised_features(dtype, shots: int) -> None:
    readout, H = adapted(shots, dtype=dtype)
    H[2] = np.finfo(dtype).max
    H[3] = -np.finfo(dtype).max / 3
    H[4] = readout.standardizer.mean
    Q = readout.directions(H).rows.astype(float)
    ell, cosines = literal(readout, H)
    assert np.isfinite(Q).all()
    np.testing.assert_allclose((Q @ Q.T)[2:4], cosines[2:4], atol=3e-6)
    np.testing.assert_allclose(readout.scores(H)[2:4], ell[2:4], rtol=3e-6)
    if dtype == np.float64:
        assert not Q[4].any()


def test_a_row_is_projected_the_same_in_any_company() -> None:
    readout, H = adapted(30)
    whole, alone = readout.directions(H).rows, readout.directions(H[5:6]).rows
    np.testing.assert_allclose(alone[0], whole[5], atol=1e-14)
    np.testing.assert_allclose(readout.scores(H[5:6])[0], readout.scores(H)[5], atol=1e-12)
