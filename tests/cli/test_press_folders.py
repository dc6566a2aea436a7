"""Which pictures of a folder are one press: every command counts the same ones."""

from __future__ import annotations

import csv
import re
import shutil

import pytest

from support import formats

ENCODER = ("--encoder", "handmade")


@pytest.fixture(scope="module")
def pressed(tmp_path_factory):
    """Three classes with three presses of two frames each."""
    return formats.write_folder(tmp_path_factory.mktemp("press") / "pressed", formats.presses(0, 3, 2))


@pytest.fixture
def sensor(pressed, bideta):
    path = pressed.with_name("s.bideta")
    if not path.exists():
        code, said = bideta("adapt", pressed, "-o", path, *ENCODER)
        assert code == 0, said
    return path


def single_taps(pressed, root):
    """The pictures of a class beside each other."""
    for file in pressed.rglob("*.png"):
        place = root / file.parts[-3]
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place / f"{file.parent.name} {file.name}")
    return root


def mixed(pressed, root):
    """The last press of every class loose in its folder."""
    shutil.copytree(pressed, root)
    for home in root.glob("*/press 3"):
        for file in home.iterdir():
            file.rename(home.parent / file.name)
        home.rmdir()
    return root


def other_names(pressed, root):
    mixed(pressed, root)
    for home in list(root.glob("*/press *")):
        home.rename(home.with_name(home.name.replace("press", "try")))
    return root


@pytest.mark.parametrize(
    ("layout", "option", "count"),
    [
        (shutil.copytree, (), 9),
        (mixed, (), 12),
        (mixed, ("--presses",), 12),
        (other_names, ("--presses",), 12),
    ],
)
def test_every_command_counts_the_same_presses(layout, option, count, pressed, sensor, bideta, tmp_path):
    layout(pressed, tmp_path / "in")
    there, out = tmp_path / "in", tmp_path / "a.csv"
    code, said = bideta("adapt", there, "-o", tmp_path / "s.bideta", *ENCODER, *option)
    assert code == 0, said
    assert f", {count} presses, encoder" in said
    code, said = bideta("predict", sensor, there, "--by", "press", "-o", out, *option)
    assert code == 0, said
    assert f"{count} presses labelled" in said
    assert f"presses   {count}, accuracy" in bideta("evaluate", sensor, there, *option)[1]
    for known in (ENCODER, ("--sensor", sensor)):
        assert f"there are {count} presses" in bideta("suggest", there, "--budget", 99, *known, *option)[1]
    with out.open(newline="") as file:
        names = [row["path"] for row in csv.DictReader(file)]
    assert sum(bool(re.fullmatch(r"\w+/(press|try) [12]", name)) for name in names) == 6
    assert len(set(names)) == count


@pytest.mark.parametrize("loose", [True, False])
def test_pictures_of_no_press_are_not_merged_but_refused(loose, pressed, sensor, bideta, tmp_path):
    there = single_taps(pressed, tmp_path / "in")
    there = there / "bolt" if loose else there
    code, said = bideta("predict", sensor, there, "--by", "press", "-o", tmp_path / "a.csv")
    assert code == 2
    assert "says which images are frames of one press" in said
    for way in ('"press 1", "press 2"', "--presses", "without --by press"):
        assert way in said
    assert not (tmp_path / "a.csv").exists()


def test_arrays_without_presses_are_not_merged_but_refused(sensor, bideta, tmp_path):
    import numpy as np

    np.savez(tmp_path / "a.npz", X=formats.arrays(formats.presses(1))["X"])
    code, said = bideta("predict", sensor, tmp_path / "a.npz", "--by", "press", "-o", tmp_path / "a.csv")
    assert code == 2
    assert "give the table or arrays a press" in said


def test_the_frames_of_one_press_are_one_press(pressed, sensor, bideta, tmp_path):
    out = tmp_path / "a.csv"
    code, said = bideta("predict", sensor, pressed / "nut" / "press 2", "--by", "press", "-o", out)
    assert code == 0, said
    assert "1 press labelled" in said
    assert out.read_text().splitlines()[1].startswith("press 2,")


def test_a_folder_of_presses_with_names_of_their_own_takes_the_option(pressed, sensor, bideta, tmp_path):
    for number in (1, 2, 3):
        shutil.copytree(pressed / "nut" / f"press {number}", tmp_path / "in" / f"{number}")
    out = tmp_path / "a.csv"
    code, said = bideta("predict", sensor, tmp_path / "in", "--by", "press", "--presses", "-o", out)
    assert code == 0, said
    assert [line.split(",")[0] for line in out.read_text().splitlines()[1:]] == ["1", "2", "3"]
    code, said = bideta("predict", sensor, tmp_path / "in", "--presses", "-o", out)
    assert code == 2
    assert "--presses says which images are one press: it goes with --by press" in said


@pytest.mark.parametrize("column", ["", ",label"])
def test_a_table_without_presses_goes_by_the_folders_of_its_pictures(
    column, pressed, sensor, bideta, tmp_path
):
    files = sorted(pressed.rglob("*.png"))
    shutil.copytree(pressed, tmp_path / "in")
    lines = ["/".join(file.parts[-3:]) + (f",{file.parts[-3]}" if column else "") for file in files]
    table = tmp_path / "in" / "t.csv"
    table.write_text("\n".join([f"path{column}", *lines]))
    code, said = bideta("predict", sensor, table, "--by", "press", "-o", tmp_path / "a.csv")
    assert code == 0, said
    assert "9 presses labelled" in said
    assert "there are 9 presses" in bideta("suggest", table, "--budget", 99, *ENCODER)[1]
    if column:
        assert ", 9 presses, encoder" in bideta("adapt", table, "-o", tmp_path / "s.bideta", *ENCODER)[1]


def test_what_is_counted_once_is_said_so(pressed, bideta, tmp_path):
    shutil.copytree(pressed / "bolt", tmp_path / "in" / "bolt")
    code, said = bideta("adapt", tmp_path / "in", "-o", tmp_path / "s.bideta", *ENCODER)
    assert code == 0, said
    assert "s.bideta: 1 class, 6 labelled images, 3 presses, encoder" in said
    for press in (2, 3):
        shutil.rmtree(tmp_path / "in" / "bolt" / f"press {press}")
    (tmp_path / "in" / "bolt" / "press 1" / "1.png").unlink()
    code, said = bideta("adapt", tmp_path / "in", "-o", tmp_path / "s.bideta", *ENCODER)
    assert code == 0, said
    assert "s.bideta: 1 class, 1 labelled image, 1 press, encoder" in said
    code, said = bideta("predict", tmp_path / "s.bideta", tmp_path / "in", "-o", tmp_path / "a.csv")
    assert code == 0, said
    assert "a.csv: 1 image labelled" in said
    code, said = bideta("rank", tmp_path / "s.bideta", tmp_path / "in", "-o", tmp_path / "a.csv")
    assert "a.csv: 1 image ranked" in said
    assert "there is 1 press" in bideta("suggest", tmp_path / "in", "--budget", 2, *ENCODER)[1]


@pytest.mark.parametrize("anew", [True, False])
def test_numbers_that_begin_anew_without_a_label_are_warned_of(anew, pressed, sensor, bideta, tmp_path):
    shutil.copytree(pressed, tmp_path / "in")
    files = sorted(pressed.rglob("*.png"))
    number = [file.parent.name if anew else f"{file.parts[-3]} {file.parent.name}" for file in files]
    lines = [f"{'/'.join(file.parts[-3:])},{press}" for file, press in zip(files, number, strict=True)]
    (tmp_path / "in" / "t.csv").write_text("\n".join(["path,press", *lines]))
    code, said = bideta(
        "predict", sensor, tmp_path / "in" / "t.csv", "--by", "press", "-o", tmp_path / "a.csv"
    )
    assert code == 0, said
    assert f"{3 if anew else 9} presses labelled" in said
    assert ("several presses are answered as one: give each a name of its own" in said) == anew


def test_pictures_of_the_untouched_sensor_are_not_answered(pressed, sensor, bideta, tmp_path):
    shutil.copytree(pressed, tmp_path / "in")
    (tmp_path / "in" / "background").mkdir()
    shutil.copy(next(pressed.rglob("*.png")), tmp_path / "in" / "background" / "0.png")
    out = tmp_path / "a.csv"
    code, said = bideta("predict", sensor, tmp_path / "in", "-o", out)
    assert code == 0, said
    assert "background/ holds pictures of the untouched sensor and is left out" in said
    assert "18 images labelled" in said
    assert "background" not in out.read_text()
    code, said = bideta("predict", sensor, tmp_path / "in" / "background", "-o", out)  # named: answered
    assert "1 image labelled" in said
