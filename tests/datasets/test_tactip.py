from __future__ import annotations

import numpy as np
import pytest

from bideta.plugins import load_dataset
from support.tactip_release import POSE, write, write_alphabet


@pytest.fixture
def release(tmp_path):
    write_alphabet(tmp_path)
    for part in ("train_data", "val_data"):
        write(tmp_path, "abb_tactip", "surface_3d", part, [""])
    return tmp_path


def test_classes_are_the_labels_and_every_tap_is_a_press(release):
    data = load_dataset("tactip", root=release, source="sim_tactip")
    assert data.info.classes == ("A", "B", "SPACE")
    assert (data.info.source, data.info.targets) == ("sim_tactip", ("ur_tactip_small",))
    frames = data.frames("ur_tactip_small", "test")
    assert frames.labels.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert len(np.unique(frames.presses)) == len(frames) == 12
    assert np.asarray(frames.images[:])[:, 0, 0, 0].tolist() == [10, 11, 12, 13, 0, 1, 2, 3, 20, 21, 22, 23]
    assert not data.problems


def test_numbers_are_kept_in_the_order_of_the_frames(release):
    targets = load_dataset("tactip", root=release).targets["ur_tactip_small", "train"]
    assert set(targets) == set(POSE)
    assert targets["pose_x"].tolist() == [0, 0.5, 1, 1.5] * 3
    assert targets["pose_z"].tolist() == [1] * 4 + [0] * 4 + [2] * 4


def test_a_task_without_labels_has_one_class_and_targets(release):
    data = load_dataset("tactip", root=release, task="surface_3d")
    assert data.info.classes == ("surface_3d",)
    assert data.sensors == ("abb_tactip",)
    assert data.targets["abb_tactip", "test"]["shear_x"].tolist() == [-1.25] * 4


def test_missing_pictures_are_counted(release):
    (release / "sim_tactip" / "alphabet" / "val" / "processed_images" / "image_3.png").unlink()
    assert "1 pictures of the tables are missing" in load_dataset("tactip", root=release).problems[0]


def test_what_is_not_the_layout_is_refused(release, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"task 'edge_2d'.*found abb_tactip"):
        load_dataset("tactip", root=release, task="edge_2d")
    with pytest.raises(ValueError, match="unknown source sensor"):
        load_dataset("tactip", root=release, source="digit")
    table = release / "sim_tactip" / "alphabet" / "val" / "targets_images.csv"
    for text, message in (
        ("image,obj_lbl\n", "expected sensor_image"),
        ("sensor_image,obj_lbl\n../../secret.png,A\n", "expected a file name"),
        ("sensor_image,obj_lbl\n", "lists no pictures"),
        ("sensor_image,obj_lbl,pose_x\nimage_1.png,A,deep\n", "is no number"),
    ):
        table.write_text(text)
        with pytest.raises(ValueError, match=message):
            load_dataset("tactip", root=release)
