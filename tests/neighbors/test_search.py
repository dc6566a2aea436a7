from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from bideta.method.graph import Neighbors
from bideta.method.readout import Directions, unit_rows
from bideta.neighbors import blocked, engines, in_memory, search


def nearest(Q: np.ndarray, k: int, **settings) -> Neighbors:
    return search.nearest(Directions(Q), k, **settings)


def unit(m: int, d: int, seed: int = 0, dtype=np.float64):
    return unit_rows(np.random.default_rng(seed).normal(size=(m, d)).astype(dtype))


@pytest.fixture(params=["any size", "in memory", "blocked"])
def way(request, monkeypatch) -> str:
    """The search that suits the size, and the two that are meant for larger batches."""
    if request.param != "any size":
        monkeypatch.setattr(search, "SMALL", 0)
    if request.param == "blocked":
        monkeypatch.setattr(search, "KEPT", 0)
    return request.param


@pytest.mark.parametrize(("m", "k"), [(2, 1), (5, 4), (60, 7), (260, 20), (700, 40), (1300, 5), (5000, 3)])
def test_neighbours_equal_scikit_learns_brute_force(m: int, k: int, way: str) -> None:
    Q = unit(m, 9)
    found = nearest(Q, k)
    distance, index = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(Q).kneighbors()
    np.testing.assert_array_equal(found.indices, np.sort(index, axis=1))
    np.testing.assert_allclose(np.sort(1 - found.similarities, axis=1), np.sort(distance, axis=1), atol=1e-12)


def test_queries_sorted_by_class_overflow_nothing(way: str) -> None:
    # Worst case of the running threshold: every later block is better than all before it.
    rng = np.random.default_rng(0)
    Q = unit_rows(np.repeat(rng.normal(size=(4, 6)), 400, axis=0) + rng.normal(size=(1600, 6)) * 0.05)
    index = NearestNeighbors(n_neighbors=10, metric="cosine", algorithm="brute").fit(Q).kneighbors()[1]
    np.testing.assert_array_equal(nearest(Q, 10).indices, np.sort(index, axis=1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_identical_queries_take_the_lowest_indices_but_never_themselves(dtype, way: str) -> None:
    m, k = 800, 5
    Q = np.tile(unit(1, 33, dtype=dtype), (m, 1))
    found = nearest(Q, k).indices
    for j in (0, 3, 5, 700, 799):
        assert found[j].tolist() == [i for i in range(k + 1) if i != j][:k]


def test_a_copy_of_the_query_is_a_neighbour(way: str) -> None:
    Q = unit(50, 7)
    Q[31] = Q[8]
    found = nearest(Q, 3)
    assert 31 in found.indices[8]
    assert 8 in found.indices[31]
    assert not (found.indices == np.arange(50)[:, None]).any()


def test_a_zero_query_is_equally_near_to_everything(way: str) -> None:
    Q = unit(30, 7)
    Q[4] = 0
    found = nearest(Q, 3)
    assert found.indices[4].tolist() == [0, 1, 2]
    assert not found.similarities[4].any()


def test_block_size_does_not_change_the_answer(monkeypatch) -> None:
    Q = unit(301, 12)
    whole = nearest(Q, 11)
    monkeypatch.setattr(search, "SMALL", 0)
    for strip in (7, 64, 300, 301):
        monkeypatch.setattr(in_memory, "STRIP", strip)
        np.testing.assert_array_equal(nearest(Q, 11).indices, whole.indices)
    monkeypatch.setattr(search, "KEPT", 0)
    for rows, columns in ((7, 13), (64, 64), (100, 32), (301, 17)):
        monkeypatch.setattr(blocked, "BLOCK_ROWS", rows)
        monkeypatch.setattr(blocked, "BLOCK_COLUMNS", columns)
        np.testing.assert_array_equal(nearest(Q, 11).indices, whole.indices)


@pytest.mark.parametrize(
    ("small", "kept", "way"),
    [(301, 2**27, "as it is"), (0, 301 * 301 * 4, "in memory"), (0, 301 * 301 * 4 - 1, "blocked")],
)
def test_the_size_of_the_batch_chooses_the_way(small: int, kept: int, way: str, monkeypatch) -> None:
    chosen = ["as it is"]
    for module, name in ((in_memory, "nearest_in_memory"), (blocked, "nearest_in_blocks")):
        function = getattr(module, name)
        label = "in memory" if module is in_memory else "blocked"
        monkeypatch.setattr(
            module, name, lambda *given, f=function, label=label: chosen.append(label) or f(*given)
        )
    monkeypatch.setattr(search, "SMALL", small)
    monkeypatch.setattr(search, "KEPT", kept)
    found = nearest(unit(301, 12), 11)
    assert chosen[-1] == way
    assert found.recall == 1.0


def test_close_calls_of_small_batches_are_left_as_they_are_rounded() -> None:
    """Up to 512 queries rows are not computed anew; beyond, the few in question are."""
    Q = unit(520, 3, dtype=np.float32)
    Q[2] = Q[1] = Q[0]  # copies: which is the nearest is a close call
    asked = []

    def precise(rows):
        asked.append(rows)
        return Q[rows].astype(float)

    for m in (512, 520):
        search.nearest(Directions(Q[:m], precise), 1)
        assert bool(asked) == (m > 512)


def test_auto_is_exact_up_to_its_limit_and_approximate_beyond(monkeypatch) -> None:
    Q = unit(60, 4)
    assert nearest(Q, 10, engine="auto").recall == 1.0
    calls = []
    monkeypatch.setattr(search, "EXACT_UP_TO", 50)
    monkeypatch.setattr(
        engines, "approximate", lambda Q, k, n_jobs: calls.append((k, n_jobs)) or nearest(Q.rows, k)
    )
    nearest(Q, 10, engine="auto")
    assert calls == [(10, None)]
    nearest(Q, 10, engine="exact")
    assert len(calls) == 1
    monkeypatch.setattr(search, "EXACT_UP_TO", 60)
    nearest(Q, 10, engine="auto")
    assert len(calls) == 1
    nearest(Q, 10, engine="approximate", n_jobs=3)
    assert calls[1:] == [(10, 3)]


def test_auto_stays_exact_where_there_is_no_index(monkeypatch) -> None:
    monkeypatch.setattr(search, "EXACT_UP_TO", 50)
    monkeypatch.setattr(search.importlib.util, "find_spec", lambda name: None)
    assert nearest(unit(60, 4), 10, engine="auto").recall == 1.0
