"""``bideta adapt --presses``: a folder for each press inside the class folders."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import numpy as np
import pytest

from bideta import Bideta, sensor_file


def weights(home):
    return "--encoder", "twin-tvl", "--set", f"weights={home / 'tiny.onnx'}"


@pytest.fixture
def pressed(home, tmp_path):
    """The labelled images, those of a class in folders of three; the last one stays in the class folder."""
    root = tmp_path / "pressed"
    for home_of_class in (home / "support").iterdir():
        files = sorted(home_of_class.iterdir())
        for i, file in enumerate(files):
            place = root / home_of_class.name / ("" if i == len(files) - 1 else f"press {i // 3}")
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)
    return root


def test_frames_of_a_press_are_one_press(home, bideta, pressed, tmp_path):
    out = tmp_path / "x.bideta"
    code, said = bideta("adapt", pressed, "-o", out, *weights(home), "--presses", "--tune")
    assert code == 0, said
    adapted = Bideta.load(out)
    each = len(adapted.sensor_.labels) // 3
    presses = -(-(each - 1) // 3) + 1
    assert f"{3 * presses} presses" in said
    for c in range(3):
        assert len(set(adapted.sensor_.presses[adapted.sensor_.labels == c])) == presses
    assert f"{3 * each}, frames of {3 * presses} presses" in bideta("inspect", out)[1]
    assert "tuned " in bideta("inspect", out)[1]
    anew = np.concatenate([np.arange(each) // 3] * 3)  # numbered anew in every class
    sensor_file.save(replace(adapted.sensor_, presses=anew), tmp_path / "anew.bideta")
    assert f"frames of {3 * presses - 3} presses" in bideta("inspect", tmp_path / "anew.bideta")[1]
    assert bideta("predict", out, home / "queries", "-o", tmp_path / "l.csv", "--risk", 0.3)[0] == 0
    code, said = bideta("evaluate", out, pressed, "--presses")
    assert code == 0, said
    assert f"images    {3 * each}" in said
    assert f"presses   {3 * presses}, accuracy" in said


def test_one_answer_per_press(home, bideta, pressed, tmp_path):
    sensor, frames, presses = tmp_path / "x.bideta", tmp_path / "frames.csv", tmp_path / "presses.csv"
    assert bideta("adapt", pressed, "-o", sensor, *weights(home))[0] == 0
    assert bideta("predict", sensor, pressed, "-o", frames)[0] == 0
    code, said = bideta("predict", sensor, pressed, "-o", presses, "--by", "press")
    assert code == 0, said
    each = [line.split(",") for line in presses.read_text().splitlines()[1:]]
    names = [line.split(",")[0] for line in frames.read_text().splitlines()[1:]]
    called = [re.sub("(press [0-9]+)/.*", r"\1", name) for name in names]  # one in a class folder is its own
    assert [row[0] for row in each] == list(dict.fromkeys(called))
    assert f"{len(each)} presses labelled" in said
    assert all(row[0].startswith(row[1]) for row in each)
    assert bideta("predict", sensor, pressed, "-o", presses, "--by", "hour")[0] == 2
    code, said = bideta("predict", sensor, pressed, "-o", presses, "--by", "press", "--risk", 0.1)
    assert code == 2
    assert "--risk and --novelty decide about frames" in said


def test_folders_that_are_called_presses_need_no_option(home, bideta, pressed, tmp_path):
    told, found = tmp_path / "told.bideta", tmp_path / "found.bideta"
    assert bideta("adapt", pressed, "-o", told, *weights(home), "--presses")[0] == 0
    code, said = bideta("adapt", pressed, "-o", found, *weights(home))
    assert code == 0, said
    assert "presses, encoder" in said
    assert found.read_bytes() == told.read_bytes()
    alone, among = (bideta("evaluate", found, pressed, *option)[1] for option in ((), ("--presses",)))
    assert alone == among
    (other,) = list(pressed.glob("*/press 0"))[:1]
    shutil.copytree(other, other.with_name("first try"))
    code, said = bideta("adapt", pressed, "-o", tmp_path / "x.bideta", *weights(home))
    assert code == 2
    assert "expected <class>/* or <sensor>/<class>/*" in said


def test_without_the_option_its_name_is_said(home, bideta, pressed, tmp_path):
    for file in pressed.glob("*/*.png"):  # else class folders and sensor folders would be mixed
        file.unlink()
    for folder in list(pressed.glob("*/press *")):
        folder.rename(folder.with_name(folder.name.replace("press", "touch")))
    code, said = bideta("adapt", pressed, "-o", tmp_path / "x.bideta", *weights(home))
    assert code == 2
    assert "--presses" in said


def test_one_press_of_every_class_is_pointed_out(home, bideta, tmp_path):
    for home_of_class in (home / "support").iterdir():
        shutil.copytree(home_of_class, tmp_path / "once" / home_of_class.name / "press")
    adapt = ["adapt", tmp_path / "once", "-o", tmp_path / "x.bideta", *weights(home), "--presses"]
    code, said = bideta(*adapt)
    assert code == 0, said
    assert "press each object again" in said
    code, said = bideta(
        "predict", adapt[3], home / "queries", "-o", tmp_path / "l.csv", "--risk", 0.1, "--novelty", 0.1
    )
    assert code == 0, said
    assert "0 labelled presses could be hidden in turn, too few to say how reliable answers are" in said
    assert "a risk of 0.1 cannot be promised: no class has two labelled presses" in said
    assert "too few labelled presses" in said
    code, said = bideta(*adapt, "--tune")
    assert code == 2
    assert "--tune needs two presses" in said


def test_an_empty_folder_is_refused(home, bideta, tmp_path):
    (tmp_path / "none" / "bolt" / "press").mkdir(parents=True)
    code, said = bideta("adapt", tmp_path / "none", "-o", tmp_path / "x.bideta", *weights(home), "--presses")
    assert code == 2
    assert "has no images in folders of presses; expected <class>/<press>/*" in said
    code, said = bideta("adapt", tmp_path / "no", "-o", tmp_path / "x.bideta", "--presses")
    assert code == 2
    assert "no folder" in said


def test_what_is_not_a_folder_of_presses_is_pointed_out(home, bideta, pressed, tmp_path):
    adapt = ["-o", tmp_path / "x.bideta", *weights(home), "--presses"]
    code, said = bideta("adapt", home / "support", *adapt)
    assert code == 0, said
    assert "every image is taken for a press of its own" in said
    shutil.rmtree(pressed / "bolt" / "press 1")
    (pressed / "bolt" / "5.png").unlink()
    code, said = bideta("adapt", pressed, *adapt)
    assert code == 0, said
    assert "one press only of bolt; others have up to 3" in said
    shutil.move(pressed / "key" / "press 0", pressed / "key" / "press 1" / "deeper")
    code, said = bideta("adapt", pressed, *adapt)
    assert code == 2
    assert "lies deeper than a press" in said
