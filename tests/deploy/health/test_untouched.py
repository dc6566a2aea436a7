from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bideta.deploy import compare_gels
from bideta.images.differences import resized
from bideta.sim import HOUSEHOLD, Conditions, Wear, presses, render

AWAY = presses(HOUSEHOLD, [0], np.random.default_rng(0), frames=1)
AWAY = replace(AWAY, depth=np.full(1, -3.0, np.float32))


def gel(seed: int = 0, **wear: float) -> np.ndarray:
    conditions = Conditions(wear=Wear(**wear) if wear else None)
    return render(AWAY, "GelSightMarker", size=96, seed=seed, conditions=conditions)[0]


def test_the_same_gel_has_nothing_to_tell() -> None:
    change = compare_gels(gel(0), gel(1))
    assert change.words() == []
    assert change.shift == 0


def test_fading_lamps_are_named() -> None:
    change = compare_gels(gel(), gel(1, fading=1.0))
    assert max(change.light) < 0
    assert any("light lost" in word for word in change.words())


def test_a_cloudy_gel_has_lost_detail() -> None:
    assert compare_gels(gel(), gel(1, haze=1.0)).contrast < -0.25


def test_markers_that_moved_are_measured() -> None:
    change = compare_gels(gel(), gel(1, slip=0.5))  # 0.6 mm each way, of 19 × 15 mm
    assert change.shift == pytest.approx(np.hypot(0.6 / 19, 0.6 / 15), abs=0.02)
    assert any("markers moved" in word for word in change.words())


def test_pictures_of_different_sizes_can_be_compared() -> None:
    assert compare_gels(gel(), resized(gel(1), 48, 48)).shift < 0.02


def test_a_grey_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="expected \\(H, W, 3\\)"):
        compare_gels(gel()[..., 0], gel())
