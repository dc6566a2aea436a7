from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from bideta.method.graph import unit_rows
from bideta.neighbors import in_memory as triangle
from bideta.neighbors import search as neighbors
from bideta.neighbors.search import nearest


def unit(m: int, d: int, seed: int = 0, dtype=np.float64):
    return unit_rows(np.random.default_rng(seed).normal(size=(m, d)).astype(dtype))


@pytest.fixture(params=["any size", "triangle", "blocks"])
def way(request, monkeypatch) -> str:
    """The search that suits the size, and the two that are meant for larger batches."""
    if request.param != "any size":
        monkeypatch.setattr(neighbors, "SMALL", 0)
    if request.param == "blocks":
        monkeypatch.setattr(neighbors, "KEPT", 0)
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
    monkeypatch.setattr(neighbors, "SMALL", 0)
    for strip in (7, 64, 300, 301):
        monkeypatch.setattr(triangle, "STRIP", strip)
        np.testing.assert_array_equal(nearest(Q, 11).indices, whole.indices)
    monkeypatch.setattr(neighbors, "KEPT", 0)
    for rows, columns in ((7, 13), (64, 64), (100, 32), (301, 17)):
        monkeypatch.setattr(neighbors, "BLOCK_ROWS", rows)
        monkeypatch.setattr(neighbors, "BLOCK_COLUMNS", columns)
        np.testing.assert_array_equal(nearest(Q, 11).indices, whole.indices)


def test_queries_that_many_are_equally_near_to_are_searched_apart(monkeypatch) -> None:
    monkeypatch.setattr(neighbors, "SMALL", 0)
    Q = unit(900, 7)
    Q[[4, 600]] = 0  # every other query reaches their threshold
    Q[100:300] = Q[20]
    indices, _, left = triangle.nearest_in_triangle(Q, 3)
    assert set(left.tolist()) >= {4, 20, *range(100, 300), 600}
    assert len(left) < 220  # and a few to which the copies are nearest
    assert indices.shape == (900, 3)
    distance = 1 - Q @ Q.T
    np.fill_diagonal(distance, np.inf)
    want = np.sort(np.argsort(distance.round(12), axis=1, kind="stable")[:, :3], axis=1)
    np.testing.assert_array_equal(nearest(Q, 3).indices, want)


@pytest.mark.parametrize("shape", [(1, 8), (3, 5), (64, 256), (7, 16)])
@pytest.mark.parametrize("share", [0.0, 0.03, 1.0])
def test_places_are_those_of_flatnonzero(shape, share):
    hits = np.random.default_rng(0).random(shape) < share
    np.testing.assert_array_equal(triangle._places(hits), np.flatnonzero(hits))
