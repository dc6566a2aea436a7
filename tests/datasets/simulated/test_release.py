from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from bideta.cli.sim import app
from bideta.datasets.simulated import release
from bideta.datasets.simulated.release import write_release
from bideta.plugins import load_dataset

TINY = {"scale": 0.005, "size": 16}


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("releases")
    for name in ("sitr", "tacverse", "tacquad"):
        write_release(load_dataset(f"simulated-{name}", **TINY), root / name)
    return {name: root / name for name in ("sitr", "tacverse", "tacquad")}


def relative(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_sitr_is_written_as_the_release_lies_on_disk(written):
    expected = {
        f"classification_dataset/{split}/sensor_{s:04d}/{rest}"
        for split, count in (("train_set", 4), ("val_set", 1))
        for s in range(7)
        for rest in [f"calibration/{i:04d}.png" for i in range(19)]
        + [f"samples/class_{c:04d}/{i:04d}.png" for c in range(20) for i in range(count)]
    }
    assert relative(written["sitr"]) == expected


def test_sitr_labels_skip_the_four_dropped_class_folders(written):
    dataset = load_dataset("simulated-sitr", **TINY)
    folders = (0, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18)
    for number, sensor in ((0, "Mini_1"), (3, "DIGIT"), (6, "Mini_4")):
        frames = dataset.frames(sensor, "test")
        home = written["sitr"] / "classification_dataset/val_set" / f"sensor_{number:04d}"
        for label in (0, 1, 15):
            stored = np.asarray(Image.open(home / f"samples/class_{folders[label]:04d}/0000.png"))
            np.testing.assert_array_equal(
                stored, frames.images[int(np.flatnonzero(frames.labels == label)[0])]
            )
        stored = np.asarray(Image.open(home / "calibration/0000.png"))
        np.testing.assert_array_equal(stored, dataset.calibration(sensor)[0])


def test_tacverse_is_written_with_ids_that_split_into_train_val_and_test(written):
    sensors = (
        "GelsigntNoMarker",
        "GelsightMarker",
        "MagicGripper",
        "MagicTac",
        "TacTip",
        "ViTac",
        "ViTacTip",
    )
    shapes = load_dataset("simulated-tacverse").info.classes
    expected = {
        f"Shape_Classification/{sensor}/{shape}/{shape}_{i:04d}.jpg"
        for sensor in sensors
        for shape in shapes
        for i in range(1, 6)
    }
    assert relative(written["tacverse"]) == expected


def test_tacverse_ids_split_by_the_authors_rule_into_our_splits(tmp_path):
    dataset = load_dataset("simulated-tacverse", scale=0.03, size=16)
    write_release(dataset, tmp_path / "t")
    folder = tmp_path / "t/Shape_Classification/TacTip/ring"
    ids = sorted(int(re.findall(r"\d+", path.stem)[-1]) for path in folder.iterdir())
    n = len(ids)
    n_train = max(1, round(0.6 * n))
    val_end = min(n, max(n_train + 1, round(0.8 * n)))
    assert (n_train, val_end - n_train, n - val_end) == (9, 3, 3)
    frames = dataset.frames("TacTip", "test")
    ours = frames.images[np.flatnonzero(frames.labels == dataset.info.classes.index("ring"))]
    theirs = [np.asarray(Image.open(folder / f"ring_{i:04d}.jpg"), float) for i in ids[val_end:]]
    assert np.abs(np.stack(theirs) - ours).mean() < 12  # JPEG


def test_tacquad_tables_name_inclusive_ranges_of_frames_that_exist(written):
    root = written["tacquad"]
    dataset = load_dataset("simulated-tacquad", **TINY)
    seen = []
    for place in ("indoor", "outdoor"):
        for row in csv.reader((root / f"contact_{place}.csv").read_text().splitlines()):
            item, bounds = row[0], [int(v) for v in row[1:7]]
            seen.append(item)
            for folder, start, end in zip(
                ("gelsight", "digit", "duragel"), bounds[::2], bounds[1::2], strict=True
            ):
                assert end - start + 1 == 20
                home = root / f"data_{place}" / item / folder
                numbers = sorted(int(path.stem) for path in home.iterdir())
                assert numbers == list(range(len(numbers)))
                assert start > 0
                assert end < numbers[-1]
    assert sorted(seen) == sorted(dataset.info.classes)


def test_tacquad_frames_are_the_recorded_press(written):
    dataset = load_dataset("simulated-tacquad", **TINY)
    for sensor, folder, start in (
        ("GelSightMini", "gelsight", 3),
        ("DIGIT", "digit", 4),
        ("DuraGel", "duragel", 5),
    ):
        home = written["tacquad"] / "data_indoor" / dataset.info.classes[0] / folder
        stored = np.stack([np.asarray(Image.open(home / f"{start + t}.png")) for t in range(20)])
        np.testing.assert_array_equal(stored, dataset.recording(sensor)[:20])


def test_a_folder_in_use_is_refused_and_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("keep")
    with pytest.raises(FileExistsError, match="not empty"):
        write_release(load_dataset("simulated-tacquad", **TINY), tmp_path / "mine")
    assert relative(tmp_path) == {"mine/notes.txt"}


def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(release, "_save", full)
    with pytest.raises(OSError, match="No space"):
        write_release(load_dataset("simulated-tacquad", **TINY), tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_a_release_and_says_how_many_images(tmp_path):
    arguments = ["write", "simulated-tacquad", str(tmp_path / "q"), "--scale", "0.005", "--size", "16"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "156 images, simulated" in result.output
    assert (tmp_path / "q/contact_indoor.csv").exists()
    with pytest.raises(FileExistsError, match="not empty"):
        CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_the_command_names_the_known_twins(tmp_path):
    with pytest.raises(ValueError, match="simulated-tacverse"):
        CliRunner().invoke(app, ["write", "simulated-foo", str(tmp_path / "x")], catch_exceptions=False)


def test_the_sheet_has_a_column_per_object_and_a_row_per_sensor(tmp_path):
    out = tmp_path / "sheets" / "sheet.png"
    arguments = ["sheet", str(out), "--sensors", "DIGIT,TacTip", "--objects", "tacverse", "--size", "16"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    with Image.open(out) as picture:
        width, height = picture.size
    assert width > 9 * 16
    assert 2 * 16 < height < 4 * 16
    assert [path.name for path in out.parent.iterdir()] == ["sheet.png"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--sensors=DIGIT,Hx", "Did you mean 'Hex'"),
        ("--objects=toys", "household"),
        ("--size=7", "size is 7"),
    ],
)
def test_the_sheet_refuses_what_it_does_not_know(tmp_path, option, message):
    with pytest.raises(ValueError, match=message):
        CliRunner().invoke(app, ["sheet", str(tmp_path / "s.png"), option], catch_exceptions=False)
    assert list(tmp_path.iterdir()) == []


def test_the_probe_prints_a_line_per_sensor(monkeypatch):
    monkeypatch.setattr(
        "bideta.datasets.simulated.linear_probe.in_domain_accuracy", lambda dataset, sensor: 0.5
    )
    result = CliRunner().invoke(
        app, ["probe", "simulated-tacquad", "--scale", "0.05"], catch_exceptions=False
    )
    assert [line.split()[0] for line in result.output.splitlines()] == ["DIGIT", "GelSightMini", "DuraGel"]
