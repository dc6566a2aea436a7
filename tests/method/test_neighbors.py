from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from bideta.method import neighbors
from bideta.method.graph import unit_rows
from bideta.method.neighbors import nearest


def unit(m: int, d: int, seed: int = 0, dtype=np.float64):
    return unit_rows(np.random.default_rng(seed).normal(size=(m, d)).astype(dtype))


@pytest.mark.parametrize(("m", "k"), [(2, 1), (5, 4), (60, 7), (700, 40), (1300, 5), (5000, 3)])
def test_neighbours_equal_scikit_learns_brute_force(m: int, k: int) -> None:
    Q = unit(m, 9)
    found = nearest(Q, k)
    distance, index = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(Q).kneighbors()
    np.testing.assert_array_equal(found.indices, np.sort(index, axis=1))
    np.testing.assert_allclose(np.sort(1 - found.similarities, axis=1), np.sort(distance, axis=1), atol=1e-12)


def test_queries_sorted_by_class_overflow_nothing() -> None:
    # Worst case of the running threshold: every later block is better than all before it.
    rng = np.random.default_rng(0)
    Q = unit_rows(np.repeat(rng.normal(size=(4, 6)), 400, axis=0) + rng.normal(size=(1600, 6)) * 0.05)
    index = NearestNeighbors(n_neighbors=10, metric="cosine", algorithm="brute").fit(Q).kneighbors()[1]
    np.testing.assert_array_equal(nearest(Q, 10).indices, np.sort(index, axis=1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_identical_queries_take_the_lowest_indices_but_never_themselves(dtype) -> None:
    m, k = 1500, 5
    Q = np.tile(unit(1, 33, dtype=dtype), (m, 1))
    found = nearest(Q, k).indices
    for j in (0, 3, 5, 700, 1499):
        assert found[j].tolist() == [i for i in range(k + 1) if i != j][:k]


def test_a_copy_of_the_query_is_a_neighbour() -> None:
    Q = unit(50, 7)
    Q[31] = Q[8]
    found = nearest(Q, 3)
    assert 31 in found.indices[8]
    assert 8 in found.indices[31]
    assert not (found.indices == np.arange(50)[:, None]).any()


def test_a_zero_query_is_equally_near_to_everything() -> None:
    Q = unit(30, 7)
    Q[4] = 0
    found = nearest(Q, 3)
    assert found.indices[4].tolist() == [0, 1, 2]
    assert not found.similarities[4].any()


def test_block_size_does_not_change_the_answer(monkeypatch) -> None:
    Q = unit(301, 12)
    whole = nearest(Q, 11)
    for rows, columns in ((7, 13), (64, 64), (100, 32), (301, 17)):
        monkeypatch.setattr(neighbors, "BLOCK_ROWS", rows)
        monkeypatch.setattr(neighbors, "BLOCK_COLUMNS", columns)
        np.testing.assert_array_equal(nearest(Q, 11).indices, whole.indices)
