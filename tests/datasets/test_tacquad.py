from __future__ import annotations

import shutil

import numpy as np
import pytest

from bideta.plugins import load_dataset
from support import releases

SCALE = {"scale": 0.05, "size": 16}  # three identities


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return releases.write("tacquad", tmp_path_factory.mktemp("tacquad") / "release", **SCALE)


@pytest.fixture
def copy(root, tmp_path):
    return shutil.copytree(root, tmp_path / "copy")


def by_name(dataset, frames) -> dict[str, np.ndarray]:
    images = np.asarray(frames.images)
    return {name: images[frames.labels == i] for i, name in enumerate(dataset.info.classes)}


def test_the_loader_gives_back_what_the_twin_wrote(root):
    twin, real = load_dataset("simulated-tacquad", **SCALE), load_dataset("tacquad", root=root)
    assert sorted(real.info.classes) == sorted(twin.info.classes)
    for sensor in ("DIGIT", "GelSightMini", "DuraGel"):
        for split, count in (("train", 12), ("test", 4)):
            ours = by_name(real, real.frames(sensor, split))
            theirs = by_name(twin, twin.frames(sensor, split))
            for name in ours:
                assert len(ours[name]) == count
                np.testing.assert_array_equal(ours[name], theirs[name])


def test_the_earlier_frame_is_the_one_before_in_the_sequence(root):
    frames = load_dataset("tacquad", root=root).frames("DIGIT", "train")
    np.testing.assert_array_equal(frames.previous[1:12], frames.images[0:11])
    np.testing.assert_array_equal(frames.previous[0], frames.images[0])
    first_query = load_dataset("tacquad", root=root).frames("DIGIT", "test").previous.paths[0]
    assert first_query.name == "19.png"  # frame 15 of the sequence, which starts at 4
    far = load_dataset("tacquad", root=root, previous=5).frames("DIGIT", "test")
    assert far.previous.paths[0].name == "15.png"


def test_identities_are_in_name_order_and_can_be_limited(root):
    names = load_dataset("tacquad", root=root).info.classes
    assert list(names) == sorted(names)
    assert load_dataset("tacquad", root=root, limit=2).info.classes == names[:2]


def test_a_short_trial_is_left_out_and_said_so(copy):
    dataset = load_dataset("tacquad", root=copy)
    assert dataset.shortfalls == ("3 trials with 20 frames on all sensors, 56 in the paper",)
    name = dataset.info.classes[0]
    next(copy.glob(f"data_*/{name}/duragel/10.png")).unlink()
    shorter = load_dataset("tacquad", root=copy)
    assert name not in shorter.info.classes
    assert any(note.startswith(f"{name}: left out") for note in shorter.notes)
    assert any("1 of the frames 5–24 are missing" in problem for problem in shorter.problems)


def test_dropping_the_first_frames_can_empty_the_release(root):
    with pytest.raises(FileNotFoundError, match="no trial with 20 frames"):
        load_dataset("tacquad", root=root, drop_first=3)


def test_twenty_frames_are_evenly_spaced_over_a_longer_contact(copy):
    name = load_dataset("tacquad", root=copy).info.classes[0]
    table = next(path for path in copy.glob("contact_*.csv") if name in path.read_text())
    lines = table.read_text().splitlines()
    home = next(copy.glob(f"data_*/{name}/digit"))
    for t in range(24, 43):
        shutil.copy(home / "23.png", home / f"{t}.png")
    changed = [line.replace(",4,23,", ",4,42,") if line.startswith(f"{name},") else line for line in lines]
    table.write_text("\n".join(changed) + "\n\n")
    frames = load_dataset("tacquad", root=copy).frames("DIGIT", "train")
    assert [path.name for path in frames.images.paths[:3]] == ["4.png", "6.png", "8.png"]


@pytest.mark.parametrize("folder", ["shuttlecock", "yumaoqiu"])
def test_the_shuttlecock_is_found_under_either_name(copy, folder):
    name = load_dataset("tacquad", root=copy).info.classes[0]
    table = next(path for path in copy.glob("contact_*.csv") if name in path.read_text())
    table.write_text(table.read_text().replace(f"{name},", "yumaoqiu,", 1))
    next(copy.glob(f"data_*/{name}")).rename(copy / table.stem.replace("contact", "data") / folder)
    dataset = load_dataset("tacquad", root=copy)
    assert (
        "shuttlecock" in dataset.info.classes
    )  # one name in every copy: trials are kept in the order of their names
    assert not any("shuttlecock" in problem or "yumaoqiu" in problem for problem in dataset.problems)


def test_a_broken_table_is_named_with_its_line(copy):
    with (copy / "contact_indoor.csv").open("a") as table:
        table.write("cup,1,2,three,4,5,6\n")
    with pytest.raises(ValueError, match=r"contact_indoor\.csv, line \d+: .*three.*expected an item and six"):
        load_dataset("tacquad", root=copy)


def test_a_missing_release_says_what_was_expected(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"TacQuad not found .* bideta help data#tacquad"):
        load_dataset("tacquad", root=tmp_path)
