"""Labels learned one by one give what a fit on all of them gives."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.deploy.online.support_statistics import SupportStatistics
from bideta.method.readout import AdaptedReadout, adapt
from bideta.method.settings import Settings
from bideta.method.spectrum import MatrixFunction, gains

SETTINGS = Settings(shrinkage="auto", gamma=0.6)


def contacts(n: int, d: int, C: int = 4, seed: int = 0, offset: float = 0.0):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(C), rng.integers(0, C, n - C)]
    return rng.normal(size=(C, d))[y] + rng.normal(size=(n, d)) * rng.uniform(0.1, 10, d) + offset, y


def assert_same(one: AdaptedReadout, other: AdaptedReadout, queries: np.ndarray, tolerance: float = 1e-9):
    """The same scaler, scores and distances up to rotations among equal eigenvalues."""
    np.testing.assert_allclose(one.standardizer.mean, other.standardizer.mean, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(one.standardizer.scale, other.standardizer.scale, rtol=tolerance)
    for name in ("mean_variance", "intensity", "rest"):
        expected = getattr(other.covariance, name)
        assert getattr(one.covariance, name) == pytest.approx(expected, rel=tolerance, abs=tolerance)
    for name in ("coefficients", "intercepts"):
        expected = getattr(other.memory, name)
        atol = tolerance * np.abs(expected).max()
        np.testing.assert_allclose(getattr(one.memory, name), expected, rtol=tolerance, atol=atol)
    Z = other.standardizer(queries)
    assert one.gamma == other.gamma
    first, expected = (
        MatrixFunction(readout.covariance.vectors, *gains(readout.covariance, readout.gamma))(Z)
        for readout in (one, other)
    )
    np.testing.assert_allclose(first, expected, atol=tolerance * np.abs(expected).max())


def statistics_of(H, y, first: int) -> SupportStatistics:
    statistics = SupportStatistics(H[:first], y[:first], y[:first].max() + 1)
    for h, c in zip(H[first:], y[first:], strict=True):
        statistics.learn(h, c)
    return statistics


@pytest.mark.parametrize(("first", "n"), [(4, 5), (8, 12), (10, 40), (60, 200)], ids=str)
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_learning_contact_by_contact_equals_a_fit_on_all(first, n, offset):
    H, y = contacts(n, 24, offset=offset)
    prior = np.bincount(y) / n
    expected = adapt(H, y, prior, SETTINGS)
    learned = statistics_of(H, y, first).adapt(H, y, prior, SETTINGS)
    assert_same(learned, expected, contacts(20, 24, seed=1, offset=offset)[0])


def test_a_first_support_far_from_what_follows_does_not_matter():
    H, y = contacts(80, 12)
    H[8:] = 1e5 * H[8:] - 3e6
    expected = adapt(H, y, np.full(4, 0.25), SETTINGS)
    learned = statistics_of(H, y, 8).adapt(H, y, np.full(4, 0.25), SETTINGS)
    assert_same(learned, expected, H[::7], 1e-8)


@pytest.mark.parametrize("value", [0.0, 1.0, 1 / 3 * 1e7, 1e300])
def test_constant_coordinates_get_unit_scale_until_they_vary(value):
    H, y = contacts(30, 6)
    H[:, 2] = value
    statistics = statistics_of(H, y, 10)
    learned = statistics.adapt(H, y, np.full(4, 0.25), SETTINGS)
    assert learned.standardizer.scale[2] == 1
    if value < 1e300:
        H[-1, 2] += 0.5
        learned = statistics_of(H, y, 10).adapt(H, y, np.full(4, 0.25), SETTINGS)
        assert_same(learned, adapt(H, y, np.full(4, 0.25), SETTINGS), H[::5], 1e-7)


def test_classes_of_one_contact_have_no_residual_and_get_the_identity():
    H, y = contacts(4, 6)
    statistics = SupportStatistics(H, y, 4)
    h = np.array(H[1])
    statistics.learn(h, 1)  # a copy adds nothing either
    H, y = np.vstack([H, h]), np.r_[y, 1]
    assert_same(
        statistics.adapt(H, y, np.bincount(y) / 5, SETTINGS),
        adapt(H, y, np.bincount(y) / 5, SETTINGS),
        contacts(9, 6, seed=1)[0],
    )


@pytest.mark.parametrize("d", [5, 40])
def test_new_class_takes_its_place_among_the_others(d):
    H, y = contacts(40, d)
    y = np.sort(y)
    order = np.argsort(y == 1, kind="stable")  # class 1 comes last
    H, y = H[order], y[order]
    first = int((y != 1).sum())
    statistics = SupportStatistics(H[:first], np.where(y[:first] > 1, y[:first] - 1, y[:first]), 3)
    statistics.enrol(1)
    statistics.learn(H[first], 1)
    for h in H[first + 1 :]:
        statistics.learn(h, 1)
    assert_same(
        statistics.adapt(H, y, np.full(4, 0.25), SETTINGS),
        adapt(H, y, np.full(4, 0.25), SETTINGS),
        contacts(9, d, seed=1)[0],
    )


@pytest.mark.parametrize("d", [6, 60])
def test_forgetting_undoes_learning_over_a_thousand_contacts(d):
    H, y = contacts(1040, d)
    statistics = SupportStatistics(H[:40], y[:40], 4)
    held = list(range(40))
    for i in range(40, len(H)):
        statistics.learn(H[i], y[i])
        held.append(i)
        oldest = next(j for j in held if y[j] == y[i])
        held.remove(oldest)
        statistics.forget(H[oldest], y[i], H[[j for j in held if y[j] == y[i]]])
    assert_same(
        statistics.adapt(H[held], y[held], np.full(4, 0.25), SETTINGS),
        adapt(H[held], y[held], np.full(4, 0.25), SETTINGS),
        contacts(9, d, seed=1)[0],
    )


def test_contact_beyond_the_range_of_numbers_is_refused():
    H, y = contacts(30, 6)
    with pytest.raises(ValueError, match="too far from the labelled ones"):
        SupportStatistics(H, y, 4).check(np.full(6, 1e200))
