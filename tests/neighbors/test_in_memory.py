from __future__ import annotations

import numpy as np
import pytest

from bideta.method.readout import unit_rows
from bideta.neighbors import in_memory
from bideta.neighbors.blocked import nearest_of
from bideta.neighbors.in_memory import nearest_in_memory


def unit(m: int, d: int, dtype=np.float64) -> np.ndarray:
    return unit_rows(np.random.default_rng(0).normal(size=(m, d)).astype(dtype))


def brute(Q: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    S = Q @ Q.T
    np.fill_diagonal(S, -np.inf)
    index = np.sort(np.argsort(-S, axis=1)[:, :k], axis=1)
    return index, np.take_along_axis(S, index, axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("m", "k"), [(2, 1), (9, 8), (255, 3), (256, 40), (257, 1), (700, 60)])
def test_every_row_gets_its_k_best(m: int, k: int, dtype) -> None:
    Q = unit(m, 11, dtype)
    indices, similarities = nearest_in_memory(Q, k)
    want, values = brute(Q, k)
    np.testing.assert_array_equal(indices, want)
    np.testing.assert_allclose(similarities, values, atol=8 * np.finfo(dtype).eps)
    assert similarities.dtype == dtype


@pytest.mark.parametrize(("strip", "group"), [(7, 16), (64, 1), (100, 4), (300, 2)])
def test_neither_strips_nor_groups_change_the_answer(strip: int, group: int, monkeypatch) -> None:
    Q = unit(300, 9)
    monkeypatch.setattr(in_memory, "STRIP", strip)
    monkeypatch.setattr(in_memory, "GROUP", group)
    np.testing.assert_array_equal(nearest_in_memory(Q, 6)[0], brute(Q, 6)[0])


@pytest.mark.parametrize("k", [1, 5, 40])
def test_at_least_k_others_reach_the_threshold(k: int) -> None:
    Q = unit(500, 9)
    reached = in_memory._reached(in_memory._strips(Q), k)
    S = Q @ Q.T
    np.fill_diagonal(S, -np.inf)
    reaching = (reached[:, None] - 1e-12 <= S).sum(axis=1)
    assert (reaching >= k).all()
    assert reaching.mean() < 1.5 * k + 1  # and hardly more


def test_close_calls_are_decided_by_precise_rows() -> None:
    exact = unit(600, 3)
    exact[1] = unit_rows(exact[:1] - 1e-3 * exact[3:4])[0]
    exact[2] = unit_rows(exact[1:2] + 1e-9 * exact[3:4])[0]  # the same row in float32
    Q = exact.astype(np.float32)
    assert nearest_in_memory(Q, 1)[0][0].tolist() == [1]
    assert nearest_in_memory(Q, 1, exact.__getitem__)[0][0].tolist() == [2]


def test_queries_that_many_are_equally_near_to_are_searched_apart(monkeypatch) -> None:
    Q = unit(900, 7)
    Q[[4, 600]] = 0  # every other query reaches their threshold
    Q[100:300] = Q[20]
    left: list[int] = []

    def apart(Q, queries, k, precise):
        left.extend(queries.tolist())
        return nearest_of(Q, queries, k, precise)

    monkeypatch.setattr(in_memory, "nearest_of", apart)
    indices, similarities = nearest_in_memory(Q, 3)
    assert set(left) >= {4, 20, *range(100, 300), 600}
    assert len(left) < 220  # and a few to which the copies are nearest
    distance = 1 - Q @ Q.T
    np.fill_diagonal(distance, np.inf)
    want = np.sort(np.argsort(distance.round(12), axis=1, kind="stable")[:, :3], axis=1)
    np.testing.assert_array_equal(indices, want)
    np.testing.assert_allclose(similarities, np.take_along_axis(Q @ Q.T, want, axis=1), atol=1e-12)


@pytest.mark.parametrize("shape", [(1, 8), (3, 5), (64, 256), (7, 16)])
@pytest.mark.parametrize("share", [0.0, 0.03, 1.0])
def test_places_are_those_of_flatnonzero(shape, share):
    hits = np.random.default_rng(0).random(shape) < share
    np.testing.assert_array_equal(in_memory._places(hits), np.flatnonzero(hits))
