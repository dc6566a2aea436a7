from __future__ import annotations

import shutil

import numpy as np
import pytest

from bideta.datasets import sitr
from bideta.plugins import load_dataset
from support import releases


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return releases.write("sitr", tmp_path_factory.mktemp("sitr") / "release")


@pytest.fixture
def copy(root, tmp_path):
    return shutil.copytree(root, tmp_path / "copy")


def test_the_loader_gives_back_what_the_twin_wrote(root):
    twin, real = load_dataset("simulated-sitr", **releases.TINY), load_dataset("sitr", root=root)
    for sensor in ("DIGIT", "Wedge", "Mini_4"):
        for split in ("train", "test"):
            ours, theirs = real.frames(sensor, split), twin.frames(sensor, split)
            np.testing.assert_array_equal(ours.labels, theirs.labels)
            np.testing.assert_array_equal(np.asarray(ours.images), np.asarray(theirs.images))
        np.testing.assert_array_equal(real.calibration(sensor), twin.calibration(sensor))


def test_roles_and_budgets_are_the_papers():
    info = sitr.INFO
    assert len(info.classes) == 16
    assert (info.source, len(info.targets)) == ("DIGIT", 6)
    assert info.budgets == {"1%": 8, "5%": 40, "10%": 80}
    assert info.classes[1] == "class_0002"


def test_the_inner_folder_is_accepted_as_root(root):
    frames = load_dataset("sitr", root=root / "classification_dataset").frames("Hex", "test")
    assert len(frames) == 16
    assert frames.ids[1] == "val_set/sensor_0002/samples/class_0002/0000.png"


def test_the_sensor_map_is_a_setting(root):
    default = load_dataset("sitr", root=root)
    other = load_dataset("sitr", root=root, sensors="Mini_1,DIGIT,Hex,Wedge,Mini_2,Mini_3,Mini_4")
    assert list(other.frames("DIGIT", "test").ids) == list(default.frames("Wedge", "test").ids)
    with pytest.raises(ValueError, match="expected each of Mini_1"):
        load_dataset("sitr", root=root, sensors=["Mini_1"] * 7)


def test_split_folders_are_settings(copy):
    (copy / "classification_dataset/train_set").rename(copy / "classification_dataset/train")
    with pytest.raises(
        FileNotFoundError, match=r"expected train_set/sensor_0000, found classification_dataset"
    ):
        load_dataset("sitr", root=copy)
    assert len(load_dataset("sitr", root=copy, train="train").frames("Hex", "train")) == 64


def test_hidden_files_are_ignored(copy):
    (copy / "classification_dataset/val_set/sensor_0002/samples/class_0000/.DS_Store").write_bytes(b"x")
    assert len(load_dataset("sitr", root=copy).frames("Hex", "test")) == 16


def test_a_missing_release_says_what_was_expected(tmp_path):
    with pytest.raises(
        FileNotFoundError,
        match=r"SITR not found in .*: expected train_set/sensor_0000.*bideta help data#sitr",
    ):
        load_dataset("sitr", root=tmp_path / "nowhere")


def test_a_missing_class_stops_the_frames_of_that_sensor_only(copy):
    shutil.rmtree(copy / "classification_dataset/val_set/sensor_0002/samples/class_0003")
    dataset = load_dataset("sitr", root=copy)
    with pytest.raises(FileNotFoundError, match="Hex has no test images of class_0003"):
        dataset.frames("Hex", "test")
    assert len(dataset.frames("Wedge", "test")) == 16
    with pytest.raises(ValueError, match="unknown sensor 'Hx'"):
        dataset.frames("Hx", "test")
    with pytest.raises(ValueError, match="unknown split 'val'"):
        dataset.frames("Hex", "val")


def test_an_incomplete_calibration_is_an_error(copy):
    for split in ("train_set", "val_set"):
        (copy / f"classification_dataset/{split}/sensor_0002/calibration/0007.png").unlink()
    dataset = load_dataset("sitr", root=copy)
    with pytest.raises(FileNotFoundError, match="Hex has no complete calibration"):
        dataset.calibration("Hex")


def test_a_map_of_sensors_that_nobody_settled_is_called_assumed(root):
    assert "assumed is 0000 = Mini_1, 0001 = Wedge" in load_dataset("sitr", root=root).info.assumed
    settled = load_dataset("sitr", root=root, sensors="Mini_1,Wedge,Hex,DIGIT,Mini_2,Mini_3,Mini_4")
    assert settled.info.assumed == ""
