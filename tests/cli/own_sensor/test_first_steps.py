"""What a newcomer meets between the first adapt and the first evaluate."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest
from PIL import Image

from bideta import Bideta, load_method, presets
from support.coloured_folders import table


@pytest.fixture
def tiny(home):
    return "--encoder", "twin-tvl", "--set", f"weights={home / 'tiny.onnx'}"


@pytest.fixture
def here(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_o_results_have_usual_names_that_are_printed_and_never_written_over(home, bideta, here, tiny):
    for name in ("sensor.bideta", "sensor-2.bideta"):
        code, said = bideta("adapt", home / "support", *tiny)
        assert code == 0, said
        assert f"no -o: the result goes to {name}\n" in said
        assert Bideta.load(here / name).sensor_.origin["support"] == 18
    for command, usual in (("predict", "labels"), ("rank", "ranking")):
        for name in (f"{usual}.csv", f"{usual}-2.csv"):
            code, said = bideta(command, "sensor.bideta", home / "queries")
            assert code == 0, said
            assert f"no -o: the result goes to {name}\n" in said
            assert len(table(here / name)) == 30


def test_no_name_of_a_result_is_printed_before_an_error(home, bideta, here, tiny):
    (here / "broken" / "bolt").mkdir(parents=True)
    (here / "broken" / "bolt" / "1.png").write_bytes(b"no picture")
    (here / "list.csv").write_text("path,label\n1.png,bolt\n")
    for words in (
        ("predict", "list.csv", home / "queries"),
        ("rank", "list.csv", home / "queries"),
        ("adapt", "broken", *tiny),
    ):
        code, said = bideta(*words)
        assert code == 2, said
        assert "no -o" not in said


def test_adapt_says_what_the_encoder_has_seen_and_how_the_labels_hang_together(home, bideta, here, tiny):
    said = bideta("adapt", home / "support", "--encoder", "handmade")[1]
    assert "encoder trained on: nothing (features in closed form)\n" in said
    assert (
        "hidden in turn: 100.0% of 18 labelled contacts are told by the others, asked by themselves" in said
    )
    assert "; every picture counts as a press of its own, and several of one touch flatter this: " in said
    assert "--presses" in said
    assert "too little" not in said  # six of each class
    said = bideta("adapt", home / "support", *tiny)[1]
    assert "encoder trained on: the simulated DIGIT, no real touch; unless weights, as given, says" in said
    for folder in (home / "support").iterdir():
        (here / "one" / folder.name).mkdir(parents=True)
        shutil.copy(folder / "0.png", here / "one" / folder.name)
    for number in (1, 2, 3):
        for folder in (home / "support").iterdir():
            for name in ("0.png", "1.png"):
                there = here / "three" / folder.name / f"press {number}" / name
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(folder / f"{2 * number - int(name[0]) - 1}.png", there)
    said = bideta("adapt", "three", *tiny)[1]
    assert (
        "with 3 presses of a class it says little, and mostly too little: a hidden one leaves its class"
        in said
    )
    assert "--presses" not in said
    said = bideta("adapt", "one", *tiny)[1]
    assert "hidden in turn: cannot be measured, no class has two labelled presses" in said
    assert "warning: one labelled image of every class: how reliable answers are cannot be measured" in said


def test_paper_is_the_papers_preset(home, bideta, here, tiny):
    assert bideta("adapt", home / "support", "-o", "a", "--preset", "paper", *tiny)[0] == 0
    assert {**Bideta.load(here / "a").get_params(), **presets.CLASSIFICATION} == Bideta.load("a").get_params()
    said = bideta("adapt", home / "support", "--preset", "Robt", *tiny)[1]
    assert "Did you mean 'robot'?" in said


def test_evaluate_compares_with_what_is_usual(home, bideta, sensor):
    code, said = bideta("evaluate", sensor, home / "queries", "--compare")
    assert code == 0, said
    rows = dict(re.findall(r"^(\S.*?)  +([01]\.\d{4}) ", said, re.MULTILINE))
    assert list(rows)[-5:] == [
        "logistic regression",
        "LDA",
        "BIDETA (the paper's preset)",
        "ROBOT (preset robot)",
        "this sensor, as its file says",
    ]
    assert rows["this sensor, as its file says"] == re.search(r"accuracy +(\S+)", said)[1]


def test_the_comparison_is_what_the_methods_say_themselves(home, bideta, tmp_path):
    rng = np.random.default_rng(0)
    for part, count in (("support", 3), ("queries", 8)):
        for label in "abc":
            (tmp_path / part / label).mkdir(parents=True)
            for i in range(count):
                noise = rng.integers(0, 255, (8, 8, 3), np.uint8)
                noise[0] = 80 * "abc".index(label)
                Image.fromarray(noise).save(tmp_path / part / label / f"{i}.png")
    file = tmp_path / "s.bideta"
    assert bideta("adapt", tmp_path / "support", "-o", file, "--encoder", "handmade")[0] == 0
    said = bideta("evaluate", file, tmp_path / "queries", "--compare", "--encoder", "handmade")[1]
    from bideta import load_encoder
    from bideta.datasets import folder

    frames = folder.load(tmp_path / "queries").frames(folder.ONLY, folder.ALL)
    readouts, sensor = load_encoder("handmade").encode(frames.images), Bideta.load(file).sensor_
    right = load_method("logistic").fit(sensor.support, sensor.labels).predict(readouts) == frames.labels
    assert re.search(rf"logistic regression +{right.mean():.4f}", said), said


def test_images_that_were_in_the_support_are_counted_and_left_out_once_more(home, bideta, sensor, tmp_path):
    assert "was adapted from" not in bideta("evaluate", sensor, home / "queries")[1]
    said = bideta("evaluate", sensor, home / "support")[1]
    assert "the sensor was adapted from 18 of these 18 images" in said
    assert "this says nothing about new contacts" in said
    mixed = shutil.copytree(home / "queries", tmp_path / "q")
    shutil.copy(home / "support" / "bolt" / "0.png", mixed / "bolt" / "again.png")
    said = bideta("evaluate", sensor, mixed)[1]
    assert "from 1 of these 31 images, which flatters the figures; the other 30: accuracy 1.0000" in said


def test_files_that_are_not_read_are_named(home, bideta, sensor, tmp_path, tiny):
    images = shutil.copytree(home / "support", tmp_path / "s")
    Image.new("RGB", (8, 8)).save(images / "bolt" / "moving.gif")
    (images / "key" / "depth.raw").write_bytes(b"1234")
    named = "2 files are not read (bolt/moving.gif, key/depth.raw); PNG"
    for command in (
        ("adapt", images, "-o", tmp_path / "x.bideta", *tiny),
        ("predict", sensor, images, "-o", tmp_path / "x.csv"),
        ("rank", sensor, images, "-o", tmp_path / "y.csv"),
        ("evaluate", sensor, images),
        ("suggest", images, "--budget", 1, *tiny),
    ):
        code, said = bideta(*command)
        assert code == 0, said
        assert named in said, command[0]
    (tmp_path / "g" / "bolt").mkdir(parents=True)
    shutil.copy(images / "key" / "depth.raw", tmp_path / "g" / "bolt")  # a GIF alone would be read as a video
    for command in (("adapt", tmp_path / "g"), ("predict", sensor, tmp_path / "g")):
        code, said = bideta(*command)
        assert code == 2
        assert "1 file is not read (bolt/depth.raw)" in said


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["predict", "{home}/queries", "{sensor}"], "the arguments are exchanged"),
        (["rank", "{home}/queries", "{sensor}"], "Did you mean: {sensor} {home}/queries?"),
        (["evaluate", "{home}/queries", "{sensor}"], "Did you mean: {sensor} {home}/queries?"),
        (["predict", "{home}", "{home}/queries"], "Did you mean {sensor}?"),
        (["inspect", "{home}/sensr.bideta"], "Did you mean 'sensor.bideta'?"),
        (["live", "{home}/sensr.bideta", "--source", "folder:{home}"], "Did you mean 'sensor.bideta'?"),
        (["predict", "{sensor}", "{home}/queries/key/0.png"], "Did you mean {home}/queries/key?"),
        (["adapt", "{home}/support/key/0.png"], "Did you mean {home}/support?"),
        (["adapt", "{home}/tiny.onnx"], "tiny.onnx is of no format that we know"),
        (["adapt", "{home}/suport"], "Did you mean 'support'?"),
        (["predict", "{sensor}", "{home}/Querys"], "Did you mean 'queries'?"),
        (["demo", "--sensor", "hex"], "Did you mean 'Hex'?"),
        (["demo", "--sensor", "HEX"], "Did you mean 'Hex'?"),
        (["sim", "contacts", "{tmp}/c", "--sensor", "hex"], "Did you mean 'Hex'?"),
        (["sim", "sheet", "{tmp}/s.png", "--sensors", "digit"], "Did you mean 'DIGIT'?"),
    ],
)
def test_what_was_probably_meant_is_said(home, bideta, sensor, here, arguments, meant):
    values = {"home": home, "sensor": sensor, "tmp": here}
    code, said = bideta(*(part.format(**values) for part in arguments))
    assert code == 2
    assert meant.format(**values) in said.replace("\n", " ")
    assert list(here.iterdir()) == []
