"""Recording order with drift: the leak test finds it where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from bideta import load_dataset
from bideta.deploy.trust.leak import leak


def coarse(images):
    """8 × 8 coarse colours of every picture."""
    X = np.asarray(images, np.float32)
    return X.reshape(len(X), 8, X.shape[1] // 8, 8, X.shape[2] // 8, 3).mean(axis=(2, 4)).reshape(len(X), -1)


def measured(order, seed=0):
    twin = load_dataset("simulated-sitr", scale=0.1, seed=seed, size=32, order=order)
    sensor = twin.sensors[1]
    empty = twin.untouched(sensor, "train")
    return leak((coarse(empty.images),), empty.labels)


def test_by_class_the_background_tells_the_class():
    found = measured("by class")
    assert found.found
    assert found.accuracy > 3 * found.chance


@pytest.mark.parametrize("order", ["", "mixed"])
def test_otherwise_it_does_not(order):
    assert not measured(order).found


def test_by_default_nothing_wanders_and_contacts_stay_the_same():
    plain, drifted = (
        load_dataset("simulated-tacverse", scale=0.02, size=16, order=o) for o in ("", "by class")
    )
    sensor = plain.sensors[0]
    assert plain.recording(sensor).session is None
    before, after = (np.asarray(twin.frames(sensor, "test").images[:]) for twin in (plain, drifted))
    assert before.shape == after.shape
    assert (before != after).any()
    assert np.abs(before.astype(int) - after).mean() < 25
    np.testing.assert_array_equal(
        plain.contacts(sensor, "test").columns()[1], drifted.contacts(sensor, "test").columns()[1]
    )


def test_frames_and_batches_see_the_same_session():
    twin = load_dataset("simulated-tacquad", scale=0.1, size=16, order="by class")
    sensor = twin.sensors[0]
    pictures = twin.recording(sensor)
    some = pictures.session(np.full((2, 16, 16, 3), 100, np.uint8), pictures.contacts.press[[0, -1]])
    assert (some[0] != some[1]).any()
    untouched = twin.untouched(sensor, "train")
    assert len(untouched) == len(twin.info.classes)


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match="order is 'random', expected"):
        load_dataset("simulated-sitr", order="random")
