from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, load_encoder
from bideta.artifact import ArtifactError
from bideta.service.sensors import colour_warning, describe_origin, open_sensor


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
