from __future__ import annotations

import numpy as np
import pytest

from bideta.datasets import Dataset, Frames
from bideta.datasets.simulated.levels import DEFAULT_LEVEL, LEVELS
from bideta.plugins import find, load_dataset, names

TWINS = ("simulated-sitr", "simulated-tacverse", "simulated-tacquad")
SMALL = {"scale": 0.02, "size": 32}


def load(name: str, **settings) -> Dataset:
    return load_dataset(name, **{**SMALL, **settings})


def test_the_three_twins_are_plugins():
    assert set(TWINS) <= set(names("dataset"))


@pytest.mark.parametrize(
    ("name", "source", "targets", "classes", "budgets"),
    [
        ("simulated-sitr", "DIGIT", "Mini_1 Mini_2 Mini_3 Mini_4 Hex Wedge", 16, (8, 40, 80)),
        (
            "simulated-tacverse",
            "GelSightNoMarker",
            "MagicGripper MagicTac TacTip ViTac ViTacTip",
            9,
            (3, 15, 30),
        ),
        ("simulated-tacquad", "DIGIT", "GelSightMini DuraGel", 56, (2, 4, 6)),
    ],
)
def test_roles_classes_and_budgets_are_the_papers(name, source, targets, classes, budgets):
    info = find("dataset", name).INFO
    assert info.name == name
    assert info.simulated
    assert (info.source, " ".join(info.targets)) == (source, targets)
    assert len(info.classes) == len(set(info.classes)) == classes
    assert tuple(info.budgets.values()) == budgets


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("simulated-sitr", {"train": 800, "test": 200}),
        ("simulated-tacverse", {"train": 300, "val": 100, "test": 100}),
        ("simulated-tacquad", {"train": 12, "test": 4}),
    ],
)
def test_full_scale_has_the_papers_frames_per_class_and_renders_nothing_to_say_so(name, sizes):
    dataset = load_dataset(name)
    for split, size in sizes.items():
        frames = dataset.frames(dataset.info.source, split)
        np.testing.assert_array_equal(np.bincount(frames.labels), size)
        assert frames.images.shape == (len(frames), 64, 64, 3)
        assert len(frames.ids) == len(set(frames.ids)) == len(frames)


@pytest.mark.parametrize("name", ["simulated-sitr", "simulated-tacverse"])
def test_training_and_query_never_share_a_press(name: str):
    dataset = load_dataset(name)
    for sensor in (dataset.info.source, *dataset.info.targets):
        presses = [set(dataset.frames(sensor, split).presses.tolist()) for split in dataset.info.splits]
        assert not set.intersection(*presses)
        contacts = [dataset.contacts(sensor, split) for split in dataset.info.splits]
        poses = [set(zip(c.x.tolist(), c.y.tolist(), strict=True)) for c in contacts]
        assert not set.intersection(*poses)


def test_tacquad_keeps_four_frames_between_support_and_queries_of_the_same_press():
    dataset = load("simulated-tacquad")
    train, test = (dataset.frames("DuraGel", split) for split in ("train", "test"))
    frame = lambda frames: {int(i.rsplit("/", 1)[1]) for i in frames.ids}  # noqa: E731
    assert frame(train) == set(range(12))
    assert frame(test) == set(range(16, 20))
    assert set(train.presses.tolist()) == set(test.presses.tolist())


def test_a_press_has_one_class_and_a_pool_holds_many_presses():
    frames = load_dataset("simulated-sitr").frames("Hex", "train")
    for label in range(16):
        assert len(np.unique(frames.presses[frames.labels == label])) == 40
    pairs = np.unique(np.column_stack([frames.presses, frames.labels]), axis=0)
    assert len(pairs) == len(np.unique(frames.presses))


@pytest.mark.parametrize("name", TWINS)
def test_frames_are_the_same_for_the_same_seed_only(name: str):
    sensor = find("dataset", name).INFO.targets[0]
    first, again, other = (load(name, seed=seed).frames(sensor, "train") for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.images[:], again.images[:])
    assert list(first.ids) == list(again.ids)
    assert not np.array_equal(first.images[:], other.images[:])


@pytest.mark.parametrize("name", TWINS)
def test_previous_is_the_earlier_neighbour_of_the_same_press(name: str):
    dataset = load(name)
    frames = dataset.frames(dataset.info.source, "train")
    images, previous = frames.images[:], frames.previous[:]
    starts = np.diff(frames.presses, prepend=-1) != 0
    np.testing.assert_array_equal(previous[starts], images[starts])
    inner = np.flatnonzero(~starts)
    np.testing.assert_array_equal(previous[inner], images[inner - 1])


def test_the_previous_frame_of_the_first_query_lies_in_the_gap():
    dataset = load("simulated-tacquad")
    whole, queries = dataset.recording("DIGIT")[:], dataset.frames("DIGIT", "test")
    np.testing.assert_array_equal(queries.images[0], whole[16])
    np.testing.assert_array_equal(queries.previous[0], whole[15])


@pytest.mark.parametrize("name", TWINS)
def test_images_can_be_asked_for_by_slice_index_and_whole(name: str):
    dataset = load(name)
    for images in (
        dataset.frames(dataset.info.source, "test").images,
        dataset.frames(dataset.info.source, "test").previous,
    ):
        whole = np.asarray(images)
        assert whole.dtype == np.uint8
        assert whole.shape == images.shape
        np.testing.assert_array_equal(images[1:3], whole[1:3])
        np.testing.assert_array_equal(images[np.array([3, 0])], whole[[3, 0]])
        np.testing.assert_array_equal(images[-1], whole[-1])


def test_sensors_see_different_presses_of_the_same_objects():
    dataset = load("simulated-sitr")
    a, b = dataset.contacts("DIGIT", "train"), dataset.contacts("Hex", "train")
    np.testing.assert_array_equal(a.object, b.object)
    assert not np.array_equal(a.x, b.x)


def test_only_the_sitr_twin_has_calibration_images():
    sitr = load("simulated-sitr")
    assert sitr.calibration("Hex").shape == (19, 32, 32, 3)
    np.testing.assert_array_equal(sitr.calibration("Hex"), sitr.calibration("Hex"))
    assert load("simulated-tacverse").calibration("TacTip") is None
    assert load("simulated-tacquad").calibration("DIGIT") is None


def test_difficulty_widens_the_poses_and_the_default_is_a_named_level():
    assert DEFAULT_LEVEL in LEVELS
    spread = {
        level: np.std(load("simulated-sitr", difficulty=level, scale=0.2).contacts("DIGIT", "train").angle)
        for level in LEVELS
    }
    assert spread["easy"] < spread["medium"] < spread["hard"]


@pytest.mark.parametrize("scale", [0.005, 0.02, 0.1, 0.35])
def test_a_smaller_scale_keeps_the_ratio_of_the_splits_and_caps_the_budgets(scale: float):
    dataset = load("simulated-sitr", scale=scale)
    counts = [len(dataset.frames("DIGIT", split)) for split in ("train", "test")]
    assert counts[0] == 4 * counts[1] > 0
    assert max(dataset.info.budgets.values()) <= counts[0] // 16


def test_what_is_unknown_is_refused_by_name():
    dataset = load("simulated-sitr")
    with pytest.raises(ValueError, match=r"unknown sensor 'TacTip'.*Known: DIGIT, Mini_1"):
        dataset.frames("TacTip", "train")
    with pytest.raises(ValueError, match=r"unknown split 'val'.*Known: train, test"):
        dataset.frames("DIGIT", "val")
    with pytest.raises(ValueError, match=r"unknown difficulty 'eazy'. Did you mean 'easy'"):
        load("simulated-sitr", difficulty="eazy")
    with pytest.raises(ValueError, match="size is 63"):
        load("simulated-tacquad", size=63)
    with pytest.raises(ValueError, match="scale is 0"):
        load("simulated-sitr", scale=0)


def test_frames_fields_agree_in_length():
    for name in TWINS:
        dataset = load(name)
        frames: Frames = dataset.frames(dataset.info.targets[-1], dataset.info.splits[-1])
        assert (
            len(frames)
            == len(frames.images)
            == len(frames.ids)
            == len(frames.presses)
            == len(frames.previous)
        )
