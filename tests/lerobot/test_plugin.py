"""The plug-in against the library: two episodes are recorded with the simulated camera, the dataset has the labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bideta import Bideta, load_encoder, presets
from bideta.live.sources import Simulated
from support.timm_import import import_torchvision

pytest.importorskip("lerobot", reason="LeRobot is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of other people's libraries


@pytest.fixture(scope="module")
def plugin():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import_torchvision()  # which LeRobot imports; it may be of another build
        return pytest.importorskip("bideta.lerobot", exc_type=ImportError)


@pytest.fixture(scope="module")
def sensor(tmp_path_factory):
    """A sensor adapted to the presses of the simulated source."""
    source, encoder = Simulated("Hex", fps=1e6, n_presses=3), load_encoder("handmade")
    source.open()
    pictures = [source.read() for _ in range(240)]
    touched = [picture for picture in pictures if picture.truth][::4]
    readouts = encoder.encode(np.stack([picture.image for picture in touched]))
    origin = {"encoder": "handmade", "settings": {}, "fingerprint": encoder.fingerprint}
    fitted = Bideta(**presets.ROBOT).fit(readouts, [picture.truth for picture in touched], origin=origin)
    path = tmp_path_factory.mktemp("sensor") / "hex.bideta"
    fitted.save(path)
    return path


def test_two_recorded_episodes_hold_the_labels(plugin, sensor, tmp_path):
    from lerobot.cameras import make_cameras_from_configs
    from lerobot.datasets.lerobot_dataset import LeRobotDataset
    from lerobot.datasets.pipeline_features import (
        aggregate_pipeline_dataset_features,
        create_initial_features,
    )
    from lerobot.processor import RobotProcessorPipeline
    from lerobot.processor.converters import observation_to_transition, transition_to_observation

    try:
        from lerobot.utils.feature_utils import build_dataset_frame
    except ImportError:  # 0.4
        from lerobot.datasets.utils import build_dataset_frame

    config = plugin.SimulatedTouchConfig(sensor="Hex", fps=1_000_000, presses=3)
    assert config.type == "simulated-touch"
    camera = make_cameras_from_configs({"touch": config})["touch"]
    camera.connect()
    pipeline = RobotProcessorPipeline(
        steps=[plugin.TouchLabels(str(sensor))],
        to_transition=observation_to_transition,
        to_output=transition_to_observation,
    )
    hardware = {"touch": (camera.height, camera.width, 3), "joint.pos": float}
    features = aggregate_pipeline_dataset_features(
        pipeline, create_initial_features(observation=hardware), use_videos=True
    )
    names = features["observation.state"]["names"]
    assert names[:2] == ["joint.pos", "touch.contact"]
    features = {key: {**one, "dtype": "image"} if "images" in key else one for key, one in features.items()}
    dataset = LeRobotDataset.create("me/touch", 60, features, root=tmp_path / "data", use_videos=False)
    truth = []
    for _ in range(2):
        pipeline.reset()
        for _ in range(60):
            seen = pipeline({"touch": camera.read(), "joint.pos": 0.5})
            truth.append(camera.truth)
            dataset.add_frame({**build_dataset_frame(features, seen, "observation"), "task": "press"})
        dataset.save_episode()
    dataset.finalize()
    camera.disconnect()
    again = LeRobotDataset("me/touch", root=tmp_path / "data")
    assert again.num_episodes == 2
    states = np.stack([np.asarray(again[row]["observation.state"]) for row in range(len(again))])
    contact, proba = states[:, names.index("touch.contact")], states[:, 2:]
    first = slice(0, 60)  # the second episode may begin within a press, which its detector takes as untouched
    agree = (contact[first] > 0) == np.array([bool(name) for name in truth[first]])
    assert agree.mean() > 0.8
    best = [names[2 + row.argmax()].removeprefix("touch.") for row in proba]
    told = [best[row] == truth[row] for row in range(60) if contact[row] and truth[row]]
    assert len(told) > 20
    assert np.mean(told) > 0.9
    assert not proba[contact == 0].any()


def test_a_robot_takes_the_camera_by_its_name_alone(plugin):
    from lerobot.robots import RobotConfig

    @dataclass
    class Hand(RobotConfig):
        cameras: dict[str, Any]

    (camera,) = Hand(cameras={"touch": plugin.SimulatedTouchConfig()}).cameras.values()
    assert (camera.type, camera.width, camera.height) == ("simulated-touch", 64, 64)


def test_a_saved_pipeline_finds_the_step_again(plugin, sensor, tmp_path):
    from lerobot.processor import DataProcessorPipeline

    DataProcessorPipeline(steps=[plugin.TouchLabels(str(sensor), camera="thumb")]).save_pretrained(
        tmp_path / "p"
    )
    (name,) = (path.name for path in (tmp_path / "p").glob("*.json"))
    loaded = DataProcessorPipeline.from_pretrained(tmp_path / "p", config_filename=name)
    assert loaded.steps[0].camera == "thumb"
    with pytest.raises(KeyError, match="no picture 'thumb' in the observation; it has touch"):
        loaded.steps[0].observation({"touch": None})


def test_our_reader_and_our_copy_agree_with_the_library(plugin, tmp_path):
    """Files that we write are read by LeRobot, and files that LeRobot writes are read by us."""
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    from bideta.readers import open_contacts
    from bideta.service.lerobot_files import Episodes, copy_with_answers
    from support import formats

    made = formats.presses(0)
    episodes = Episodes(tmp_path / "ours", fps=10)
    for press in made:
        episodes.add(press.label, list(press.frames))
    episodes.close()
    answers = {(number, 0): (press.label, 0.5, 0.25) for number, press in enumerate(made)}
    copy_with_answers(tmp_path / "ours", tmp_path / "copy", answers)
    theirs = LeRobotDataset("me/copy", root=tmp_path / "copy")
    assert len(theirs) == 18
    row = theirs[3]  # the first frame of the second press
    assert row["task"] == made[1].label
    assert row["touch.label"] == made[1].label
    assert float(row["touch.reliability"]) == 0.25
    picture = (np.asarray(row["observation.images.touch"]).transpose(1, 2, 0) * 255).round().astype(np.uint8)
    assert np.array_equal(picture, made[1].frames[0])

    shape = (*formats.SIZE, 3)
    camera = {"dtype": "image", "shape": shape, "names": ["height", "width", "channels"]}
    dataset = LeRobotDataset.create(
        "me/x", 10, {"observation.images.touch": camera}, root=tmp_path / "x", use_videos=False
    )
    for press in made:
        for frame in press.frames:
            dataset.add_frame({"observation.images.touch": frame, "task": press.label})
        dataset.save_episode()
    dataset.finalize()
    contacts = open_contacts(tmp_path / "x", frames=0)
    assert list(contacts.labels) == [press.label for press in made for _ in press.frames]
    assert np.array_equal(np.stack(contacts.pictures[:]), np.concatenate([press.frames for press in made]))
