"""Sensors of quantities tell whose pictures they are shown, by the same look as sensors of classes."""

from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, BidetaRegressor, artifact, sensor_file
from bideta.images.looks import LIMITS, sketches
from support.quantities import contacts
from support.sensor_shift import episode


def pins(count: int, seed: int) -> np.ndarray:
    """Pictures of a sensor whose left half is a little brighter, as pins that hang aslant; presses differ by more."""
    rng = np.random.default_rng(seed)
    coarse = rng.normal(0, 20, (count, 6, 6, 1)).repeat(8, axis=1).repeat(8, axis=2)
    aslant = np.linspace(15, -15, 48)[None, None, :, None]
    return np.clip(110 + aslant + coarse, 0, 255).astype(np.uint8).repeat(3, axis=3)


@pytest.fixture(scope="module")
def fitted():
    """Contacts, and a sensor that knows how their pictures look."""
    c = contacts()
    return c, BidetaRegressor(["depth_mm", "tilt_x_deg"]).fit(
        c.support, c.values, sketches=sketches(pins(30, 0))
    )


def test_a_mirrored_batch_is_told_and_has_no_intervals(fitted) -> None:
    c, adapted = fitted
    own, plain = adapted.infer(c.queries, sketches=sketches(pins(60, 1))), adapted.infer(c.queries)
    assert own.check.level == "fine"
    np.testing.assert_array_equal(own.upper, plain.upper)
    mirrored = np.ascontiguousarray(pins(60, 1)[:, :, ::-1])
    result = adapted.infer(c.queries, sketches=sketches(mirrored))
    assert (result.check.level, result.check.kind) == ("foreign", "mirrored")
    assert "no intervals" in result.check.warning
    assert np.isnan(result.lower).all()
    assert np.isnan(result.upper).all()
    np.testing.assert_array_equal(result.value, plain.value)


def test_without_pictures_nothing_is_checked_or_withheld(fitted) -> None:
    c, adapted = fitted
    result = adapted.infer(c.queries)
    assert result.check is None
    assert np.isfinite(result.lower).all()


def test_a_withheld_interval_is_wider_than_any_that_is_of_use(fitted) -> None:
    c, adapted = fitted
    withheld = adapted.infer(c.queries).without_intervals()
    assert withheld.too_wide({"depth_mm": 1e6})[:, 0].all()
    assert not withheld.too_wide({"depth_mm": 1e6})[:, 1].any()  # nothing was asked of the tilt
    assert not withheld.too_wide({}).any()


def test_the_look_is_kept_in_the_file(fitted, tmp_path) -> None:
    c, adapted = fitted
    adapted.save(tmp_path / "a.bideta")
    loaded = BidetaRegressor.load(tmp_path / "a.bideta")
    for name in LIMITS:
        np.testing.assert_array_equal(getattr(loaded.sensor_.look, name), getattr(adapted.sensor_.look, name))
    dark = sketches(np.zeros((3, 48, 48, 3), np.uint8))
    assert loaded.infer(c.queries, sketches=dark).check == adapted.infer(c.queries, sketches=dark).check
    assert loaded.infer(c.queries, sketches=dark).check.level == "foreign"


def test_a_file_without_a_look_loads_answers_as_before_and_cannot_tell(fitted, tmp_path) -> None:
    c, adapted = fitted
    path = tmp_path / "old.bideta"
    adapted.save(path)
    header, arrays = artifact.read(path)
    artifact.write(path, header, {name: A for name, A in arrays.items() if not name.startswith("look.")})
    loaded = BidetaRegressor.load(path)
    result = loaded.infer(c.queries, sketches=sketches(np.zeros((3, 48, 48, 3), np.uint8)))
    assert result.check.level == "unknown"
    assert result.check.warning == ""
    for name in ("value", "lower", "upper"):
        np.testing.assert_array_equal(getattr(result, name), getattr(adapted.infer(c.queries), name))


@pytest.mark.parametrize("name", [f"look.{name}" for name in LIMITS])
def test_a_damaged_look_is_refused(fitted, tmp_path, name) -> None:
    path = tmp_path / "a.bideta"
    fitted[1].save(path)
    header, arrays = artifact.read(path)
    for hostile in (np.full_like(arrays[name], np.nan), np.full_like(arrays[name], -1.0), np.zeros(99999)):
        artifact.write(path, header, {**arrays, name: hostile})
        with pytest.raises(artifact.ArtifactError, match="look"):
            BidetaRegressor.load(path)
    artifact.write(path, header, {key: array for key, array in arrays.items() if key != name})
    with pytest.raises(artifact.ArtifactError, match="incompatible"):
        BidetaRegressor.load(path)


def test_a_file_of_classes_and_quantities_has_one_look(fitted, tmp_path) -> None:
    e, path = episode(), tmp_path / "both.bideta"
    plain = Bideta().fit(e.support, e.labels)
    sensor_file.save(plain.sensor(), path, fitted[1].sensor_)
    kept = Bideta.load(path).sensor_.look
    np.testing.assert_array_equal(kept.mean, fitted[1].sensor_.look.mean)
    seen = Bideta().fit(e.support, e.labels, sketches=sketches(pins(len(e.labels), 5)))
    sensor_file.save(seen.sensor(), path, fitted[1].sensor_)
    for loaded in (Bideta.load(path), BidetaRegressor.load(path)):
        np.testing.assert_array_equal(loaded.sensor_.look.mean, seen.sensor_.look.mean)
