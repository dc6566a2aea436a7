from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bideta.sim import HOUSEHOLD, SENSORS, TACVERSE, Conditions, PressRange, find_sensor, presses, render
from bideta.sim.calibration import calibration_contacts, untouched

STILL = PressRange(0, 0, (1.0, 1.0), 0, 0, 0)
GOLDEN = Path(__file__).parent / "golden.json"
SILENT = Conditions(noise=0)


def frames(count: int = 4, **settings):
    return presses(HOUSEHOLD, np.arange(count), np.random.default_rng(0), frames=3, **settings)


def middles(geometries) -> object:
    contacts = presses(geometries, np.arange(len(geometries)), np.random.default_rng(0), ranges=STILL)
    return contacts[np.arange(len(geometries)) * 20 + 9]


@pytest.mark.parametrize("name", SENSORS)
def test_every_sensor_renders_the_same_pixels_for_the_same_seed(name: str):
    first, second = render(frames(), name, seed=3), render(frames(), name, seed=3)
    assert first.shape == (12, 64, 64, 3)
    assert first.dtype == np.uint8
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, render(frames(), name, seed=4))


@pytest.mark.parametrize("name", SENSORS)
def test_every_tacverse_shape_changes_every_sensors_picture(name: str):
    resting = render(untouched(), name, conditions=SILENT)[0].astype(float)
    pressed = render(middles(TACVERSE), name, conditions=SILENT).astype(float)
    change = np.abs(pressed - resting).mean(axis=(1, 2, 3))
    assert change.min() > 1.0  # grey levels, averaged over the whole picture


@pytest.mark.parametrize("name", SENSORS)
def test_no_two_shapes_look_alike_on_any_sensor(name: str):
    pressed = render(middles(TACVERSE), name, conditions=SILENT).astype(float)
    for i in range(len(pressed)):
        others = np.delete(pressed, i, axis=0)
        assert np.abs(others - pressed[i]).mean(axis=(1, 2, 3)).min() > 0.7, TACVERSE[i].name


def test_pictures_are_neither_black_nor_burnt_out():
    for name in SENSORS:
        pictures = render(frames(), name)
        assert 30 < pictures.mean() < 200, name
        assert (pictures == 255).mean() < 0.05, name


def test_the_same_contacts_on_two_sensors_are_a_pair():
    contacts = middles(HOUSEHOLD[:1])
    plain, marked = (
        render(contacts, replace(find_sensor("GelSightMarker"), skin=skin), conditions=SILENT).astype(float)
        for skin in (find_sensor("GelSightNoMarker").skin, find_sensor("GelSightMarker").skin)
    )
    same = (np.abs(plain - marked) < 1).all(axis=-1)
    assert 0.4 < same.mean() < 0.98  # only where a marker is printed do they differ


def test_batching_does_not_change_pictures_without_noise():
    contacts = frames(10)
    whole = render(contacts, "TacTip", conditions=SILENT)
    parts = [render(contacts[i : i + 7], "TacTip", conditions=SILENT) for i in range(0, len(contacts), 7)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_noise_has_the_sensors_level():
    contacts = untouched(8)
    noisy = render(contacts, "Mini_4").astype(float)
    spread = noisy.std(axis=0).mean()
    assert 2.0 < spread < 3.0  # grey levels; the design says 2.5


def test_drift_differs_between_presses_and_not_within():
    contacts = replace(untouched(6), press=np.array([0, 0, 0, 1, 1, 1]))
    mean = render(contacts, "DIGIT", conditions=Conditions(noise=0, drift=0.2)).mean(axis=(1, 2, 3))
    assert np.ptp(mean[:3]) == 0
    assert np.ptp(mean[3:]) == 0
    assert abs(mean[0] - mean[3]) > 1


def test_a_mirror_flips_the_picture_of_a_symmetric_sensor():
    plain = replace(find_sensor("ViTac"), mirror=False, texture=0.0, barrel=0.0)
    contacts = middles(HOUSEHOLD[:1])
    straight, mirrored = (
        render(contacts, design, conditions=SILENT)[0].astype(float)
        for design in (plain, replace(plain, mirror=True))
    )
    assert np.abs(straight[:, ::-1] - mirrored).mean() < 1.0
    assert np.abs(straight - mirrored).mean() > 2.0


@pytest.mark.parametrize("name", ["TacTip", "MagicTac", "GelSightMarker"])
def test_dragging_moves_the_skins_pattern(name: str):
    contacts = middles(TACVERSE[1:2])
    dragged = replace(contacts, shear_x=np.array([0.8], np.float32))
    before, after = (render(c, name, conditions=SILENT).astype(float) for c in (contacts, dragged))
    assert np.abs(before - after).mean() > 1.0


def test_any_even_size_shows_the_same_scene():
    for name in ("DIGIT", "TacTip", "MagicGripper"):
        small = render(middles(HOUSEHOLD[:2]), name, size=64, conditions=SILENT).astype(float)
        large = render(middles(HOUSEHOLD[:2]), name, size=128, conditions=SILENT).astype(float)
        pooled = large.reshape(2, 64, 2, 64, 2, 3).mean(axis=(2, 4))
        # Averaging after the tone curve is not averaging light: high-contrast pins differ by a few levels.
        assert np.abs(small - pooled).mean() < 8.0, name
        assert np.corrcoef(small.ravel(), pooled.ravel())[0, 1] > 0.97, name


@pytest.mark.parametrize("size", [0, 7, 65])
def test_an_odd_or_tiny_size_is_refused(size: int):
    with pytest.raises(ValueError, match=f"size is {size}"):
        render(frames(), "DIGIT", size=size)


def test_an_unknown_sensor_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"Did you mean 'DIGIT'.*Known: DIGIT, "):
        render(frames(), "DIGITS")


def test_calibration_presses_land_row_by_row_from_the_top_left():
    for name in ("DIGIT", "Wedge", "Hex", "Mini_2"):
        design = replace(find_sensor(name), keystone=0.0)
        pictures = render(calibration_contacts(design), design, conditions=SILENT).astype(float)
        assert len(pictures) == 19
        change = np.abs(pictures[1:] - pictures[0]).sum(axis=-1).reshape(18, -1)
        row, column = np.divmod(change.argmax(axis=1), 64)
        np.testing.assert_allclose(row / 64, np.tile(np.repeat([0.2, 0.5, 0.8], 3), 2), atol=0.1)
        np.testing.assert_allclose(column / 64, np.tile([0.2, 0.5, 0.8], 6), atol=0.1)


def summary(name: str) -> list[int]:
    """Block means of the picture of a key: small enough to store, sharp enough to notice a changed renderer."""
    picture = render(middles(HOUSEHOLD[:1]), name, conditions=SILENT)[0].astype(float)
    return [round(v) for v in picture.reshape(4, 16, 4, 16, 3).mean(axis=(1, 3)).ravel()]


@pytest.mark.parametrize("name", SENSORS)
def test_pictures_match_the_stored_ones(name: str):
    """Encoders are trained on these pixels. Regenerate, if it must be: python tests/sim/test_render.py"""
    np.testing.assert_allclose(summary(name), json.loads(GOLDEN.read_text())[name], atol=1)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps({name: summary(name) for name in SENSORS}) + "\n")
