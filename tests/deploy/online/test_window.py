from __future__ import annotations

import numpy as np
import pytest

from bideta.deploy.online.window import Window


def held_after(classes: np.ndarray, size: int, reservoir: int, seed: int = 0) -> list[int]:
    """Running numbers of the contacts that are held after a stream whose answers are ``classes``."""
    window = Window(size, reservoir, seed)
    number = np.full(size, -1)
    for i in range(len(classes)):
        number[window.admit(classes[number[: len(window)]])] = i
        assert len(set(window.newest) | set(window.kept)) == len(window) == min(i + 1, size)
    return sorted(number[number >= 0].tolist())


@pytest.mark.parametrize("reservoir", [0, 3, 7])
def test_everything_is_held_until_the_slots_are_full(reservoir):
    assert held_after(np.zeros(8, np.intp), 8, reservoir) == list(range(8))


def test_without_a_reservoir_the_newest_are_held():
    assert held_after(np.arange(30) % 4, 8, 0) == list(range(22, 30))


def test_a_long_hold_keeps_the_newest_and_every_contact_of_other_classes_that_fits():
    classes = np.r_[np.arange(12) % 4, np.full(500, 3)]
    held = held_after(classes, 24, 12)
    assert held[-12:] == list(range(500, 512))
    counts = np.bincount(classes[held[:-12]], minlength=4)
    assert counts.tolist() == [3, 3, 3, 3]


def test_the_reservoir_of_a_balanced_stream_is_balanced():
    classes = np.random.default_rng(0).integers(0, 4, 1000)
    counts = np.bincount(classes[held_after(classes, 64, 32)[:32]], minlength=4)
    assert counts.max() - counts.min() <= 1


def test_a_window_of_one_holds_the_last_contact():
    assert held_after(np.zeros(9, np.intp), 1, 0) == [8]


def test_the_same_seed_keeps_the_same_contacts():
    classes = np.random.default_rng(0).integers(0, 4, 300)
    assert held_after(classes, 32, 16, seed=5) == held_after(classes, 32, 16, seed=5)
    assert held_after(classes, 32, 16, seed=5) != held_after(classes, 32, 16, seed=6)
