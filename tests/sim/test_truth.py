"""What the simulator says is true of its contacts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bideta.sim import Geometry, Part, find_sensor, presses
from bideta.sim.truth import MODULUS, SLIP_MM, earlier, normal_force, quantities, slipped

FLAT = replace(find_sensor("GelSightMini"), barrel=0.0, keystone=0.0, dome_radius=np.inf)


def contacts(frames: int = 20, count: int = 4):
    column = Geometry("column", (Part("disc", 2.0),))
    return presses([column], np.zeros(count, int), np.random.default_rng(0), frames=frames)


def test_quantities_are_those_of_the_contacts() -> None:
    c = contacts()
    known = quantities(c, FLAT)
    assert list(known) == ["depth_mm", "tilt_x_deg", "tilt_y_deg", "x_mm", "y_mm", "force_z_N"]
    np.testing.assert_array_equal(known["depth_mm"], c.depth)
    np.testing.assert_array_equal(known["tilt_y_deg"], c.tilt_y)


def test_force_of_a_flat_stamp_is_stiffness_times_area_times_depth() -> None:
    c = contacts(frames=1)
    still = np.zeros(len(c), np.float32)
    shallow = np.linspace(0.02, 0.08, len(c), dtype=np.float32)  # deeper, the stamp's flanks touch as well
    c = replace(c, tilt_x=still, tilt_y=still, x=still, y=still, depth=shallow)
    expected = MODULUS / FLAT.gel_thickness * np.pi * 2.0**2 * c.depth
    np.testing.assert_allclose(normal_force(c, FLAT), expected, rtol=0.1)  # the grid is coarse


def test_no_force_without_touch_and_more_force_with_depth() -> None:
    c = contacts()
    apart = replace(c, depth=np.full(len(c), -30.0, np.float32))
    np.testing.assert_array_equal(normal_force(apart, FLAT), 0.0)
    deeper = replace(c, depth=c.depth + np.float32(0.1))
    assert (normal_force(deeper, FLAT) > normal_force(c, FLAT)).all()


def test_the_earlier_frame_is_of_the_same_press() -> None:
    c = contacts(frames=5, count=2)
    assert earlier(c, 2).tolist() == [0, 1, 0, 1, 2, 5, 6, 5, 6, 7]


@pytest.mark.parametrize(("drag", "slips"), [(0.0, True), (1.0, False)])
def test_an_object_slips_where_the_gel_does_not_follow(drag, slips) -> None:
    c = contacts(frames=2, count=1)
    x = np.array([0.0, 3 * SLIP_MM], np.float32)
    c = replace(
        c, x=x, y=np.zeros(2, np.float32), shear_x=np.float32(drag) * x, shear_y=np.zeros(2, np.float32)
    )
    assert slipped(c, earlier(c, 1)).tolist() == [False, slips]
