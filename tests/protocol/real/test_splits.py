from __future__ import annotations

import numpy as np
import pytest

from bideta.protocol.real.sets import find_sets
from bideta.protocol.real.splits import draw_labelled, splits
from support.real_sets import write_everything


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    return splits(find_sets(write_everything(tmp_path_factory.mktemp("real"))))


def test_every_kind_of_split_is_there(every):
    named = {(split.asked.name, split.name): split for split in every}
    assert {name for one, name in named if one == "mini-day2"} == {
        "within",
        "early to late",
        "from mini-day1",
    }
    assert {name for one, name in named if one == "mini-b-day1"} == {
        "within",
        "early to late",
        "source mini-day1",
    }
    assert {name for one, name in named if one == "taps"} == {"given split"}
    assert ("objects", "minus untouched") in named
    flattered = {split.name for split in every if not split.leak_free}
    assert flattered == {"within", "early to late", "source mini-day1", "source mini-b-day1"}
    assert [split.leak_free for split in every] == sorted((s.leak_free for s in every), reverse=True)


@pytest.mark.parametrize("seed", [0, 1])
def test_no_press_is_on_both_sides(every, seed):
    for split in every:
        pool, queries = split.pools(seed)
        assert len(pool)
        assert len(queries)
        if split.labelled is split.asked:
            assert not set(split.asked.presses[pool]) & set(split.asked.presses[queries])
        assert set(split.asked.labels[queries]) == set(split.labelled.labels[pool]) == {0, 1, 2}


def test_a_source_leaves_the_draws_as_they_are_without_it(every):
    found = {split.name: split for split in every if split.asked.name == "mini-b-day1"}
    source, late = found["source mini-day1"], found["early to late"]
    assert source.drawn_as == late.drawn_as == late.name
    assert source.labelled is late.labelled is late.taught
    for ours, theirs in zip(source.pools(0), late.pools(0), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_early_presses_teach_and_late_ones_are_asked(every):
    split = next(s for s in every if (s.asked.name, s.name) == ("mini-day1", "early to late"))
    pool, queries = split.pools(0)
    for c in range(3):
        early, late = (split.asked.presses[r][split.asked.labels[r] == c] for r in (pool, queries))
        assert early.max() < late.min()


def test_labelled_contacts_are_of_different_presses_as_long_as_there_are_any(every):
    split = next(s for s in every if (s.asked.name, s.name) == ("mini-day2", "from mini-day1"))
    pool, _ = split.pools(0)
    four = draw_labelled(split.taught, pool, 4, np.random.default_rng(0))
    assert len(np.unique(split.taught.presses[four])) == len(four) == 12
    five = draw_labelled(split.taught, pool, 5, np.random.default_rng(0))
    assert len(five) == 15
    assert set(four) < set(five)
