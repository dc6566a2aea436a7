"""Every reason on small simulated sensors; oracles of the statistics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bideta.images.batch_check import (
    INTERVALS,
    LUMA,
    RELIABILITY,
    BatchCheck,
    check_distances,
    check_pictures,
)
from bideta.images.looks import LIMITS, MOST_PRESSES, PIXELS, WIDTH, Look, look_at, sketch, sketches
from bideta.sim import HOUSEHOLD, SENSORS, presses, render
from bideta.sim.calibration import untouched


def pictures(sensor: str, count: int, seed: int):
    rng = np.random.default_rng(seed)
    return render(
        presses(HOUSEHOLD, np.arange(count) % len(HOUSEHOLD), rng, frames=1), SENSORS[sensor], seed=rng
    )


@pytest.fixture(scope="module")
def mini():
    """Look, background and new pictures of a simulated sensor."""
    background = render(untouched(), SENSORS["Mini_1"], seed=9)[0]
    labelled = pictures("Mini_1", 24, 1)
    return look_at(sketches(labelled), np.arange(24), background), background, pictures("Mini_1", 12, 2)


CHANGES = {
    "grey": lambda P: np.repeat((P @ LUMA).round().astype(np.uint8)[..., None], 3, axis=-1),
    "bgr": lambda P: P[..., ::-1],
    "mirrored": lambda P: P[:, :, ::-1],
    "upside down": lambda P: P[:, ::-1],
    "turned": lambda P: P[:, ::-1, ::-1],
    "cut": lambda P: P[:, P.shape[1] // 4 : -P.shape[1] // 4, P.shape[2] // 4 : -P.shape[2] // 4],
    "another shape": lambda P: P[:, : P.shape[1] * 4 // 5],
}


@pytest.mark.parametrize("m", [1, 12])
def test_genuine_pictures_are_not_foreign(mini, m) -> None:
    look, background, new = mini
    check = check_pictures(look, sketches(new[:m]), background)
    assert check.level == "fine"
    assert check.reason == check.warning == check.kind == ""


@pytest.mark.parametrize("kind", CHANGES)
def test_a_changed_batch_is_foreign_and_the_reason_is_named(mini, kind) -> None:
    look, background, new = mini
    changed = np.ascontiguousarray(CHANGES[kind](new))
    check = check_pictures(look, sketches(changed), background)
    assert (check.level, check.kind) == ("foreign", kind)
    assert "no reliability" in check.warning


def test_a_warning_speaks_of_what_the_answers_come_with() -> None:
    shifted = BatchCheck("shifted", "these are 20 % darker")
    assert shifted.warning == "these are 20 % darker. Answers are given, their reliability is lowered"
    assert replace(shifted, gives=(INTERVALS,)).warning == (
        "these are 20 % darker. Answers are given, their intervals may be too narrow"
    )
    both = replace(shifted, gives=(RELIABILITY, INTERVALS)).warning
    assert both.endswith("given, their reliability is lowered, their intervals may be too narrow")
    assert replace(shifted, gives=()).warning == "these are 20 % darker"
    foreign = BatchCheck("foreign", "these are grey")
    assert foreign.warning.endswith("no reliability is given")
    assert replace(foreign, gives=(INTERVALS,)).warning.endswith("no intervals are given")
    assert replace(foreign, gives=(RELIABILITY, INTERVALS)).warning.endswith(
        "no reliability and no intervals are given"
    )
    assert replace(foreign, gives=()).warning == "these are grey"


def test_darker_lamps_of_a_smooth_picture_are_no_cut() -> None:
    y, x = np.mgrid[-1:1:48j, -1:1:48j]
    lit = np.array([150, 140, 130]) * (1 + 0.16 * (x**2 + y**2)[..., None])  # lamps stand at the edges
    rng = np.random.default_rng(0)

    def pressed(count: int) -> np.ndarray:
        contact = rng.normal(0, 8, (count, 4, 4, 1)).repeat(12, axis=1).repeat(12, axis=2)
        return np.clip(lit + contact, 0, 255).astype(np.uint8)

    look, new = look_at(sketches(pressed(40)), np.arange(40)), pressed(20)
    cut = np.ascontiguousarray(CHANGES["cut"](new))
    darker = check_pictures(look, sketches((new * 0.9).astype(np.uint8)))
    assert (darker.level, darker.kind) == ("shifted", "darker")
    found = check_pictures(look, sketches(cut))
    assert (found.level, found.kind) == ("foreign", "cut")


@pytest.mark.parametrize("kind", ["mirrored", "upside down", "turned"])
def test_many_pictures_tell_what_one_of_a_nearly_symmetric_sensor_does_not(kind) -> None:
    rng = np.random.default_rng(0)
    slope = np.linspace(6, -6, 48)
    base = 110 + slope[:, None, None] + slope[None, :, None]

    def pressed(count: int) -> np.ndarray:
        contact = rng.normal(0, 10, (count, 6, 6, 1)).repeat(8, axis=1).repeat(8, axis=2)
        return (base + contact).astype(np.uint8).repeat(3, axis=3)

    look = look_at(sketches(pressed(60)), np.arange(60))
    new = pressed(64)
    changed = np.ascontiguousarray(CHANGES[kind](new))
    assert check_pictures(look, sketches(new)).level == "fine"
    assert check_pictures(look, sketches(changed)).kind == kind
    alone = [check_pictures(look, S[None]).kind == kind for S in sketches(changed)]
    assert np.mean(alone) < 0.95


def test_pictures_of_another_sensor_are_foreign(mini) -> None:
    look, background, _ = mini
    for other in ("Mini_2", "Wedge"):
        check = check_pictures(look, sketches(pictures(other, 8, 3)), background)
        assert check.level == "foreign", other


def test_a_known_change_that_explains_little_is_not_the_reason(mini) -> None:
    look, _, new = mini
    S = sketches(np.ascontiguousarray(CHANGES["bgr"](new)))
    far = np.where(np.arange(PIXELS) % 2, 1.0, -1.0) * 8 * look.spread  # much farther from BGR than the limit
    S[:, :PIXELS] = np.clip(S[:, :PIXELS] + far, 0, 255)
    assert check_pictures(look, S).kind == "another sensor"


def test_untouched_frames_are_told_where_the_background_is_known(mini) -> None:
    look, background, _ = mini
    empty = render(untouched(6), SENSORS["Mini_1"], seed=5)
    assert check_pictures(look, sketches(empty), background).kind == "nothing touches"
    assert check_pictures(look, sketches(empty)).kind != "nothing touches"


def test_a_darker_light_is_a_shift(mini) -> None:
    look, background, new = mini
    levels = []
    for light in (1.0, 0.98, 0.97, 0.96, 0.95, 0.94, 0.92, 0.3):
        S = sketches((new * light).astype(np.uint8))
        levels.append(check_pictures(look, S, background).level)
    assert levels[0] == "fine"
    assert levels[-1] == "foreign"
    assert "shifted" in levels
    assert levels == sorted(levels, key=["fine", "shifted", "foreign"].index)


@pytest.mark.parametrize(("light", "kind"), [(0.8, "darker"), (1.1, "brighter")])
@pytest.mark.parametrize("m", [1, 12])
def test_lamps_that_are_evenly_brighter_or_darker_are_a_shift_and_are_named(mini, light, kind, m) -> None:
    look, background, new = mini
    other = np.clip(new[:m] * light, 0, 255).astype(np.uint8)
    check = check_pictures(look, sketches(other), background)
    assert (check.level, check.kind) == ("shifted", kind)
    assert "% " + kind in check.warning


def test_a_single_colour_that_is_brighter_is_no_change_of_the_lamps_as_a_whole(mini) -> None:
    look, background, new = mini
    other = np.clip(new * np.array([1.4, 1.0, 0.7]), 0, 255).astype(np.uint8)
    assert check_pictures(look, sketches(other), background).level == "foreign"


def test_what_is_no_picture_has_no_sketch_and_is_unknown(mini) -> None:
    odd = ["text", np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8)]
    assert np.isnan(sketches(odd)).all()
    assert check_pictures(mini[0], sketches(odd)).level == "unknown"
    assert check_pictures(mini[0], sketches([])).level == "unknown"


@pytest.mark.parametrize("shape", [(1, 1), (1, 500), (7, 3), (480, 640)])
def test_a_picture_of_any_size_has_a_sketch(shape) -> None:
    S = sketch(np.full((*shape, 3), (10, 20, 30), np.uint8))
    assert S.shape == (WIDTH,)
    np.testing.assert_array_equal(S[:PIXELS].reshape(-1, 3), np.tile([10, 20, 30], (PIXELS // 3, 1)))
    np.testing.assert_array_equal(S[PIXELS:], [0, *shape])


def test_a_press_is_hidden_from_its_own_look() -> None:
    S = sketches(pictures("Mini_1", 6, 4))
    look = look_at(S, np.arange(6))
    slow = sorted(
        np.sqrt(np.mean(((S[i, :PIXELS] - rest.mean) / rest.spread) ** 2))
        for i in range(6)
        for rest in [look_at(np.delete(S, i, axis=0), np.arange(5))]
    )
    np.testing.assert_allclose(look.hidden, slow, rtol=1e-4)


def test_frames_of_one_press_count_once() -> None:
    S = sketches(pictures("Mini_1", 6, 4))
    twice = look_at(np.concatenate([S, S[:1], S[:1]]), [*range(6), 0, 0])
    np.testing.assert_allclose(twice.mean, look_at(S, np.arange(6)).mean)
    assert look_at(S, np.zeros(6, int)) is None  # one press says nothing about how presses vary


def test_a_look_survives_as_arrays(mini) -> None:
    again = Look.of_arrays(mini[0].arrays())
    for name in LIMITS:
        np.testing.assert_array_equal(getattr(again, name), getattr(mini[0], name))


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 1e9])
def test_hostile_numbers_of_a_look_are_refused(mini, name, value) -> None:
    arrays = mini[0].arrays()
    arrays[name] = np.full_like(arrays[name], value)
    with pytest.raises(ValueError, match=rf"look\.{name}"):
        Look.of_arrays(arrays)


def test_hostile_shapes_of_a_look_are_refused(mini) -> None:
    arrays = mini[0].arrays()
    for name, array in {
        "mean": np.zeros(7),
        "spread": np.ones((2, PIXELS)),
        "hidden": np.zeros(MOST_PRESSES + 1),
        "touch": np.zeros(0),
        "facts": np.zeros(3, np.int64),
    }.items():
        with pytest.raises(ValueError, match=rf"look\.{name}"):
            Look.of_arrays({**arrays, name: array})
    with pytest.raises(ValueError, match="no pixels"):
        Look.of_arrays({**arrays, "facts": np.zeros(3)})


def test_far_readouts_are_shifted_then_foreign() -> None:
    hidden = np.random.default_rng(0).normal(size=50)
    assert check_distances(hidden, hidden).level == "fine"
    assert check_distances([6.0], hidden).level == "shifted"
    assert check_distances([60.0], hidden).level == "foreign"
    assert check_distances([6.0], hidden[:2]).level == check_distances([], hidden).level == "unknown"
