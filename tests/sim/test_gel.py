from __future__ import annotations

from dataclasses import replace

import numpy as np

from bideta.sim import SENSORS, Geometry, Part, PressRange, presses
from bideta.sim.calibration import untouched
from bideta.sim.gel import blur, enlarge, press, shrink
from bideta.sim.view import to_picture, view_of

STILL = PressRange(0, 0, (1.0, 1.0), 0, 0, 0)
PILLAR = Geometry("pillar", (Part("disc", 3.0),))
FLAT = replace(SENSORS["Mini_1"], rotation=0.0)


def still(depth: float = 1.0):
    contacts = presses((PILLAR,), [0], np.random.default_rng(0), frames=1, ranges=STILL)
    return replace(contacts, depth=np.array([depth], np.float32))


def test_a_gel_that_nothing_touches_stays_flat():
    surface = press(untouched(2), FLAT, view_of(FLAT, 64))
    assert not surface.indentation.any()
    assert surface.clearance.min() > 10


def test_the_gel_goes_deepest_under_the_object_and_sags_around_it():
    surface = press(still(), FLAT, view_of(FLAT, 64)).indentation[0]
    middle, beside, corner = surface[32, 32], surface[32, 20], surface[2, 2]
    assert 0.7 < middle < 1.0  # mm; a finite gel gives way less than the object enters
    assert middle > beside > corner >= 0


def test_a_deeper_press_indents_everywhere_at_least_as_much():
    shallow, deep = (press(still(depth), FLAT, view_of(FLAT, 64)).indentation for depth in (0.4, 0.9))
    assert (deep >= shallow - 1e-6).all()
    assert deep.sum() > 2 * shallow.sum()


def test_a_dome_is_touched_less_at_its_rim():
    ridge = Geometry("plate", (Part("box", 30.0, 30.0),))
    contacts = presses((ridge,), [0], np.random.default_rng(0), frames=1, ranges=STILL)
    curved = replace(FLAT, dome_radius=25.0)
    indentation = press(contacts, curved, view_of(curved, 64)).indentation[0]
    assert indentation[32, 32] > indentation[32, 0]


def test_tilt_raises_one_side():
    contacts = replace(still(), tilt_x=np.array([6.0], np.float32))
    surface = press(contacts, FLAT, view_of(FLAT, 64)).indentation[0]
    assert surface[32, 38] > surface[32, 26]


def test_resolution_hardly_changes_the_indentation():
    coarse = press(still(), FLAT, view_of(FLAT, 64)).indentation[0]
    fine = press(still(), FLAT, view_of(FLAT, 128)).indentation[0]
    assert np.abs(shrink(fine[None])[0] - coarse).mean() < 0.02  # mm


def test_shrinking_then_enlarging_keeps_a_constant_and_the_shape():
    for size in (64, 50, 46):
        field = np.full((2, size, size), 3.0, np.float32)
        back = enlarge(shrink(field), field.shape)
        assert back.shape == field.shape
        np.testing.assert_allclose(back, field)


def test_blur_keeps_the_mean_of_a_centred_spot():
    field = np.zeros((1, 65, 65), np.float32)
    field[0, 32, 32] = 1
    np.testing.assert_allclose(blur(field, 2.0, 3.0).sum(), 1, rtol=1e-4)


def test_picture_and_gel_directions_are_inverse_of_each_other():
    for sensor in SENSORS.values():
        view = view_of(sensor, 64)
        x, y = to_picture(sensor, view.gel_x, view.gel_y)
        np.testing.assert_allclose(x, view.x, atol=1e-4)
        np.testing.assert_allclose(y, view.y, atol=1e-4)
