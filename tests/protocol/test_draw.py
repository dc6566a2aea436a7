from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bideta.datasets.simulated_sitr import INFO
from bideta.protocol.draw import check_target, draw_support, per_class, shots, source_rows

LABELS = np.repeat(np.arange(4), 100)


@pytest.mark.parametrize("sizes", [(2, 5, 10), (8, 40, 80), (3, 15, 30)])
def test_supports_are_stratified_and_nested(sizes):
    drawn = [draw_support(LABELS, size, seed=1, sensor="Hex") for size in sizes]
    for size, rows in zip(sizes, drawn, strict=True):
        assert np.bincount(LABELS[rows]).tolist() == [size] * 4
        assert (np.diff(rows) > 0).all()
    assert set(drawn[0]) < set(drawn[1]) < set(drawn[2])


def test_seed_sensor_and_class_draw_on_their_own():
    rows = draw_support(LABELS, 5, 0, "Hex")
    np.testing.assert_array_equal(rows, draw_support(LABELS, 5, 0, "Hex"))
    assert set(rows) != set(draw_support(LABELS, 5, 1, "Hex"))
    assert set(rows) != set(draw_support(LABELS, 5, 0, "Wedge"))
    assert len({tuple(rows[LABELS[rows] == label] % 100) for label in range(4)}) == 4
    fewer = draw_support(LABELS[:200], 5, 0, "Hex")  # other classes do not matter
    assert set(fewer) == set(rows[rows < 200])


def test_the_drawn_rows_stay_the_same_across_versions():
    assert draw_support(np.repeat([0, 1], 10), 2, 0, "DIGIT").tolist() == [8, 9, 15, 16]


def test_the_former_home_still_answers_and_names_the_new_one():
    from bideta.protocol import episodes

    with pytest.warns(DeprecationWarning, match=r"is now bideta\.protocol\.draw\.draw_support"):
        assert episodes.draw_support is draw_support
    with pytest.raises(AttributeError):
        episodes.draw_episode


def test_too_small_a_pool_is_refused():
    with pytest.raises(ValueError, match="Hex: class 0 has 100 frames, 101 labelled"):
        draw_support(LABELS, 101, 0, "Hex")
    with pytest.raises(ValueError, match="per_class is 0"):
        draw_support(LABELS, 0, 0, "Hex")


def test_source_contacts_are_thinned_only_where_enough_are_left():
    many, few = np.repeat(np.arange(16), 800), np.repeat(np.arange(16), 12)
    np.testing.assert_array_equal(source_rows(many, INFO), np.arange(0, 12800, 4))
    np.testing.assert_array_equal(source_rows(few, INFO), np.arange(192))
    np.testing.assert_array_equal(source_rows(many, replace(INFO, simulated=False)), np.arange(12800))


def test_budgets_and_shots_shrink_with_a_twin_and_never_with_recorded_data():
    labels = np.repeat(np.arange(16), 4)
    assert shots("10%", INFO) == 80
    assert shots("7-shot", INFO) == 7
    assert per_class("7-shot", INFO, labels) == 4
    assert per_class("7-shot", replace(INFO, simulated=False), labels) == 7
    with pytest.raises(ValueError, match="unknown budget '3%'"):
        shots("3%", INFO)


def test_the_source_is_no_target():
    with pytest.raises(ValueError, match="DIGIT is the source"):
        check_target(INFO, "DIGIT")
    with pytest.raises(ValueError, match="single split"):
        check_target(replace(INFO, splits=("all",)), "Hex")
