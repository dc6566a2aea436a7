from __future__ import annotations

import numpy as np

from bideta.neighbors.ties import FEW, TIE, closest, places, second_look


def test_the_best_are_chosen_and_places_without_a_candidate_never() -> None:
    Q = np.eye(6)
    values = np.array([[0.1, 0.9, -np.inf, 0.5, 0.7], [0.3, 0.2, 0.1, -0.5, -np.inf]])
    chosen, kth = closest(Q, 2, np.array([0, 5]), values, np.tile(np.arange(5, dtype=np.int32), (2, 1)))
    assert [sorted(row) for row in chosen.tolist()] == [[1, 4], [0, 1]]
    np.testing.assert_array_equal(kth, [0.7, 0.2])


def test_a_close_call_is_decided_by_the_features_not_by_rounded_similarities() -> None:
    # Candidates 1 and 2 of query 0: 2 is nearer by less than float32 resolves, and 1 seems nearer.
    Q = np.array([[1, 1e-4], [1, 0], [1, 1e-4]], np.float32)
    values = np.array([[1.0, 1.0 - 1e-7]], np.float32)
    assert values[0, 0] - values[0, 1] < TIE[Q.itemsize]
    chosen, _ = closest(Q, 1, np.array([0]), values, np.array([[1, 2]], np.int32))
    assert chosen.tolist() == [[1]]


def test_equal_candidates_are_taken_by_lower_index() -> None:
    Q = np.ones((5, 1))
    chosen, _ = closest(Q, 2, np.array([0]), np.ones((1, 4)), np.array([[4, 2, 3, 1]], np.int32))
    assert sorted(chosen[0].tolist()) == [1, 3]


def test_a_close_call_is_decided_by_precise_rows_where_there_are_any() -> None:
    # In float32 candidates 1 and 2 of query 0 are the same row; in double 2 is the nearer one.
    exact = np.array([[1, 0, 0], [np.sqrt(1 - 1e-10), 1e-5, 0], [np.sqrt(1 - 4e-11), 0, np.sqrt(4e-11)]])
    Q = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0]], np.float32)
    values, candidates = np.ones((1, 2), np.float32), np.array([[1, 2]], np.int32)
    assert closest(Q, 1, np.array([0]), values, candidates)[0].tolist() == [[0]]
    asked = []

    def precise(rows):
        asked.extend(rows.tolist())
        return exact[rows]

    assert closest(Q, 1, np.array([0]), values, candidates, precise)[0].tolist() == [[1]]
    assert asked == [0, 1, 2]


def test_a_crowd_of_copies_is_not_computed_anew() -> None:
    Q = np.ones((FEW + 3, 1), np.float32)
    candidates = np.arange(1, FEW + 3, dtype=np.int32)[None]
    asked = []
    chosen, _ = closest(Q, 2, np.array([0]), np.ones((1, FEW + 2), np.float32), candidates, asked.append)
    assert sorted(chosen[0].tolist()) == [0, 1]
    assert not asked


def test_a_second_look_gives_the_same_best_in_order() -> None:
    Q = np.eye(6)
    values = np.array([[0.1, 0.9, -np.inf, 0.5, 0.7]])
    everyone = np.arange(5, dtype=np.int32)[None]
    assert second_look(Q, 2, np.array([0]), values, everyone).tolist() in ([[1, 4]], [[4, 1]])


def test_similarities_closer_than_rounding_are_a_tie_in_their_precision() -> None:
    assert {size: tie / np.finfo(f"f{size}").eps for size, tie in TIE.items()} == {4: 16, 8: 16}


def test_copies_whose_rows_differ_in_the_last_bit_are_taken_by_lower_index() -> None:
    row = np.random.default_rng(0).normal(size=50)
    row /= np.linalg.norm(row)
    Q = np.stack([row, row, row * (1 + 2e-16), row * (1 + 4e-16), -row])
    assert len(np.unique(Q @ row)) == 4
    candidates = np.array([[3, 4, 2, 1]], np.int32)
    chosen = second_look(Q, 2, np.array([0]), (Q @ row)[candidates], candidates)
    assert candidates[0, chosen[0]].tolist() == [1, 2]


def test_values_within_rounding_of_the_next_larger_share_a_place() -> None:
    step = TIE[8] / 2
    values = np.array([[0.5, 0.5 - step, np.inf, 0.5 - 3 * step - 1e-14, -np.inf, np.inf]])
    assert places(values).tolist() == [[1, 1, 0, 2, 3, 0]]
