from __future__ import annotations

import numpy as np
import pytest

from bideta.protocol.real.sets import find_sets
from support.real_sets import CLASSES, write_everything


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    return find_sets(write_everything(tmp_path_factory.mktemp("real")))


def test_sets_are_found_and_the_rest_is_left_out(sets):
    assert list(sets) == ["mini-b-day1", "mini-day1", "mini-day2", "objects", "taps"]
    assert {one.classes for one in sets.values()} == {CLASSES}
    assert len(sets["mini-day1"].paths) == 24
    assert len(np.unique(sets["mini-day1"].presses)) == 12


def test_taps_come_with_their_split_and_are_presses_of_their_own(sets):
    taps = sets["taps"]
    assert taps.queries.sum() == 9
    assert len(np.unique(taps.presses)) == len(taps.presses) == 27
    assert all(path.parts[-3] == "val" for path, query in zip(taps.paths, taps.queries, strict=True) if query)
    assert taps.backgrounds() is None


def test_every_contact_is_shown_against_its_own_untouched_frame(sets):
    objects = sets["objects"]
    plain, minus = objects.frames().images, objects.frames(minus_untouched=True).images
    assert np.asarray(plain[0]).mean() < 110
    assert all(abs(np.median(minus[row]) - 128) < 6 for row in (0, 12, 23))
    assert minus.revision() != plain.revision()
    np.testing.assert_array_equal(minus[np.array([3])][0], minus[3])
    with pytest.raises(ValueError, match="mini-day1 has no untouched frames"):
        sets["mini-day1"].frames(minus_untouched=True)


def test_a_folder_without_sets_is_refused(tmp_path):
    with pytest.raises(ValueError, match="holds no set"):
        find_sets(tmp_path)
    with pytest.raises(FileNotFoundError, match="no folder"):
        find_sets(tmp_path / "nothing")
