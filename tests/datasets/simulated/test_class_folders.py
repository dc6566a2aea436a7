from __future__ import annotations

from pathlib import Path

import pytest

from bideta import load_dataset
from bideta.datasets import folder
from bideta.datasets.simulated.class_folders import write_folders


def test_class_folders_of_one_sensor_are_what_the_folder_loader_reads(tmp_path: Path) -> None:
    twin = load_dataset("simulated-sitr", scale=0.02, size=16)
    assert write_folders(twin, tmp_path / "hex", "Hex", {"train": 3, "test": 2}) == 16 * 5
    support = folder.load(tmp_path / "hex" / "support")
    assert support.info.classes == tuple(sorted(twin.info.classes))
    frames = support.frames(folder.ONLY, folder.ALL)
    assert len(frames) == 48
    assert frames.images[:1].shape == (1, 16, 16, 3)


def test_a_full_folder_and_too_many_pictures_are_refused_and_nothing_is_left(tmp_path: Path) -> None:
    twin = load_dataset("simulated-sitr", scale=0.02, size=16)
    with pytest.raises(ValueError, match="there are 4"):
        write_folders(twin, tmp_path / "hex", "Hex", {"train": 3, "test": 5})
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(FileExistsError, match="not empty"):
        write_folders(twin, tmp_path / "full", "Hex", {"train": 1})


def test_labelled_contacts_are_presses_of_their_own(tmp_path):
    twin = load_dataset("simulated-sitr", scale=0.2, size=16)  # eight presses of every class
    write_folders(twin, tmp_path / "hex", "Hex", {"train": 8})
    for place in (tmp_path / "hex" / "support").iterdir():
        presses = [path.stem.rpartition("-")[0] for path in place.iterdir()]
        assert len(set(presses)) == len(presses) == 8
