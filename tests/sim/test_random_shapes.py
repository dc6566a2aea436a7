from __future__ import annotations

import numpy as np

from bideta.sim import HOUSEHOLD, IDENTITIES, TACVERSE, random_geometry, random_presses
from bideta.sim.random_shapes import MIN_PARTS
from bideta.sim.shapes import Geometry


def touched(geometry: Geometry) -> np.ndarray:
    steps = np.linspace(-9, 9, 45, dtype=np.float32)
    v, u = np.meshgrid(steps, steps, indexing="ij")
    return (geometry.height(u, v) > -1.0).ravel()


def test_random_geometry_is_drawn_from_the_generator_alone():
    first, second = (random_geometry(np.random.default_rng(5)) for _ in range(2))
    assert first == second
    assert first != random_geometry(np.random.default_rng(6))


def test_random_geometry_is_never_close_to_an_evaluation_object():
    rng = np.random.default_rng(0)
    classes = np.stack([touched(g) for g in (*HOUSEHOLD, *TACVERSE, *IDENTITIES)]).astype(float)
    drawn = [random_geometry(rng) for _ in range(150)]
    masks = np.stack([touched(g) for g in drawn]).astype(float)
    both = masks @ classes.T
    either = masks.sum(1)[:, None] + classes.sum(1)[None] - both
    assert (both / either).max() < 0.9  # intersection over union
    assert min(sum(not part.carve for part in g.parts) for g in drawn) >= MIN_PARTS


def test_each_random_press_has_its_own_object():
    contacts = random_presses(np.random.default_rng(0), 5, frames=3)
    assert len(contacts) == 15
    assert len(set(contacts.geometries)) == 5
    np.testing.assert_array_equal(contacts.object, contacts.press)
