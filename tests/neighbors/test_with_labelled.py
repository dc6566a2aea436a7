from __future__ import annotations

import numpy as np
import pytest

from bideta.method.readout import Directions, unit_rows
from bideta.neighbors.search import nearest
from bideta.neighbors.with_labelled import known_neighbors, nearest_with, serves


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 1, 1), (1, 5, 3), (4, 30, 40), (30, 30, 7), (7, 600, 40), (200, 900, 25)]
)
def test_known_neighbours_give_the_answer_of_a_whole_search(m: int, n: int, k: int, dtype) -> None:
    rng = np.random.default_rng(m * n)
    Q = unit_rows(rng.normal(size=(m + n, 6)).astype(dtype))
    k = min(k, m + n - 1)
    known = known_neighbors(Q[m:], k)
    assert serves(Q, known, k)
    got, want = nearest_with(Q, known, k), nearest(Directions(Q), k)
    np.testing.assert_array_equal(got.indices, want.indices)
    np.testing.assert_allclose(got.similarities, want.similarities, atol=8 * np.finfo(dtype).eps)


def test_copies_of_labelled_contacts_and_of_queries_are_ordered_as_in_a_whole_search() -> None:
    rng = np.random.default_rng(0)
    few = unit_rows(rng.normal(size=(5, 4)))
    Q = few[rng.integers(0, 5, 60)]  # twelve copies of each
    Q[3] = 0  # a contact at the support's mean: equally near to everything
    for k in (1, 5, 11, 12, 30):
        known = known_neighbors(Q[20:], k)
        np.testing.assert_array_equal(nearest_with(Q, known, k).indices, nearest(Directions(Q), k).indices)


def test_a_longer_list_serves_a_smaller_k_and_a_shorter_one_does_not() -> None:
    Q = unit_rows(np.random.default_rng(1).normal(size=(50, 8)))
    known = known_neighbors(Q[10:], 12)
    assert serves(Q, known, 7)
    np.testing.assert_array_equal(nearest_with(Q, known, 7).indices, nearest(Directions(Q), 7).indices)
    assert not serves(Q, known, 13)
    assert not serves(Q, known_neighbors(Q[10:], 0), 5)


def test_a_batch_larger_than_the_support_is_left_to_the_search() -> None:
    Q = unit_rows(np.random.default_rng(1).normal(size=(50, 8)))
    assert not serves(Q, known_neighbors(Q[30:], 5), 5)


def test_one_labelled_contact_has_no_neighbours_among_the_others() -> None:
    known = known_neighbors(np.ones((1, 3)), 40)
    assert known.indices.shape == known.similarities.shape == (1, 0)


def test_no_labelled_contacts_have_no_neighbours() -> None:
    assert known_neighbors(np.ones((0, 3)), 0).indices.shape == (0, 0)
