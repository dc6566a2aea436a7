from __future__ import annotations

import numpy as np
import pytest

from bideta.deploy.trust.leak import leak


def backgrounds(step, C=4, presses=8, d=20, seed=0):
    """Backgrounds of presses recorded class by class while every feature drifts by ``step`` per press."""
    rng = np.random.default_rng(seed)
    drift = np.arange(C * presses)[:, None] * step * rng.normal(size=d)
    return (drift + rng.normal(size=(C * presses, d)),), np.repeat(np.arange(C), presses)


def test_drift_between_classes_is_found():
    found = leak(*backgrounds(0.3))
    assert found.found
    assert found.accuracy > 0.7
    assert found.late < found.accuracy + 0.1
    assert (found.presses, found.classes, found.chance) == (32, 4, 0.25)


def test_without_drift_there_is_no_alarm():
    assert sum(leak(*backgrounds(0.0, seed=seed)).found for seed in range(40)) <= 2


def test_two_presses_of_a_class_show_a_leak_in_their_later_halves():
    """Presses in pairs, 30 classes: one left out leaves its class half as well known as all others."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 2)
    H = (rng.normal(size=(30, 40))[y] + 1.2 * rng.normal(size=(60, 40)),)
    found = leak(H, y)
    assert found.late > found.late_bound > found.bound
    assert found.found
    assert found.told == max(found.accuracy, found.late)


def test_accuracy_is_that_of_leaving_each_press_out_and_fitting_again():
    from bideta import Bideta

    H, y = backgrounds(0.05, d=5)
    right = [
        Bideta(n_iter=0).fit((H[0][rest],), y[rest]).predict((H[0][[i]],))[0] == y[i]
        for i in range(len(y))
        for rest in [np.arange(len(y)) != i]
    ]
    assert leak(H, y).accuracy == pytest.approx(np.mean(right), abs=0.07)  # scaler and intensity stay


def test_classes_with_one_press_are_left_out():
    H, y = backgrounds(0.3)
    alone = (np.vstack([H[0], np.ones((1, 20))]),), np.r_[y, 9]
    assert leak(*alone) == leak(H, y)


@pytest.mark.parametrize("labels", [[0, 1, 2], [0, 0, 1]])
def test_what_cannot_be_measured_is_none(labels):
    assert leak((np.eye(3),), labels) is None
