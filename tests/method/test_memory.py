from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from bideta import Bideta
from bideta.method import memory
from support.sensor_shift import episode


@pytest.mark.parametrize("shots", [3, 30])  # n < d and n > d
@pytest.mark.parametrize("shrinkage", [0.05, 0.3, 1.0])
def test_anchor_of_one_readout_equals_scikit_learns_shrinkage_lda(shots: int, shrinkage: float) -> None:
    e = episode(shots=shots, dims=(40,))
    adapted = Bideta(shrinkage=shrinkage, n_iter=0).fit(e.support[0], e.labels)
    scaler = adapted.sensor_.readouts[0].standardizer
    oracle = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)
    # With population-normalised class covariances a fixed shrinkage commutes with pooling: exactly Eq. 2.
    oracle.fit(scaler(e.support[0]), e.labels)
    want = oracle.predict_proba(scaler(e.queries[0]))
    np.testing.assert_allclose(adapted.predict_proba(e.queries[0]), want, atol=1e-10)


def test_unequal_class_counts_enter_through_the_prior() -> None:
    e = episode(dims=(10,), C=3, shots=12)
    kept = np.r_[0:12, 12:18, 24:27]
    adapted = Bideta(shrinkage=0.2, n_iter=0).fit(e.support[0][kept], e.labels[kept])
    scaler = adapted.sensor_.readouts[0].standardizer
    oracle = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2).fit(
        scaler(e.support[0][kept]), e.labels[kept]
    )
    np.testing.assert_allclose(
        adapted.predict_proba(e.queries[0]), oracle.predict_proba(scaler(e.queries[0])), atol=1e-10
    )


def test_posterior_divides_by_the_temperature() -> None:
    ell = np.array([[0.0, 1.0, 3.0]])
    want = np.exp(ell / 2) / np.exp(ell / 2).sum()
    np.testing.assert_allclose(memory.posterior(ell, 2.0), want)


@pytest.mark.parametrize("temperature", [1e-300, 1e300])
def test_posterior_survives_extreme_temperatures(temperature: float) -> None:
    P = memory.posterior(np.array([[0.0, 1e4, -1e4]]), temperature)
    want = [[0, 1, 0]] if temperature < 1 else [[1 / 3] * 3]
    np.testing.assert_allclose(P, want)


def test_fusion_is_the_weighted_mean_of_the_views() -> None:
    first, second = np.array([[1.0, 0.0]]), np.array([[0.2, 0.8]])
    np.testing.assert_allclose(memory.fuse([first, second], 0.25), [[0.4, 0.6]])
    assert memory.fuse([first], 0.25) is first


def test_one_weight_per_readout_fuses_any_number_of_views() -> None:
    views = list(np.random.default_rng(0).dirichlet(np.ones(4), (3, 5)))
    weights = [0.2, 0.5, 0.3]
    np.testing.assert_allclose(memory.fuse(views, weights), np.tensordot(weights, views, 1))
    np.testing.assert_array_equal(memory.fuse(views[:2], [0.3, 0.7]), memory.fuse(views[:2], 0.3))
    assert memory.fuse(views[:1], [1.0]) is views[0]


@pytest.mark.parametrize("V", [3, 4])
def test_a_number_gives_three_and_more_views_the_same_weight(V: int) -> None:
    views = list(np.random.default_rng(0).dirichlet(np.ones(4), (V, 5)))
    np.testing.assert_allclose(memory.fuse(views, 0.5), np.mean(views, axis=0))


def test_fusion_leaves_the_views_alone() -> None:
    views = list(np.random.default_rng(0).dirichlet(np.ones(4), (3, 5)))
    before = np.copy(views)
    memory.fuse(views, 0.5)
    memory.fuse(views, [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(views, before)


def test_weights_that_were_rounded_give_distributions() -> None:
    views = list(np.random.default_rng(0).dirichlet(np.ones(4), (3, 5)))
    np.testing.assert_allclose(memory.fuse(views, [0.3333333] * 3).sum(axis=1), 1, rtol=1e-14)
