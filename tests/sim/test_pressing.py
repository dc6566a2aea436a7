from __future__ import annotations

import numpy as np
import pytest

from bideta.sim import HOUSEHOLD, PressRange, presses


def draw(seed: int = 0, **settings):
    return presses(HOUSEHOLD, [0, 3, 5], np.random.default_rng(seed), **settings)


def test_the_same_seed_draws_the_same_presses():
    for first, second in zip(draw(7).columns(), draw(7).columns(), strict=True):
        np.testing.assert_array_equal(first, second)
    assert not np.array_equal(draw(7).x, draw(8).x)


def test_frames_come_press_by_press_with_their_object():
    contacts = draw(frames=6, first_press=10)
    np.testing.assert_array_equal(contacts.object, np.repeat([0, 3, 5], 6))
    np.testing.assert_array_equal(contacts.press, np.repeat([10, 11, 12], 6))


def test_neighbouring_frames_are_nearer_than_frames_of_other_presses():
    contacts = presses(HOUSEHOLD, np.zeros(40, int), np.random.default_rng(0))
    pose = np.column_stack([contacts.x, contacts.y, contacts.angle / 20])
    step = np.linalg.norm(np.diff(pose, axis=0), axis=1)
    within = np.diff(contacts.press) == 0
    assert np.median(step[within]) < 0.1 * np.median(step[~within])


def test_a_press_approaches_holds_and_lets_go():
    depth = presses(HOUSEHOLD, np.zeros(50, int), np.random.default_rng(1)).depth.reshape(50, 20)
    assert (depth[:, 0] < depth[:, 8]).all()
    assert (depth[:, -1] < depth[:, 8]).all()
    assert (depth > 0).all()


def test_every_frame_stays_within_the_ranges():
    ranges = PressRange(
        offset_mm=1.0, angle_deg=30, depth_mm=(0.5, 0.9), tilt_deg=2, slide_mm=1.0, turn_deg=10
    )
    contacts = presses(HOUSEHOLD, np.zeros(200, int), np.random.default_rng(2), ranges=ranges)
    assert np.abs(contacts.x).max() <= 1.0 + 0.5
    assert np.abs(contacts.angle).max() <= 30 + 5
    assert contacts.depth.max() <= 0.9
    assert np.abs(contacts.tilt_x).max() <= 2


def test_one_frame_per_press_gives_independent_contacts_from_all_phases():
    contacts = presses(HOUSEHOLD, np.zeros(300, int), np.random.default_rng(3), frames=1)
    assert len(np.unique(contacts.press)) == 300
    shallow = contacts.depth < 0.5
    assert 0.05 < shallow.mean() < 0.95


def test_the_previous_frame_is_the_neighbour_and_the_first_is_its_own():
    np.testing.assert_array_equal(draw(frames=3).previous(), [0, 0, 1, 3, 3, 4, 6, 6, 7])


def test_rows_can_be_chosen_by_slice_index_and_mask():
    contacts = draw(frames=4)
    np.testing.assert_array_equal(contacts[2:5].x, contacts.x[2:5])
    np.testing.assert_array_equal(contacts[np.array([7, 1])].depth, contacts.depth[[7, 1]])
    assert len(contacts[contacts.object == 3]) == 4


def test_a_press_without_frames_is_refused():
    with pytest.raises(ValueError, match="frames is 0"):
        draw(frames=0)


def test_the_earlier_name_of_the_press_still_works_and_says_the_new_one():
    contacts = draw(frames=2)
    with pytest.warns(DeprecationWarning, match=r"Contacts\.press"):
        assert contacts.trajectory is contacts.press
