from __future__ import annotations

import numpy as np
import pytest

from bideta.method.readout import unit_rows
from bideta.neighbors import blocked
from bideta.neighbors.blocked import Candidates, nearest_in_blocks, nearest_of


def unit(m: int, d: int, dtype=np.float64) -> np.ndarray:
    return unit_rows(np.random.default_rng(0).normal(size=(m, d)).astype(dtype))


def clustered(m: int, d: int = 24) -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(m // 100, d))
    return unit_rows((np.repeat(centres, 100, axis=0) + rng.normal(size=(m, d)) * 0.15).astype(np.float32))


def brute(Q: np.ndarray, k: int) -> np.ndarray:
    S = Q @ Q.T
    np.fill_diagonal(S, -np.inf)
    return np.sort(np.argsort(-S, axis=1)[:, :k], axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("m", "k"), [(2, 1), (9, 8), (513, 3), (700, 60), (2600, 7)])
def test_every_row_gets_its_k_best(m: int, k: int, dtype) -> None:
    Q = unit(m, 11, dtype)
    indices, similarities = nearest_in_blocks(Q, k)
    np.testing.assert_array_equal(indices, brute(Q, k))
    want = np.einsum("id,ikd->ik", Q, Q[indices])
    np.testing.assert_allclose(similarities, want, atol=8 * np.finfo(dtype).eps)
    assert similarities.dtype == dtype


def test_neighbours_of_some_queries_are_rows_of_the_neighbours_of_all() -> None:
    Q = clustered(1400)
    Q[700:720] = Q[3]  # copies: ties are broken the same way
    some = np.random.default_rng(1).permutation(1400)[:800]
    whole, part = nearest_in_blocks(Q, 12), nearest_of(Q, some, 12)
    np.testing.assert_array_equal(part[0], whole[0][some])
    np.testing.assert_allclose(part[1], whole[1][some], atol=1e-6)


def test_a_first_threshold_that_was_too_high_is_mended() -> None:
    Q = unit(300, 6)
    best = Candidates(Q, 5, np.arange(300))
    best.threshold[:] = 2.0  # nothing passes
    best.search(64, 64)
    assert not best.count.any()
    np.testing.assert_array_equal(best.result()[0], brute(Q, 5))


@pytest.mark.parametrize("height", [7, 64, 1000])
def test_blocks_do_not_change_what_is_found(height: int) -> None:
    Q = unit(300, 6)
    best = Candidates(Q, 5, np.arange(300))
    best.search(height, 50)
    np.testing.assert_array_equal(best.result()[0], brute(Q, 5))


def test_copies_overflow_no_table() -> None:
    Q = np.tile(unit(1, 33), (3000, 1))
    indices, _ = nearest_in_blocks(Q, 4)
    for j in (0, 2, 2999):
        assert indices[j].tolist() == [i for i in range(5) if i != j][:4]


def test_close_calls_are_decided_by_precise_rows() -> None:
    exact = unit(600, 3)
    exact[1] = unit_rows(exact[:1] - 1e-3 * exact[3:4])[0]
    exact[2] = unit_rows(exact[1:2] + 1e-9 * exact[3:4])[0]  # the same row in float32
    Q = exact.astype(np.float32)
    assert nearest_in_blocks(Q, 1)[0][0].tolist() == [1]
    assert nearest_in_blocks(Q, 1, exact.__getitem__)[0][0].tolist() == [2]
    assert nearest_of(Q, np.array([0]), 1, exact.__getitem__)[0][0].tolist() == [2]


def test_a_transposed_copy_is_the_transpose() -> None:
    S = np.arange(70.0 * 5).reshape(70, 5)
    T = blocked._transposed(S)
    np.testing.assert_array_equal(T, S.T)
    assert T.flags.c_contiguous
