"""Algorithm 1 called by itself: it is what the estimator runs and what the literal equations say."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.method import algorithm
from bideta.method.algorithm import Inference
from bideta.method.readout import adapt
from bideta.method.settings import Settings
from bideta.neighbors.search import nearest
from support import reference
from support.random_cases import random_case
from support.sensor_shift import episode

DIMS = (12, 18, 7, 9)
LETTERS = [part.name for part in dataclasses.fields(Settings)]
PARTS = ("anchor", "ambiguity", "disagreement", "gate", "proba")


def run(support, y, queries, prior, **letters) -> Inference:
    """The paper's method without estimator, sensor or check: adapt every readout, then infer."""
    settings = Settings(**letters)
    memory_prior = np.bincount(y) / len(y) if prior is None else prior
    readouts = [adapt(H, y, memory_prior, settings) for H in support]
    return algorithm.infer(readouts, queries, prior, settings, nearest)


@pytest.mark.parametrize("V", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(30))
def test_it_equals_the_literal_equations(seed: int, V: int) -> None:
    support, y, queries, parameters = random_case(seed, V)
    if isinstance(parameters["prior"], str):
        parameters["prior"] = np.bincount(y) / len(y)
    want = reference.bideta(support, y, queries, **parameters)
    got = run(support, y, queries, **parameters)
    np.testing.assert_allclose(got.proba, want, rtol=0, atol=1e-9)


@pytest.mark.parametrize("V", [1, 2, 3, 4])
@pytest.mark.parametrize("preset", ["CLASSIFICATION", "RANKING"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [1, 4, 5, 100])
def test_it_is_what_the_estimator_runs(V: int, preset: str, dtype, m: int) -> None:
    e = episode(dims=DIMS[:V])
    support, queries = (tuple(H.astype(dtype) for H in part) for part in (e.support, e.queries))
    queries = tuple(H[:m] for H in queries)
    letters = getattr(presets, preset)
    want = Bideta(**letters).fit(support, e.labels).infer(queries)
    got = run(support, e.labels, queries, np.full(5, 0.2), **letters)
    for part in PARTS:
        np.testing.assert_array_equal(getattr(got, part), getattr(want, part))
    np.testing.assert_array_equal(got.views, want.views)
    np.testing.assert_array_equal(got.graph.toarray(), want.graph.toarray())
    assert got.recall == want.recall == (() if m < 5 else (1.0,) * V)
    assert got.support_graph is None


def test_the_settings_of_the_method_are_the_papers_letters() -> None:
    defaults = Bideta().get_params()
    assert {name: getattr(Settings(), name) for name in LETTERS} == {name: defaults[name] for name in LETTERS}
    assert set(presets.CLASSIFICATION) <= set(LETTERS)


@pytest.mark.parametrize("fusion", ["geometric", "arithmetic"])
@pytest.mark.parametrize("V", [2, 3, 4])
def test_the_order_of_the_readouts_does_not_matter_where_their_weights_follow(V: int, fusion: str) -> None:
    e = episode(dims=DIMS[:V])
    rng = np.random.default_rng(V)
    alpha, order = rng.dirichlet(np.ones(V)), rng.permutation(V)
    straight = run(e.support, e.labels, e.queries, None, alpha=alpha, fusion=fusion)
    support, queries = (tuple(part[v] for v in order) for part in (e.support, e.queries))
    turned = run(support, e.labels, queries, None, alpha=alpha[order], fusion=fusion)
    for part in PARTS:
        np.testing.assert_allclose(getattr(turned, part), getattr(straight, part), atol=1e-12)
    np.testing.assert_allclose(turned.graph.toarray(), straight.graph.toarray(), atol=1e-12)


@pytest.mark.parametrize("alpha", [0.5, "weights"])
@pytest.mark.parametrize("fusion", ["geometric", "arithmetic"])
@pytest.mark.parametrize("V", [2, 3, 4])
def test_copies_of_a_readout_say_what_it_says_alone(V: int, fusion: str, alpha) -> None:
    e = episode(dims=DIMS[:1])
    weights = 0.5 if alpha == 0.5 else np.random.default_rng(V).dirichlet(np.ones(V))
    alone = run(e.support, e.labels, e.queries, None, fusion=fusion, gate_exponent=1.0)
    copies = run(
        e.support * V, e.labels, e.queries * V, None, alpha=weights, fusion=fusion, gate_exponent=1.0
    )
    np.testing.assert_allclose(copies.disagreement, 0, atol=1e-7)
    np.testing.assert_allclose(copies.anchor, alone.anchor, atol=1e-12)
    np.testing.assert_allclose(copies.graph.toarray(), alone.graph.toarray(), atol=1e-12)
    np.testing.assert_allclose(copies.proba, alone.proba, atol=1e-6)


@pytest.mark.parametrize("v", [0, 1, 2])
def test_a_readout_that_weighs_one_is_the_anchor(v: int) -> None:
    e = episode(dims=DIMS[:3])
    result = run(e.support, e.labels, e.queries, None, alpha=np.eye(3)[v])
    np.testing.assert_array_equal(result.anchor, result.views[v])


def test_three_readouts_know_more_than_each_of_them() -> None:
    right = []
    for seed in range(5):
        e = episode(seed, dims=DIMS[1:], signal=0.6)
        alone = [run((S,), e.labels, (H,), None) for S, H in zip(e.support, e.queries, strict=True)]
        results = [*alone, run(e.support, e.labels, e.queries, None)]
        right.append([(result.proba.argmax(axis=1) == e.truth).mean() for result in results])
    *single, all_three = np.mean(right, axis=0)
    assert all_three > max(single)


@pytest.mark.parametrize(("m", "prior"), [(1, None), (4, "support"), (100, "nothing to do")])
def test_where_no_recurrence_runs_the_anchor_is_the_answer(m: int, prior: str | None) -> None:
    e = episode(dims=DIMS[:3])
    queries = tuple(H[:m] for H in e.queries)
    frequencies = None if prior is None else np.full(5, 0.2)
    result = run(e.support, e.labels, queries, frequencies, n_iter=0 if m == 100 else 10)
    np.testing.assert_array_equal(result.proba, result.anchor)
    assert result.graph.shape == (m, m)
    assert result.graph.nnz == 0
    assert not result.gate.any()
    assert result.prior is None


def test_every_readout_is_searched_once_with_as_many_neighbours_as_there_are() -> None:
    e = episode(dims=DIMS[:3], per_class=2)
    asked = []

    def search(Q, k):
        asked.append((Q.rows.shape, k))
        return nearest(Q, k)

    settings = Settings(n_neighbors=40)
    readouts = [adapt(H, e.labels, np.full(5, 0.2), settings) for H in e.support]
    algorithm.infer(readouts, e.queries, None, settings, search)
    assert asked == [((10, d), 9) for d in DIMS[:3]]


def test_ranking_orders_by_the_answer_then_by_the_anchor_then_by_column() -> None:
    P = np.array([[0.2, 0.4, 0.4], [1 / 3, 1 / 3, 1 / 3]])
    anchor = np.array([[0.5, 0.2, 0.3], [0.4, 0.2, 0.4]])
    zero = np.zeros(2)
    result = Inference(np.arange(3), (anchor,), anchor, None, zero, zero, zero, P)
    assert result.ranking().tolist() == [[2, 1, 0], [0, 2, 1]]
