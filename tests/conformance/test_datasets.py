"""Every dataset keeps the same promises; the releases are read from trees that the twins wrote."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.datasets import DatasetInfo
from bideta.plugins import find, load_dataset, names
from bideta.protocol.draw import draw_support
from support import releases
from support.tactip_release import write_alphabet

DATASETS = names("dataset")


@pytest.fixture(scope="module", params=DATASETS)
def dataset(request, tmp_path_factory):
    name = request.param
    if name.startswith("simulated-"):
        return load_dataset(name, **releases.TINY)
    if name.startswith("template-"):  # examples/plugin: needs no tree
        return load_dataset(name)
    if name == "folder":
        home = releases.write("tacverse", tmp_path_factory.mktemp(name) / "r") / "Shape_Classification"
        return load_dataset(name, root=home, source="TacTip", test=0.2)
    if name == "tactip":
        return load_dataset(name, root=write_alphabet(tmp_path_factory.mktemp(name)), source="sim_tactip")
    if name not in ("sitr", "tacverse", "tacquad"):
        pytest.skip(f"{name} is somebody else's: no tree to read")
    return load_dataset(name, root=releases.write(name, tmp_path_factory.mktemp(name) / "r"))


@pytest.mark.parametrize("name", DATASETS)
def test_facts_are_complete(name):
    info = find("dataset", name).INFO
    assert isinstance(info, DatasetInfo)
    assert info.name == name
    assert info.title
    assert info.reference
    assert info.licence or name == "folder"


def test_roles_and_budgets_make_sense(dataset):
    info = dataset.info
    assert info.classes
    assert len(set(info.classes)) == len(info.classes)
    assert info.source not in info.targets
    assert len(set(info.targets)) == len(info.targets)
    assert list(info.budgets.values()) == sorted(info.budgets.values())
    assert len(info.splits) >= 2


def test_frames_are_labelled_rgb_pictures_in_a_fixed_order(dataset):
    info = dataset.info
    for sensor in (info.source, info.targets[-1]):
        for split in info.splits:
            frames, again = dataset.frames(sensor, split), dataset.frames(sensor, split)
            assert set(np.unique(frames.labels)) == set(range(len(info.classes)))
            assert frames.labels.dtype == np.int64
            assert (
                len(frames.ids)
                == len(set(frames.ids))
                == len(frames.presses)
                == len(frames.images)
                == len(frames)
            )
            assert list(frames.ids) == list(again.ids)
            batch = frames.images[0:3]
            assert batch.shape[0] == 3
            assert batch.shape[-1] == 3
            assert batch.dtype == np.uint8
            np.testing.assert_array_equal(frames.images[np.array([2, 0])], batch[[2, 0]])
            np.testing.assert_array_equal(again.images[0:3], batch)
            if frames.previous is not None:
                assert len(frames.previous) == len(frames)
                assert frames.previous[0:3].shape == batch.shape


def test_splits_share_no_frame(dataset):
    info = dataset.info
    ids = [set(dataset.frames(info.targets[0], split).ids) for split in info.splits]
    if not info.name.startswith(
        ("simulated-sitr", "simulated-tacverse")
    ):  # ids of these count within a split
        assert sum(map(len, ids)) == len(set.union(*ids))


def test_unknown_sensors_and_splits_are_refused(dataset):
    with pytest.raises(ValueError, match="unknown sensor 'Nose'"):
        dataset.frames("Nose", dataset.info.splits[0])
    with pytest.raises(ValueError, match="unknown split 'tomorrow'"):
        dataset.frames(dataset.info.source, "tomorrow")


def test_calibration_is_a_stack_or_nothing(dataset):
    found = dataset.calibration(dataset.info.targets[0])
    assert (found is not None) == ("sitr" in dataset.info.name)
    if found is not None:
        assert found.shape[0] == 19
        assert found.dtype == np.uint8


def test_every_target_makes_an_episode(dataset):
    info = dataset.info
    for target in info.targets:
        pool, query = (dataset.frames(target, info.splits[end]) for end in (0, -1))
        assert len(draw_support(pool.labels, 1, seed=0, sensor=target)) == len(info.classes)
        assert len(query) >= len(info.classes)
        assert set(pool.ids).isdisjoint(query.ids)
