from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.folds import fold_numbers, hidden_folds
from support.sensor_shift import episode


def test_every_class_keeps_a_contact_and_every_other_one_is_hidden_once():
    y = np.repeat([0, 1, 2], [1, 2, 7])
    number = fold_numbers(y)
    assert number[0] == -1
    assert (number[1:] >= 0).all()
    for fold in range(5):
        assert set(y[number != fold]) == {0, 1, 2}


def test_contacts_of_a_press_are_hidden_together():
    y = np.repeat([0, 1], 6)
    presses = np.array([0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3])
    number = fold_numbers(y, presses)
    assert (number[6:] == -1).all()  # the class was pressed once
    assert all(len(set(number[presses == press])) == 1 for press in range(3))
    with pytest.raises(ValueError, match=r"presses has shape \(2,\).* 12 contacts"):
        fold_numbers(y, [0, 1])
    with pytest.raises(ValueError, match="folds is 1"):
        fold_numbers(y, folds=1)
    with pytest.raises(ValueError, match="presses contains NaN"):
        fold_numbers(y, np.full(12, np.nan))
    assert (fold_numbers(y, y) == -1).all()  # every class was pressed once


def test_each_fold_gives_the_sensor_that_the_rest_of_the_support_makes():
    data = episode(shots=4)
    presses = np.arange(len(data.labels)) // 2
    adapted = Bideta(**presets.ROBOT).fit(data.support, data.labels, presses)
    hidden = []
    for rows, rest in hidden_folds(adapted.sensor_, folds=2):
        kept = np.setdiff1d(np.arange(len(data.labels)), rows)
        fresh = Bideta(**presets.ROBOT).fit(
            tuple(S[kept] for S in data.support), data.labels[kept], presses[kept]
        )
        np.testing.assert_array_equal(rest.infer(data.queries).proba, fresh.predict_proba(data.queries))
        np.testing.assert_array_equal(rest.classes, adapted.classes_)
        hidden.extend(rows)
    assert sorted(hidden) == list(range(len(data.labels)))
