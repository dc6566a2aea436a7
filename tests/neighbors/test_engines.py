"""The three ways to search neighbours give the same answer, or say that they do not."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from bideta import Bideta
from bideta.method.readout import Directions, unit_rows, workspace
from bideta.neighbors import engines
from bideta.neighbors.blocked import nearest_of
from bideta.neighbors.search import nearest
from support.sensor_shift import episode


def clustered(m: int, d: int = 24, seed: int = 0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(max(m // 100, 1), d))
    spread = rng.normal(size=(m, d)) * 0.15
    return Directions(unit_rows((np.repeat(centres, 100, axis=0)[:m] + spread).astype(np.float32)))


def test_float32_features_have_the_neighbours_of_the_same_features_in_double() -> None:
    e = episode(3, per_class=600, dims=(120,), shots=60)
    support, queries = (e.support[0].astype(np.float32),), e.queries[0].astype(np.float32)
    (readout,) = Bideta().fit(support, e.labels).sensor_.readouts
    wide = readout.directions(queries.astype(np.float64)).rows
    want = nearest(Directions(wide), 20).indices
    # Rounded as coarsely as still counts as rounding, so that rows alone exchange neighbours whatever the processor.
    noise = np.random.default_rng(0).normal(size=wide.shape) * 2e-7
    Q = (wide + noise).astype(np.float32)
    assert (nearest(Directions(Q), 20).indices != want).any()
    precise = readout.directions(queries).precise
    np.testing.assert_array_equal(nearest(Directions(Q, precise), 20).indices, want)
    some = np.arange(0, len(Q), 3)
    np.testing.assert_array_equal(nearest_of(Q, some, 20, precise)[0], want[some])


@pytest.mark.xdist_group("pynndescent")  # compiled once, in one worker
def test_approximate_neighbours_report_their_recall() -> None:
    Q = clustered(2000)
    found, truth = engines.approximate(Q, 10), nearest(Q, 10)
    overlap = np.mean([np.isin(t, f).mean() for t, f in zip(truth.indices, found.indices, strict=True)])
    assert 0.95 <= found.recall <= 1
    assert found.recall == pytest.approx(overlap, abs=0.02)
    assert not (found.indices == np.arange(2000)[:, None]).any()
    same = found.indices == truth.indices
    np.testing.assert_allclose(found.similarities[same], truth.similarities[same], atol=1e-6)


@pytest.mark.xdist_group("pynndescent")  # compiled once, in one worker
def test_hard_data_falls_back_to_the_exact_search_and_says_so() -> None:
    Q = Directions(unit_rows(np.random.default_rng(0).normal(size=(6000, 200)).astype(np.float32)))
    with pytest.warns(UserWarning, match=r"find only \d+% of the true ones.*using the exact search"):
        found = engines.approximate(Q, 15)
    assert found.recall == 1.0
    np.testing.assert_array_equal(found.indices, nearest(Q, 15).indices)


@pytest.mark.xdist_group("pynndescent")  # compiled once, in one worker
def test_inference_carries_the_recall_of_each_readout() -> None:
    e = episode(C=8, per_class=150, signal=3.0)
    exact = Bideta(neighbors="exact", n_neighbors=10).fit(e.support, e.labels).infer(e.queries)
    rough = Bideta(neighbors="approximate", n_neighbors=10).fit(e.support, e.labels).infer(e.queries)
    assert exact.recall == (1.0, 1.0)
    assert all(0.95 <= recall <= 1 for recall in rough.recall)
    assert (exact.proba.argmax(axis=1) == rough.proba.argmax(axis=1)).mean() > 0.99


def test_tiny_batches_are_searched_exactly_whatever_is_asked() -> None:
    Q = clustered(30)
    np.testing.assert_array_equal(engines.approximate(Q, 8).indices, nearest(Q, 8).indices)


@pytest.mark.parametrize(
    ("setting", "module"), [({"neighbors": "approximate"}, "pynndescent"), ({"n_jobs": 2}, "ray")]
)
def test_a_missing_extra_says_what_to_install(setting, module, monkeypatch) -> None:
    e = episode(per_class=40)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"pip install 'bideta\["):
        Bideta(**setting).fit(e.support, e.labels).predict(e.queries)


def test_memory_mapped_queries_are_worked_on_in_a_file(tmp_path) -> None:
    e = episode(per_class=300)
    mapped = []
    for v, H in enumerate(e.queries):
        np.save(tmp_path / f"{v}.npy", H)
        mapped.append(np.load(tmp_path / f"{v}.npy", mmap_mode="r"))
    adapted = Bideta().fit(e.support, e.labels)
    np.testing.assert_array_equal(adapted.predict_proba(tuple(mapped)), adapted.predict_proba(e.queries))
    assert isinstance(workspace(mapped[0]), np.memmap)
    assert not isinstance(workspace(e.queries[0]), np.memmap)


@pytest.mark.alone
def test_workers_give_the_same_answer_as_one_process() -> None:
    ray = pytest.importorskip("ray")
    e = episode(per_class=120)
    adapted = Bideta(n_neighbors=10).fit(e.support, e.labels)
    want = adapted.predict_proba(e.queries)
    try:
        got = adapted.set_params(n_jobs=2).predict_proba(e.queries)
    finally:
        ray.shutdown()
    np.testing.assert_allclose(got, want, atol=1e-12)
