from __future__ import annotations

import numpy as np
import pytest

from bideta.live.contact import LEARN_FRAMES, ContactDetector, cell_means
from bideta.live.sources.simulated import PAUSE_FRAMES, Simulated
from support.live_doubles import UNTOUCHED, touched


def noisy(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.clip(image + rng.normal(0, 2, image.shape), 0, 255).astype(np.uint8)


def test_cell_means_are_the_means_of_the_parts() -> None:
    image = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    expected = image.reshape(16, 3, 16, 4, 3).mean(axis=(1, 3))
    np.testing.assert_allclose(cell_means(image), expected, atol=1e-12)


def test_a_picture_smaller_than_the_cells_is_its_own_cells() -> None:
    image = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    np.testing.assert_array_equal(cell_means(image), image)


def test_noise_alone_is_no_contact_and_a_spot_is_one() -> None:
    rng = np.random.default_rng(0)
    detector = ContactDetector()
    quiet = [detector.see(noisy(UNTOUCHED, rng)) for _ in range(300)]
    assert detector.ready
    assert not any(touch.contact for touch in quiet)
    assert detector.see(noisy(touched(8), rng)).contact
    assert not detector.see(noisy(UNTOUCHED, rng)).contact


def test_the_first_frames_are_taken_as_untouched() -> None:
    detector = ContactDetector()
    assert not any(detector.see(touched(8)).contact for _ in range(LEARN_FRAMES))
    assert not detector.see(touched(8)).contact
    detector.reset()
    assert not detector.ready


def test_slow_drift_of_the_light_is_followed() -> None:
    detector = ContactDetector()
    for step in range(1500):
        drifted = (UNTOUCHED + step // 50).astype(np.uint8)
        assert not detector.see(drifted).contact
    assert detector.see(np.clip(touched(8).astype(int) + 30, 0, 255).astype(np.uint8)).contact


def test_a_held_contact_is_not_learnt_as_background() -> None:
    rng = np.random.default_rng(0)
    detector = ContactDetector()
    for _ in range(LEARN_FRAMES):
        detector.see(noisy(UNTOUCHED, rng))
    assert all(detector.see(noisy(touched(8), rng)).contact for _ in range(2000))


def test_only_a_picture_that_changed_is_worth_encoding() -> None:
    detector = ContactDetector()
    for _ in range(LEARN_FRAMES):
        detector.see(UNTOUCHED)
    assert detector.see(touched(8)).changed
    assert not detector.see(touched(8)).changed
    assert detector.see(touched(9)).changed
    assert not detector.see(UNTOUCHED).changed
    assert detector.see(touched(9)).changed  # a new press


def test_a_change_of_format_starts_over() -> None:
    detector = ContactDetector()
    for _ in range(LEARN_FRAMES):
        detector.see(UNTOUCHED[:8, :8])
    assert detector.ready
    detector.see(UNTOUCHED)
    assert not detector.ready


@pytest.mark.parametrize("sensor", ["DIGIT", "Mini_1", "Wedge", "TacTip", "MagicTac"])
def test_simulated_presses_are_told_from_pauses(sensor: str) -> None:
    source = Simulated(sensor, fps=1e6, n_presses=4)
    source.open()
    detector = ContactDetector()
    right = []
    for number in range(320):
        picture = source.read()
        assert picture is not None
        touch = detector.see(picture.image)
        if number >= PAUSE_FRAMES:
            right.append(touch.contact == bool(picture.truth))
    assert np.mean(right) > 0.97


def test_impossible_thresholds_are_refused() -> None:
    with pytest.raises(ValueError, match="0 < leave ≤ enter"):
        ContactDetector(enter=2, leave=3)
    with pytest.raises(ValueError, match="learn_frames is 1"):
        ContactDetector(learn_frames=1)
