from __future__ import annotations

import numpy as np
import pytest

from bideta.sim.objects import BALL, HOUSEHOLD, IDENTITIES, TACVERSE
from bideta.sim.shapes import FLOOR, OUTLINES, Geometry, Part


def grid(size: int = 81, reach: float = 9.0) -> tuple[np.ndarray, np.ndarray]:
    steps = np.linspace(-reach, reach, size, dtype=np.float32)
    v, u = np.meshgrid(steps, steps, indexing="ij")
    return u, v


def test_the_catalogues_have_the_sizes_of_the_papers_tasks():
    assert (len(HOUSEHOLD), len(TACVERSE), len(IDENTITIES)) == (16, 9, 56)
    names = [geometry.name for geometry in (*HOUSEHOLD, *TACVERSE, *IDENTITIES)]
    assert len(set(names)) == len(names)


def test_tacverse_shapes_are_the_nine_of_the_release():
    expected = ["column", "cuboid", "dots", "edge", "hexagon", "moon", "ring", "triangles", "wave"]
    assert [geometry.name for geometry in TACVERSE] == expected


@pytest.mark.parametrize("geometry", [*HOUSEHOLD, *TACVERSE, *IDENTITIES], ids=lambda g: g.name)
def test_every_object_reaches_its_highest_plane_and_never_passes_it(geometry: Geometry):
    h = geometry.height(*grid())
    assert h.dtype == np.float32
    assert h.max() <= 0
    assert h.max() > -0.2  # mm: the slots of the screw take its very top away
    assert h.min() >= FLOOR


def test_all_evaluation_objects_differ_where_a_press_touches():
    everything = [*HOUSEHOLD, *TACVERSE, *IDENTITIES]
    heights = np.stack([np.maximum(g.height(*grid()), -1.2) for g in everything]).reshape(len(everything), -1)
    for i in range(len(everything)):
        gap = np.abs(heights - heights[i]).mean(axis=1)
        gap[i] = np.inf
        assert gap.min() > 0.002, (everything[i].name, everything[int(gap.argmin())].name)


def test_a_height_field_is_the_same_on_any_grid():
    u, v = grid(41)
    for geometry in HOUSEHOLD:
        whole = geometry.height(u, v)
        np.testing.assert_array_equal(geometry.height(u[::5, ::3], v[::5, ::3]), whole[::5, ::3])


def test_a_disc_is_flat_inside_and_falls_with_its_slope_outside():
    u = np.array([0.0, 1.9, 2.5, 3.0], np.float32)
    h = Geometry("disc", (Part("disc", 2.0, slope=1.0),)).height(u, np.zeros_like(u))
    np.testing.assert_allclose(h, [0, 0, -0.5, -1.0], atol=1e-6)


def test_the_calibration_ball_follows_a_sphere_near_its_top():
    r = np.linspace(0, 1.0, 11, dtype=np.float32)
    sphere = np.sqrt(2.0**2 - r**2) - 2.0
    np.testing.assert_allclose(BALL.height(r, np.zeros_like(r)), sphere, atol=0.03)


def test_carving_only_lowers():
    u, v = grid()
    for kind in OUTLINES:
        body = Part("box", 6.0, 6.0)
        cut = Part(kind, 3.0, 5.0 if kind in ("polygon", "star") else 1.0, 0.5, top=-0.6, carve=True)
        before, after = Geometry("body", (body,)).height(u, v), Geometry("cut", (body, cut)).height(u, v)
        assert (after <= before).all(), kind
        assert (after < before).any(), kind


def test_a_turned_part_equals_the_field_seen_from_turned_axes():
    u, v = grid()
    turned = Geometry("bar", (Part("box", 4.0, 1.0, angle=90),)).height(u, v)
    np.testing.assert_allclose(turned, Geometry("bar", (Part("box", 4.0, 1.0),)).height(v, -u), atol=1e-5)
