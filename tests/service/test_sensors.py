from __future__ import annotations

import re

import numpy as np
import pytest

from bideta import Bideta, load_encoder
from bideta.artifact import ArtifactError
from bideta.service.backgrounds import load_against
from bideta.service.sensors import colour_warning, describe_origin, open_sensor
from support.releases import tiny_onnx


@pytest.fixture(scope="module")
def encoder():
    return load_encoder("twin-tvl", threads=1)


@pytest.fixture(scope="module")
def readouts(encoder):
    return encoder.encode(np.random.default_rng(0).integers(0, 255, (6, 20, 24, 3), dtype=np.uint8))


@pytest.fixture
def path(tmp_path, encoder, readouts):
    origin = describe_origin(
        "twin-tvl", {"threads": 1}, encoder.fingerprint, readouts, (1.0, 2.0, 3.0), tuned="x"
    )
    path = tmp_path / "sensor.bideta"
    Bideta().fit(readouts, ["a", "b"] * 3, range(6), origin=origin).save(path)
    return path


def test_a_file_remembers_its_encoder_and_is_opened_with_it(path, encoder, readouts):
    opened = open_sensor(path, None, {})
    assert opened.encoder.fingerprint == encoder.fingerprint
    assert not opened.warning
    origin = opened.adapted.sensor_.origin
    assert (origin["encoder"], origin["settings"], origin["tuned"]) == ("twin-tvl", {"threads": 1}, "x")
    assert (origin["support"], origin["colour"]) == (6, [1.0, 2.0, 3.0])
    assert origin["readouts"] == opened.adapted.sensor_.widths == list(encoder.info.readouts)
    assert opened.adapted.predict(readouts).tolist() == ["a", "b"] * 3


def test_another_encoder_is_refused(path):
    with pytest.raises(ArtifactError, match="other weights or other preprocessing"):
        open_sensor(path, "twin-sparsh", {})


def test_a_file_from_python_is_opened_on_trust_where_the_widths_fit(tmp_path, readouts):
    path = tmp_path / "x.bideta"
    Bideta().fit(readouts, ["a", "b"] * 3).save(path)
    with pytest.raises(ArtifactError, match="does not say which encoder"):
        open_sensor(path, None, {})
    assert "taken on trust" in open_sensor(path, "twin-tvl", {"threads": 1}).warning
    Bideta().fit(readouts[0], ["a", "b"] * 3).save(path)
    with pytest.raises(ArtifactError, match="it was made with another encoder"):
        open_sensor(path, "twin-tvl", {})


def test_exchanged_colours_are_pointed_out_and_others_are_not():
    support = {"colour": [200, 100, 20]}
    assert "red and blue look exchanged" in colour_warning(support, (22, 101, 199))
    assert not colour_warning(support, (199, 101, 22))
    assert not colour_warning({"colour": [101, 100, 99]}, (99, 100, 101))
    assert not colour_warning({}, (22, 101, 199))
    for strange in ("abc", [1, 2], [1, 2, "3"], {"a": 1}, 7):
        assert not colour_warning({"colour": strange}, (22, 101, 199))


def test_a_sensor_of_several_encoders_is_opened_with_them(tmp_path):
    name, settings = "handmade+twin-tvl", {"twin-tvl.threads": 1}
    encoder = load_encoder(name, **settings)
    readouts = encoder.encode(np.random.default_rng(0).integers(0, 255, (6, 20, 24, 3), dtype=np.uint8))
    origin = describe_origin(name, settings, encoder.fingerprint, readouts, (1.0, 2.0, 3.0))
    path = tmp_path / "sensor.bideta"
    Bideta().fit(readouts, ["a", "b"] * 3, range(6), origin=origin).save(path)
    opened = open_sensor(path, None, {})
    assert opened.encoder.fingerprint == encoder.fingerprint
    assert opened.adapted.sensor_.widths == list(encoder.info.readouts)
    with pytest.raises(ArtifactError, match="other weights or other preprocessing"):
        open_sensor(path, "twin-tvl+handmade", {})  # the order matters


@pytest.mark.parametrize(
    "hostile",
    [
        {"download": True},
        {"threads": 5000},
        {"weights": "/etc/hostname"},
        {"device": "nowhere"},
        {"unheard_of": 1},
        {"twin-tvl.threads": 5000},
    ],
)
def test_a_file_does_not_decide_what_is_opened_fetched_or_started(
    tmp_path, encoder, readouts, hostile, monkeypatch
):
    path = tmp_path / "sensor.bideta"
    origin = describe_origin("twin-tvl", hostile, encoder.fingerprint, readouts, (1.0, 2.0, 3.0))
    Bideta().fit(readouts, ["a", "b"] * 3, origin=origin).save(path)
    given = []
    monkeypatch.setattr(
        "bideta.service.backgrounds.load_plugin", lambda *a, download: given.append((*a, download)) or encoder
    )
    open_sensor(path, None, {})
    open_sensor(path, "twin-tvl", {"threads": 2})
    assert given == [("encoder", "twin-tvl", {}, False), ("encoder", "twin-tvl", {"threads": 2}, False)]


def test_settings_that_change_numbers_come_from_the_file(tmp_path, readouts):
    control = load_encoder("twin-tvl", random_weights=True, seed=3)
    settings = {"random_weights": True, "seed": 3, "weights": None}
    origin = describe_origin("twin-tvl", settings, control.fingerprint, readouts, (1.0, 2.0, 3.0))
    path = tmp_path / "sensor.bideta"
    Bideta().fit(readouts, ["a", "b"] * 3, origin=origin).save(path)
    assert open_sensor(path, None, {}).encoder.fingerprint == control.fingerprint
    with pytest.raises(ArtifactError, match=r'the file notes "weights=.*you do: --set NAME=VALUE'):
        open_sensor(path, None, {"seed": 4})


@pytest.mark.parametrize("name", ["onnx:{}", "handmade+onnx:{}", "difference:onnx:{}"])
def test_the_file_of_an_encoder_is_named_by_the_person(tmp_path, name):
    pytest.importorskip("onnx")
    typed = name.format(tiny_onnx(tmp_path / "tiny.onnx"))
    frames = np.random.default_rng(0).integers(0, 255, (6, 20, 24, 3), dtype=np.uint8)
    settings = {"mean": [0.5] * 3, "std": [0.5] * 3}
    loaded = load_against(typed, settings, frames[0])
    readouts = loaded.encode(frames)
    origin = describe_origin(typed, settings, loaded.fingerprint, readouts, (1.0, 2.0, 3.0))
    path = tmp_path / "sensor.bideta"
    Bideta().fit(readouts, ["a", "b"] * 3, origin=origin, background=frames[0]).save(path)
    with pytest.raises(
        ArtifactError, match=rf"type where it is here, with --encoder {re.escape(name.format('FILE'))}"
    ):
        open_sensor(path, None, {})
    assert open_sensor(path, typed, {}).encoder.fingerprint == loaded.fingerprint


@pytest.mark.parametrize(
    "origin",
    [
        {"fingerprint": "x", "encoder": 3, "settings": {}},
        {"fingerprint": "x", "encoder": "twin-tvl", "settings": [1]},
        {"fingerprint": None, "encoder": "twin-tvl", "settings": {}},
        {"fingerprint": "x", "encoder": "h" * 10_000, "settings": {}},
    ],
)
def test_an_origin_that_bideta_did_not_write_is_refused(tmp_path, readouts, origin):
    path = tmp_path / "sensor.bideta"
    Bideta().fit(readouts, ["a", "b"] * 3, origin=origin).save(path)
    with pytest.raises(ArtifactError, match="adapt again"):
        open_sensor(path, None, {})
