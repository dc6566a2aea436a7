"""A few foreign pictures in a batch of the sensor's own."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.images.batch_check import LUMA, check_pictures
from bideta.images.looks import look_at, sketches
from bideta.images.odd_pictures import check_batch
from bideta.sim import HOUSEHOLD, SENSORS, presses, render


def pictures(sensor, count, seed):
    rng = np.random.default_rng(seed)
    touches = presses(HOUSEHOLD, np.arange(count) % len(HOUSEHOLD), rng, frames=1)
    return render(touches, SENSORS[sensor], seed=rng)


def grey(P):
    return np.repeat((P @ LUMA).round().astype(np.uint8)[..., None], 3, axis=-1)


@pytest.fixture(scope="module")
def mini():
    """The look of a sensor, and sketches of 40 new pictures, of the same in grey and a tenth darker."""
    look = look_at(sketches(pictures("Mini_1", 24, 1)), np.arange(24))
    new = pictures("Mini_1", 40, 2)
    return look, sketches(new), sketches(grey(new)), sketches((new * 0.9).astype(np.uint8))


def mixed(own, other, rows):
    S = own.copy()
    S[rows] = other[rows]
    return S


def test_a_few_grey_pictures_are_named_and_the_others_stay_fine(mini):
    look, own, dull, _ = mini
    found = check_batch(look, mixed(own, dull, [3, 8, 20, 31]))
    assert found.level == "fine"
    assert found.kind == "grey"
    assert found.odd == (3, 8, 20, 31)
    assert "4 of 40 pictures: these are grey" in found.warning
    assert "no reliability" in found.warning


def test_one_grey_picture_is_enough(mini):
    look, own, dull, _ = mini
    assert check_batch(look, mixed(own, dull, [5])).odd == (5,)


def test_grey_pictures_in_a_darker_batch_are_named_beside_the_shift(mini):
    look, _, dull, dark = mini
    found = check_batch(look, mixed(dark, dull, [3, 8]))
    assert (found.level, found.odd) == ("shifted", (3, 8))
    assert "2 of 40" in found.warning
    assert "darker" in found.warning


@pytest.mark.parametrize("kind", [1, 2, 3], ids=["own", "grey", "darker"])
def test_batches_that_are_all_alike_are_judged_as_before(mini, kind):
    look, S = mini[0], mini[kind]
    found = check_batch(look, S)
    assert found == check_pictures(look, S)
    assert found.odd == ()


def test_one_picture_that_looks_like_another_sensor_may_be_chance_several_are_not(mini):
    look, own, *_ = mini
    other = sketches(pictures("Mini_2", 40, 3))
    assert check_batch(look, mixed(own, other, [7])).odd == ()
    assert check_batch(look, mixed(own, other, [7, 9, 11, 30])).odd == (7, 9, 11, 30)


def test_pictures_that_are_none_are_left_alone(mini):
    look, own, dull, _ = mini
    S = mixed(own, dull, [3])
    S[5] = np.nan
    assert check_batch(look, S).odd == (3,)
    assert check_batch(look, S[5:6]).level == "unknown"
