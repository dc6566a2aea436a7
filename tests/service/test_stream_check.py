from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bideta.classifier import Classifier
from bideta.images.looks import sketches
from bideta.service.stream_check import StreamCheck


def frames(count, seed, colour=(60, 100, 150)):
    noise = np.random.default_rng(seed).normal(scale=12, size=(count, 24, 32, 3))
    return (np.array(colour) + noise).clip(0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def sensor():
    readouts = np.random.default_rng(0).normal(size=(24, 4)).astype(np.float32)
    own = sketches(frames(24, 0))
    return Classifier().fit((readouts,), np.arange(24) % 3, origin={}, sketches=own).sensor_


def test_one_grey_frame_of_a_stream_is_told_of_and_those_after_it_are_not(sensor):
    stream = StreamCheck()
    own, grey = frames(12, 1), frames(1, 2, (94, 94, 94))
    assert [stream.see(frame, sensor) for frame in own[:8]] == [{}] * 8
    odd = stream.see(grey[0], sensor)
    assert odd["level"] == "foreign"
    assert odd["warning"]
    assert [stream.see(frame, sensor) for frame in own[8:]] == [{}] * 4


def test_a_sensor_that_knows_no_look_says_nothing(sensor):
    assert StreamCheck().see(frames(1, 3)[0], replace(sensor, look=None)) == {}


def test_a_shifted_stream_is_not_told_about_a_reliability_that_it_does_not_have(sensor):
    stream = StreamCheck()
    said = [stream.see((frame * 0.8).astype(np.uint8), sensor) for frame in frames(12, 1)][-1]
    assert said["level"] == "shifted"
    assert said["warning"]
    assert "reliability" not in said["warning"]
