"""The handmade features: what each sees, and that a picture's readouts are its own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import fft
from scipy.ndimage import uniform_filter

from bideta.encoders import handmade
from bideta.encoders.handmade import CELLS, DIRECTIONS, RINGS, SIZE
from bideta.plugins import load_encoder

# Stored with sensors: a change of recipe must change it, nothing else may.
FINGERPRINT = "57cdd40053e09afa68e14ae2ca65a08c69ffc2aced4ca6f61a6193e83e82f362"


@pytest.fixture(scope="module")
def pictures() -> list[NDArray[np.uint8]]:
    rng = np.random.default_rng(3)
    return [rng.integers(0, 256, (*size, 3), dtype=np.uint8) for size in ((96, 96), (40, 50), (240, 320))]


def test_the_fingerprint_is_that_of_the_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_encoder("handmade").fingerprint == FINGERPRINT
    monkeypatch.setattr(handmade, "STEP", 2 / 255)
    assert load_encoder("handmade").fingerprint != FINGERPRINT


def test_readouts_of_a_picture_do_not_depend_on_its_neighbours(pictures: list[NDArray[np.uint8]]) -> None:
    encoder = load_encoder("handmade")
    together = encoder.encode(pictures)
    for batch_size in (1, 2):
        mirrored = encoder.encode(pictures[::-1], batch_size=batch_size)
        for readout, other in zip(together, mirrored, strict=True):
            np.testing.assert_array_equal(readout, other[::-1])  # to the last bit
    for row, picture in enumerate(pictures):
        for readout, alone in zip(together, encoder.encode(picture[None]), strict=True):
            np.testing.assert_array_equal(readout[row], alone[0])


def test_an_empty_picture_has_finite_readouts() -> None:
    for shade in (0, 128, 255):
        first, second, *bright = load_encoder("handmade").encode(np.full((1, 30, 30, 3), shade, np.uint8))
        np.testing.assert_allclose(first, shade / 255, atol=1e-6)
        assert np.isfinite(second).all()
        assert not any(places.any() for places in bright)


def test_light_moves_the_colours_only(pictures: list[NDArray[np.uint8]]) -> None:
    dark = pictures[0] // 2
    lit = dark + np.uint8(100)
    first, second, *bright = load_encoder("handmade").encode([dark, lit])
    np.testing.assert_allclose(first[1] - first[0], 100 / 255, atol=1e-6)
    # Points on the threshold of a binary pattern may fall to either side of it.
    np.testing.assert_allclose(second[1], second[0], atol=2e-3)
    for places in bright:
        np.testing.assert_allclose(places[1], places[0], atol=0.06)


def test_colours_are_where_they_are() -> None:
    picture = np.zeros((3, SIZE, SIZE), np.float32)
    picture[1, :8, 8:16] = 1  # green, first row, second column
    assert np.flatnonzero(handmade.colours(picture)).tolist() == [handmade.GRID**2 + 1]


def test_gradients_tell_the_direction_and_the_place() -> None:
    grey = np.zeros((SIZE, SIZE), np.float32)
    grey[:, 24:] = 1  # an upright edge in the second column of cells
    share = np.square(handmade.gradients(grey)).reshape(CELLS, CELLS, DIRECTIONS)
    assert share.sum() == pytest.approx(1)
    np.testing.assert_allclose(share[:, 1, 0], 1 / CELLS, atol=1e-6)
    fallen = np.square(handmade.gradients(grey.T.copy())).reshape(CELLS, CELLS, DIRECTIONS)
    np.testing.assert_allclose(fallen[1, :, DIRECTIONS // 2], 1 / CELLS, atol=1e-6)
    # An edge from bright to dark has the same direction.
    np.testing.assert_allclose(handmade.gradients(1 - grey), handmade.gradients(grey), atol=1e-6)


@pytest.mark.parametrize("radius", handmade.RADII)
def test_patterns_count_spots_edges_and_noise(radius: int) -> None:
    flat = np.square(handmade.patterns(np.zeros((SIZE, SIZE), np.float32), radius))
    assert flat.tolist() == [1.0, *[0.0] * 9]
    edge = np.zeros((SIZE, SIZE), np.float32)
    edge[:, 48:] = 1
    kinds = np.square(handmade.patterns(edge, radius)) * (SIZE - 2 * radius)
    np.testing.assert_allclose(kinds[3], radius)  # columns that see three brighter neighbours
    checks = (np.indices((SIZE, SIZE)).sum(0) // radius % 2).astype(np.float32)
    assert np.square(handmade.patterns(checks, radius))[9] > 0.4  # every other neighbour is no arc


def test_the_spectrum_finds_the_wave() -> None:
    for ring in (1, 5, 12):
        frequency = (ring + 0.5) / (2 * RINGS)
        wave = np.cos(2 * np.pi * frequency * np.arange(SIZE, dtype=np.float32))
        for grey in (np.tile(wave, (SIZE, 1)), np.tile(wave[:, None], SIZE)):
            assert handmade.spectrum(grey.astype(np.float32)).argmax() == ring


def test_bright_places_are_where_they_are() -> None:
    grey = np.zeros((SIZE, SIZE), np.float32)
    grey[6:12, 12:15] = 1  # half of the third cell of the second row
    places = handmade.bright_places(grey, grey.mean())
    assert np.flatnonzero(places).tolist() == [handmade.BRIGHT + 2]
    assert places[handmade.BRIGHT + 2] == 0.5
    slope = grey / 2 + np.linspace(0, 0.5, SIZE, dtype=np.float32)  # light from the right
    plain, around = handmade.readouts(np.stack([slope] * 3))[2:]
    assert np.count_nonzero(plain) > handmade.BRIGHT**2 / 3
    assert around[handmade.BRIGHT + 2] == 0.5
    assert (
        np.count_nonzero(around) < handmade.BRIGHT**2 / 8
    )  # the margin on the bright side, and the place itself


def test_surroundings_are_those_of_scipy_to_the_bit() -> None:
    rng = np.random.default_rng(0)
    for grey in (rng.random((SIZE, SIZE), np.float32), np.linspace(0, 1, SIZE**2, dtype=np.float32)):
        grey = grey.reshape(SIZE, SIZE)
        np.testing.assert_array_equal(
            handmade.surroundings(grey), uniform_filter(grey, handmade.NEIGHBOURHOOD)
        )


def test_the_spectrum_is_that_of_scipy_within_rounding() -> None:
    grey = np.random.default_rng(0).random((SIZE, SIZE), np.float32)
    waves = fft.rfft2((grey - grey.mean()).astype(np.float64))
    power = np.bincount(handmade._RING, np.abs(waves).ravel() ** 2)[:RINGS] / handmade._POINTS[:RINGS]
    np.testing.assert_allclose(handmade.spectrum(grey), np.log(power + 1e-6), atol=1e-5)
