"""Enlarged contrast: faint marks fill the range, slow changes of the light vanish."""

from __future__ import annotations

import numpy as np

from bideta.images.contrast import enlarged_contrast


def test_a_flat_picture_is_grey():
    flat = np.full((40, 50, 3), 77, np.uint8)
    assert set(np.unique(enlarged_contrast(flat))) == {128}


def test_a_faint_mark_on_a_slope_of_light_fills_the_range():
    slope = np.repeat(np.linspace(20, 220, 128, dtype=np.uint8)[None, :, None], 128, axis=0).repeat(3, axis=2)
    touched = slope.copy()
    touched[60:68, 60:68] += 8
    shown = enlarged_contrast(touched).astype(int)
    inside, beside = shown[61:67, 61:67].mean(), shown[100:110, 60:68].mean()
    assert inside - beside > 60
    assert abs(beside - 128) < 20


def test_noise_of_one_step_is_not_blown_up():
    rng = np.random.default_rng(0)
    noisy = (100 + rng.integers(0, 2, (64, 64, 3))).astype(np.uint8)
    assert np.abs(enlarged_contrast(noisy).astype(int) - 128).max() <= 32
