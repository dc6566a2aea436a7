from __future__ import annotations

import numpy as np
import pytest

import releases
from bideta.plugins import load_dataset
from bideta.protocol.draw import draw_episode, draw_support

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


def test_too_small_a_pool_is_refused():
    with pytest.raises(ValueError, match="Hex: class 0 has 100 frames, 101 labelled"):
        draw_support(LABELS, 101, 0, "Hex")
    with pytest.raises(ValueError, match="per_class is 0"):
        draw_support(LABELS, 0, 0, "Hex")


def test_an_episode_has_source_support_and_queries_of_its_target():
    dataset = load_dataset("simulated-tacquad", **releases.TINY)
    episode = draw_episode(dataset, "DuraGel", "20%", seed=3)
    assert (episode.shots, len(episode.support), len(episode.query), len(episode.source)) == (4, 8, 8, 24)
    pool = dataset.frames("DuraGel", "train")
    assert list(episode.support.ids) == [pool.ids[row] for row in episode.rows]
    np.testing.assert_array_equal(np.asarray(episode.support.images), pool.images[episode.rows])
    assert set(episode.support.ids).isdisjoint(episode.query.ids)
    assert draw_episode(dataset, "DuraGel", 2, seed=3).budget == "2-shot"


def test_an_episode_that_makes_no_sense_is_refused():
    dataset = load_dataset("simulated-tacquad", **releases.TINY)
    with pytest.raises(ValueError, match="unknown budget '1%'"):
        draw_episode(dataset, "DuraGel", "1%", 0)
    with pytest.raises(ValueError, match="DIGIT is the source"):
        draw_episode(dataset, "DIGIT", 2, 0)
