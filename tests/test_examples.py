"""Every example runs offline; what needs ROS is tested up to the door of rclpy."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from bideta import Bideta, load_encoder, presets
from bideta.live.contact import LEARN_FRAMES
from bideta.live.sources import Simulated

EXAMPLES = Path(__file__).parents[1] / "examples"
NODE = "ros2/bideta_touch/bideta_touch/node"


def run(name: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stream_gets_better_with_corrections() -> None:
    lines = run("one_at_a_time.py").splitlines()
    right = [int(line.split(":")[1].split("%")[0]) for line in lines if line.startswith("quarter")]
    assert len(right) == 4
    assert right[-1] > right[0]


def test_the_lerobot_step_names_what_is_touched() -> None:
    lines = run("lerobot_step.py").splitlines()
    assert len(lines) == 2  # three presses; the third is not over
    assert all("simulated truth" in line for line in lines)


def test_every_example_is_tested() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "draw_gallery.py",  # by test_gallery
        "lerobot_step.py",
        "one_at_a_time.py",
        "taxels.py",
    }


def test_taxels_are_told_apart_without_a_picture() -> None:
    (line,) = run("taxels.py").splitlines()
    assert float(line.split("%")[0].split()[-1]) > 90
    assert "simulated" in line


def test_the_ros_package_installs_what_it_launches() -> None:
    home = EXAMPLES / "ros2" / "bideta_touch"
    setup = (home / "setup.py").read_text()
    for name in ("package.xml", "launch/touch.launch.py", "config/touch.yaml"):
        assert (home / name).is_file()
        assert name in setup
    assert callable(load("ros2/bideta_touch/launch/touch.launch").generate_launch_description)


@pytest.mark.parametrize("encoding", ["rgb8", "bgr8"])
def test_the_ros_node_reads_padded_images_in_both_channel_orders(encoding: str) -> None:
    node = load(NODE)
    image = np.random.default_rng(0).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    stored = image[..., ::-1] if encoding == "bgr8" else image
    padded = np.zeros((4, 16), np.uint8)
    padded[:, :15] = stored.reshape(4, 15)
    message = SimpleNamespace(encoding=encoding, data=padded.tobytes(), height=4, width=5, step=16)
    np.testing.assert_array_equal(node.to_rgb(message), image)
    message.encoding = "mono8"
    with pytest.raises(ValueError, match="expected rgb8"):
        node.to_rgb(message)


def test_the_ros_node_answers_when_something_is_touched(tmp_path: Path) -> None:
    encoder = load_encoder("twin-tvl")
    source = Simulated("Hex", fps=1e6, n_presses=2)
    source.open()
    pictures = [source.read() for _ in range(160)]
    touched = [picture for picture in pictures if picture is not None and picture.truth]
    readouts = encoder.encode(np.stack([picture.image for picture in touched[::5]]))
    origin = {"encoder": "twin-tvl", "settings": {}, "fingerprint": encoder.fingerprint}
    truth = [picture.truth for picture in touched[::5]]
    sensor = Bideta(**presets.ROBOT).fit(readouts, truth, origin=origin)
    sensor.save(tmp_path / "hex.bideta")
    node = load(NODE)
    answers = node.Answers(str(tmp_path / "hex.bideta"))
    found = []
    for picture in pictures[:80]:
        assert picture is not None
        height, width = picture.image.shape[:2]
        message = SimpleNamespace(
            encoding="rgb8", data=picture.image.tobytes(), height=height, width=width, step=3 * width
        )
        answer = answers(message)
        if answer is not None:
            assert sum(share for _, share in answer) == pytest.approx(1)
            found.append((json.loads(node.as_json(answer))["label"], picture.truth))
    assert len(found) > LEARN_FRAMES
    assert np.mean([label == truth for label, truth in found]) > 0.9
