from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.folds import fold_numbers, hidden_folds
from support.sensor_shift import episode


def readouts(y):
    return (np.random.default_rng(3).normal(size=(len(y), 4)),)


def test_every_class_keeps_a_contact_and_every_other_one_is_hidden_once():
    y = np.repeat([0, 1, 2], [1, 2, 7])
    number = fold_numbers(readouts(y), y)
    assert number[0] == -1
    assert (number[1:] >= 0).all()
    for fold in range(5):
        assert set(y[number != fold]) == {0, 1, 2}


def test_contacts_of_a_press_are_hidden_together():
    y = np.repeat([0, 1], 6)
    presses = np.array([0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3])
    support = readouts(y)
    number = fold_numbers(support, y, presses)
    assert (number[6:] == -1).all()  # the class was pressed once
    assert all(len(set(number[presses == press])) == 1 for press in range(3))
    with pytest.raises(ValueError, match=r"presses has shape \(2,\).* 12 contacts"):
        fold_numbers(support, y, [0, 1])
    with pytest.raises(ValueError, match="folds is 1"):
        fold_numbers(support, y, folds=1)
    with pytest.raises(ValueError, match="presses contains NaN"):
        fold_numbers(support, y, np.full(12, np.nan))
    assert (fold_numbers(support, y, y) == -1).all()  # every class was pressed once


def test_the_same_contacts_in_another_order_are_hidden_together_again():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], 20)
    presses = np.arange(60) // 4
    support = readouts(y)
    number = fold_numbers(support, y, presses)
    assert (number != fold_numbers(support, y, presses, seed=1)).any()
    for _ in range(5):
        order, names = rng.permutation(60), rng.permutation(15)  # presses may be numbered anew, too
        mixed = fold_numbers(tuple(S[order] for S in support), y[order], names[presses[order]])
        np.testing.assert_array_equal(mixed, number[order])
    # Contacts that cannot be told apart are dealt as they come.
    assert sorted(fold_numbers((np.ones((60, 4)),), y, presses)) == sorted(number)
    assert sorted(fold_numbers((np.full((60, 4), 1e308),), y, presses)) == sorted(number)


@pytest.mark.parametrize("preset", [presets.ROBOT, presets.TOUCH, presets.CLASSIFICATION])
def test_each_fold_gives_the_sensor_that_the_rest_of_the_support_makes(preset):
    data = episode(shots=4)
    presses = np.arange(len(data.labels)) // 2
    frequencies = np.bincount(data.labels) / len(data.labels)
    settings = {**preset, "prior": frequencies}
    adapted = Bideta(**settings).fit(data.support, data.labels, presses)
    hidden = []
    for rows, rest in hidden_folds(adapted.sensor_, folds=2):
        kept = np.setdiff1d(np.arange(len(data.labels)), rows)
        fresh = Bideta(**settings).fit(tuple(S[kept] for S in data.support), data.labels[kept], presses[kept])
        np.testing.assert_array_equal(rest.infer(data.queries).proba, fresh.predict_proba(data.queries))
        np.testing.assert_array_equal(rest.classes, adapted.classes_)
        hidden.extend(rows)
    assert sorted(hidden) == list(range(len(data.labels)))


def test_a_class_comes_as_often_although_some_of_its_labels_are_hidden():
    data = episode(shots=6)
    frequencies = np.bincount(data.labels) / len(data.labels)
    for prior in ("support", "relaxed", "auto"):
        adapted = Bideta(**{**presets.TOUCH, "prior": prior}).fit(data.support, data.labels)
        for rows, rest in hidden_folds(adapted.sensor_):
            assert len(rest.labels) + len(rows) == len(data.labels)
            assert np.ptp(np.bincount(rest.labels)) > 0
            assumed = rest.prior if rest.rule is None else rest.rule.support
            np.testing.assert_allclose(assumed, frequencies)
