from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bideta.datasets.tacverse import split_by_number
from bideta.plugins import load_dataset
from support import releases


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return releases.write("tacverse", tmp_path_factory.mktemp("tacverse") / "release", scale=0.01)


@pytest.fixture(scope="module")
def dataset(root):
    return load_dataset("tacverse", root=root)


def test_the_loader_gives_back_what_the_twin_wrote(dataset):
    twin = load_dataset("simulated-tacverse", scale=0.01, size=16)
    for sensor in (twin.info.source, *twin.info.targets):
        for split in ("train", "val", "test"):
            ours, theirs = dataset.frames(sensor, split), twin.frames(sensor, split)
            np.testing.assert_array_equal(ours.labels, theirs.labels)
            error = np.asarray(ours.images).astype(float) - np.asarray(theirs.images)
            assert np.abs(error).mean() < 12  # JPEG
    assert dataset.calibration("TacTip") is None


@pytest.mark.parametrize(
    ("n", "expected"),
    [(500, (300, 100, 100)), (1, (1, 0, 0)), (2, (1, 1, 0)), (5, (3, 1, 1)), (344, (206, 69, 69))],
)
def test_numbers_are_split_by_the_authors_rule(n, expected):
    files = [Path(f"ring/a2_{i:03d}.jpg") for i in range(7, 7 + n)]
    found = split_by_number(reversed(files))
    assert tuple(sum(split == s for split, _, _ in found) for s in ("train", "val", "test")) == expected
    assert [number for _, number, _ in found] == list(range(7, 7 + n))


def test_files_with_the_same_number_stay_together():
    found = split_by_number([Path(f"{side}_{i}.jpg") for i in range(10) for side in "ab"])
    assert {split for split, number, _ in found if number == 5} == {"train"}
    assert sum(split == "train" for split, _, _ in found) == 12


def test_a_file_without_a_number_is_named():
    with pytest.raises(ValueError, match=r"ring/cover\.jpg has no sample number"):
        split_by_number([Path("ring/cover.jpg")])


def test_folders_are_found_in_any_case_and_number(tmp_path):
    root = releases.write("tacverse", tmp_path / "r")
    home = root / "Shape_Classification"
    (home / "GelsigntNoMarker").rename(home / "gelsightnomarker")
    (home / "TacTip" / "dots").rename(home / "TacTip" / "Dot")
    (home / "TacTip" / "ring").rename(home / "TacTip" / "RINGS")
    dataset = load_dataset("tacverse", root=root)
    assert dataset.problems == ()
    assert len(dataset.frames("TacTip", "train")) == 27
    (home / "TacTip" / "ring").mkdir()
    with pytest.raises(ValueError, match="two folders for the shape of TacTip ring"):
        load_dataset("tacverse", root=root)


def test_a_missing_release_says_what_was_expected(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"TacVerse not found .* expected Shape_Classification/<sensor>/<shape>"
    ):
        load_dataset("tacverse", root=tmp_path)
