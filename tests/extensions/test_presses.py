from __future__ import annotations

import numpy as np
import pytest

from bideta.extensions.presses import alone, labelled_presses, pool_presses, press_numbers, press_of


def test_contacts_without_presses_are_presses_of_their_own() -> None:
    assert press_numbers(None, 4).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("given", [[7, 7, 3, 9], ["b", "b", "a", "c"], np.array([0.5, 0.5, -1.0, 2.0])])
def test_presses_of_any_name_are_numbered_from_zero(given) -> None:
    assert press_numbers(given, 4).tolist() == [1, 1, 0, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0, 1], r"presses has shape \(2,\), expected one press number for each of 4 contacts"),
        (np.zeros((4, 1)), r"presses has shape \(4, 1\)"),
        ([0, 1, np.nan, 2], "presses contains NaN"),
        ([None, 1, "a", 2], "presses holds no numbers or names of presses"),
    ],
)
def test_what_numbers_no_press_is_refused(given, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        press_numbers(given, 4)


def test_a_number_may_be_given_anew_in_every_class() -> None:
    y, presses = np.array([0, 0, 0, 1, 1, 2]), np.array([5, 5, 6, 5, 5, 5])
    classes, number = press_of(y, presses)
    assert classes.tolist() == [0, 0, 1, 2]
    assert number.tolist() == [0, 0, 1, 2, 2, 3]
    assert alone(y, presses).tolist() == [False, False, False, True, True, True]
    assert alone(y).tolist() == [False] * 5 + [True]


def test_one_press_for_every_class_is_a_mistake_unless_there_is_one_contact_of_each() -> None:
    y = np.array([0, 0, 1, 1])
    with pytest.raises(ValueError, match="presses has one press for every class"):
        labelled_presses([3, 3, 4, 4], y)
    assert labelled_presses([3, 4, 5, 5], y).tolist() == [0, 1, 2, 2]
    assert labelled_presses([9, 8], np.array([0, 1])).tolist() == [1, 0]


def test_a_press_is_answered_by_the_geometric_mean_of_its_frames() -> None:
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(4), 9)
    presses = np.array([5, 5, 2, 5, 2, 7, 7, 7, 7])
    rows, pooled = pool_presses(P, presses)
    assert rows.tolist() == [0, 2, 5]
    for row, number in zip(pooled, (5, 2, 7), strict=True):
        want = np.prod(P[presses == number], axis=0) ** (1 / (presses == number).sum())
        np.testing.assert_allclose(row, want / want.sum())


def test_one_frame_cannot_rule_a_class_out() -> None:
    P = np.array([[0.0, 1.0], [0.999, 0.001], [0.999, 0.001], [0.999, 0.001], [0.999, 0.001]])
    assert pool_presses(P, np.zeros(5))[1].min() > 0.01
