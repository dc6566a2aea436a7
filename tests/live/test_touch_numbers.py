"""Touch as numbers, and LeRobot's contract with stand-ins for its base classes where the library is not installed."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import ClassVar

import numpy as np
import pytest

from bideta import Bideta, load_encoder
from bideta.images.looks import sketches
from bideta.live.sources import Simulated
from bideta.live.touch_numbers import TouchNumbers


@pytest.fixture(scope="module")
def film():
    source = Simulated("Hex", fps=1e6, n_presses=2)
    source.open()
    return [source.read() for _ in range(160)]


@pytest.fixture(scope="module")
def sensor(film, tmp_path_factory):
    encoder = load_encoder("handmade")
    touched = [picture for picture in film if picture.truth][::4]
    readouts = encoder.encode(np.stack([picture.image for picture in touched]))
    origin = {"encoder": "handmade", "settings": {}, "fingerprint": encoder.fingerprint}
    path = tmp_path_factory.mktemp("sensor") / "hex.bideta"
    Bideta().fit(readouts, [f"{picture.truth}/1" for picture in touched], origin=origin).save(path)
    return path


def test_every_number_has_a_name_of_its_own_and_is_zero_without_contact(film, sensor):
    touch = TouchNumbers(sensor)
    assert touch.names[0] == "touch.contact"
    assert not any("/" in name for name in touch.names)
    told = []
    for picture in film:
        numbers = touch.see(picture.image)
        assert list(numbers) == touch.names
        contact, *shares, foreign = numbers.values()
        assert foreign == 0  # nothing is kept of how its pictures looked
        assert sum(shares) == pytest.approx(contact)
        if contact and picture.truth:
            told.append(touch.names[1 + int(np.argmax(shares))] == f"touch.{picture.truth}_1")
    assert len(told) > 50
    assert np.mean(told) > 0.75  # frames at the begin of a press show little


def test_frames_of_another_sensor_are_told_by_a_number_of_their_own(film, tmp_path):
    encoder = load_encoder("handmade")
    touched = [picture for picture in film if picture.truth][::4]
    images = np.stack([picture.image for picture in touched])
    origin = {"encoder": "handmade", "settings": {}, "fingerprint": encoder.fingerprint}
    adapted = Bideta().fit(
        encoder.encode(images),
        [picture.truth for picture in touched],
        origin=origin,
        sketches=sketches(images),
    )
    adapted.save(tmp_path / "a.bideta")
    touch = TouchNumbers(tmp_path / "a.bideta")
    assert touch.names[-1] == "touch.foreign"
    for change, expected in ((lambda image: image, {0.0}), (lambda image: image[:, ::-1], {1.0})):
        touch.reset()
        numbers = [touch.see(np.ascontiguousarray(change(picture.image))) for picture in film]
        assert {told["touch.foreign"] for told in numbers if told["touch.contact"]} == expected
        assert {told["touch.foreign"] for told in numbers if not told["touch.contact"]} <= {0.0}


@pytest.mark.parametrize("name", ["contact", "foreign"])
def test_a_class_with_the_name_of_another_number_is_refused(name, tmp_path):
    encoder = load_encoder("handmade")
    images = np.random.default_rng(0).integers(0, 255, (4, 64, 64, 3), np.uint8)
    origin = {"encoder": "handmade", "settings": {}, "fingerprint": encoder.fingerprint}
    Bideta().fit(encoder.encode(images), [name, name, "bolt", "bolt"], origin=origin).save(
        tmp_path / "a.bideta"
    )
    with pytest.raises(ValueError, match=f"a class is called {name}"):
        TouchNumbers(tmp_path / "a.bideta")


def test_a_new_episode_begins_without_memory(film, sensor):
    touch = TouchNumbers(sensor)
    first = [touch.see(picture.image) for picture in film[:60]]
    touch.reset()
    assert [touch.see(picture.image) for picture in film[:60]] == first


@pytest.fixture
def stand_in(monkeypatch):
    """Modules with the names that LeRobot documents."""
    if "lerobot" in sys.modules:
        pytest.skip("the library itself is tested")

    class Registry:
        known: ClassVar[dict[str, type]] = {}

        @classmethod
        def register(cls, name):
            return lambda step: cls.known.setdefault(name, step)

    class CameraConfig:
        def __init__(self, fps=None, width=None, height=None):
            self.fps, self.width, self.height = fps, width, height

        @classmethod
        def register_subclass(cls, name):
            return lambda config: config

    camera = type("Camera", (), {"__init__": lambda self, config: None})
    contents = {
        "lerobot": {},
        "lerobot.processor": {"ObservationProcessorStep": object, "ProcessorStepRegistry": Registry},
        "lerobot.configs": {},
        "lerobot.configs.types": {"PipelineFeatureType": type("Kinds", (), {"OBSERVATION": "OBSERVATION"})},
        "lerobot.cameras": {"Camera": camera, "CameraConfig": CameraConfig},
    }
    for name, content in contents.items():
        module = ModuleType(name)
        vars(module).update(content)
        module.__path__ = []
        monkeypatch.setitem(sys.modules, name, module)
    for name in [name for name in sys.modules if name.startswith("bideta.lerobot")]:
        monkeypatch.delitem(sys.modules, name)
    import bideta.lerobot as plugin

    yield plugin, Registry.known
    for name in [name for name in sys.modules if name.startswith("bideta.lerobot")]:
        del sys.modules[name]


def test_the_step_declares_what_it_adds(stand_in, sensor, film):
    plugin, known = stand_in
    assert known["bideta_touch"] is plugin.TouchLabels
    step = plugin.TouchLabels(str(sensor), camera="thumb")
    before = {"OBSERVATION": {"thumb": (64, 64, 3), "joint.pos": float}, "ACTION": {"joint.pos": float}}
    after = step.transform_features(before)
    seen = step.observation({"thumb": film[0].image, "joint.pos": 0.5})
    assert list(after["OBSERVATION"]) == list(seen)
    added = set(after["OBSERVATION"]) - set(before["OBSERVATION"])
    assert all(after["OBSERVATION"][name] is float and isinstance(seen[name], float) for name in added)
    assert after["ACTION"] == before["ACTION"]
    assert step.get_config() == {"sensor": str(sensor), "camera": "thumb", "prefix": "touch"}


def test_the_camera_gives_frames_of_the_size_that_it_says(stand_in):
    plugin, _ = stand_in
    config = plugin.SimulatedTouchConfig(sensor="Hex", presses=1)
    assert (config.width, config.height) == (64, 64)
    assert config.fps  # LeRobot refuses a robot's camera that leaves one of the three open
    with pytest.raises(ValueError, match="640 × 480 pixels, it has 64 × 64; leave width and height out"):
        plugin.SimulatedTouchConfig(width=640, height=480)
    config.fps = 100_000
    camera = plugin.SimulatedTouch(config)
    with pytest.raises(ConnectionError, match="call connect"):
        camera.read()
    camera.connect()
    first = camera.read()
    assert first.shape == (camera.height, camera.width, 3)
    assert np.array_equal(camera.read_latest(), first)
    assert camera.is_connected
    camera.disconnect()
    assert not camera.is_connected
    assert {"type": "simulated-touch", "id": "Hex", "name": "Hex"} in camera.find_cameras()


def test_without_lerobot_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "lerobot", None)
    for name in [name for name in sys.modules if name.startswith("bideta.lerobot")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r"pip install .bideta\[lerobot\]"):
        import bideta.lerobot  # noqa: F401
