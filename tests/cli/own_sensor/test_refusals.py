"""What adapt and predict refuse, and what they point out."""

from __future__ import annotations

import importlib.util
import shutil

import numpy as np
import pytest
from PIL import Image

from bideta import Bideta
from bideta.images.reading import read_image
from support.coloured_folders import table


def test_another_encoder_is_refused(home, bideta, sensor, tmp_path):
    out = tmp_path / "labels.csv"
    code, said = bideta(
        "predict",
        sensor,
        home / "queries",
        "-o",
        out,
        "--encoder",
        "twin-tvl",
        "--set",
        f"weights={home / 'other.onnx'}",
    )
    assert code == 2
    assert "other weights or other preprocessing" in said
    assert not out.exists()


def test_an_exported_encoder_may_move_but_not_change(home, bideta, tmp_path):
    mean = ["--set", "mean=[0.5,0.5,0.5]", "--set", "std=[0.2,0.2,0.2]"]
    sensor, out = tmp_path / "x.bideta", tmp_path / "l.csv"
    code, said = bideta(
        "adapt", home / "support", "-o", sensor, "--encoder", f"onnx:{home / 'tiny.onnx'}", *mean
    )
    assert code == 0, said
    shutil.copy(home / "tiny.onnx", tmp_path / "moved.onnx")
    predict = ["predict", sensor, home / "queries", "-o", out, "--encoder"]
    assert bideta(*predict, f"onnx:{tmp_path / 'moved.onnx'}")[0] == 0
    assert bideta(*predict, f"onnx:{tmp_path / 'moved.onnx'}", "--set", "mean=[0,0,0]")[0] == 2
    assert bideta(*predict, f"onnx:{home / 'other.onnx'}")[0] == 2


def test_an_artifact_without_an_encoder_is_refused(home, bideta, tmp_path):
    rng = np.random.default_rng(0)
    Bideta().fit(rng.normal(size=(8, 3)), [0, 1] * 4).save(tmp_path / "x.bideta")
    code, said = bideta("predict", tmp_path / "x.bideta", home / "queries", "-o", tmp_path / "l.csv")
    assert code == 2
    assert "does not say which encoder" in said
    assert "--encoder" in said
    assert bideta("inspect", tmp_path / "x.bideta")[0] == 0


def test_broken_files_are_named_and_the_rest_is_labelled(home, bideta, sensor, tmp_path):
    queries = shutil.copytree(home / "queries", tmp_path / "q")
    for i in range(4):
        (queries / "bolt" / f"{i}.png").write_bytes(b"broken")
    code, said = bideta("predict", sensor, queries, "-o", tmp_path / "l.csv", "--batch-size", 7)
    assert code == 1
    assert "bolt/3.png" in said
    assert "4 of 30 images could not be read" in said
    assert len(table(tmp_path / "l.csv")) == 26
    support = shutil.copytree(home / "support", tmp_path / "s")
    (support / "bolt" / "0.png").write_bytes(b"")
    weights = f"weights={home / 'tiny.onnx'}"
    assert (
        bideta("adapt", support, "-o", tmp_path / "x.bideta", "--encoder", "twin-tvl", "--set", weights)[0]
        == 1
    )
    assert Bideta.load(tmp_path / "x.bideta").sensor_.origin["support"] == 17
    for path in (support / "key").iterdir():
        path.write_bytes(b"")
    code, said = bideta(
        "adapt", support, "-o", tmp_path / "y.bideta", "--encoder", "twin-tvl", "--set", weights
    )
    assert code == 2
    assert "no image of key can be read; nothing was written" in said
    assert not (tmp_path / "y.bideta").exists()


def test_exchanged_channels_of_the_queries_are_suspected(bideta, home, tmp_path):
    reddish = tmp_path / "s"
    for name in ("a", "b"):
        (reddish / name).mkdir(parents=True)
        for i in range(4):
            Image.new("RGB", (8, 8), (200, 90 + 20 * (name == "b") + i, 40)).save(reddish / name / f"{i}.png")
    bideta(
        "adapt",
        reddish,
        "-o",
        tmp_path / "x.bideta",
        "--encoder",
        "twin-tvl",
        "--set",
        f"weights={home / 'tiny.onnx'}",
    )
    assert (
        "look like BGR" not in bideta("predict", tmp_path / "x.bideta", reddish, "-o", tmp_path / "l.csv")[1]
    )
    for path in reddish.rglob("*.png"):
        Image.fromarray(read_image(path)[..., ::-1].copy()).save(path)
    code, said = bideta("predict", tmp_path / "x.bideta", reddish, "-o", tmp_path / "l.csv")
    assert code == 0
    assert "these look like BGR: red and blue are exchanged" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["adapt", "{home}/none", "-o", "{tmp}/x"], "expected one folder per class"),
        (["adapt", "{home}", "-o", "{tmp}/x"], "holds sensor folders (queries, support)"),
        (["adapt", "{home}/support", "-o", "{tmp}/none/x"], "does not exist"),
        (["adapt", "{home}/support", "-o", "{tmp}"], "it is a folder"),
        (["adapt", "{home}/support", "-o", "{tmp}/x", "--encoder", "twin-tlv"], "Did you mean 'twin-tvl'"),
        (["adapt", "{home}/support", "-o", "{tmp}/x", "--set", "weight=a"], "has no setting 'weight'"),
        (["adapt", "{home}/support", "-o", "{tmp}/x", "--set", "weights"], "expected name=value"),
        (["adapt", "{home}/support", "-o", "{tmp}/x", "--preset", "fast"], "classification or ranking"),
        (
            ["adapt", "{home}/support", "-o", "{tmp}/x", "--prior", "flat"],
            "expected relaxed or auto or support or none or mixed",
        ),
        (["predict", "{home}/none", "{home}/queries", "-o", "{tmp}/x"], "no artifact at"),
        (["predict", "{home}/tiny.onnx", "{home}/queries", "-o", "{tmp}/x"], "not a bideta artifact"),
        (["predict", "{home}/s", "{home}/none", "-o", "{tmp}/x"], "expected a folder of images"),
        (["predict", "{home}/s", "{tmp}", "-o", "{tmp}/x"], "no images in"),
        (["predict", "{home}/s", "{home}/queries", "-o", "{tmp}/x", "--risk", "5"], "--risk=5.0: expected a"),
        (
            ["predict", "{home}/s", "{home}/queries", "-o", "{tmp}/x", "--novelty", "2"],
            "--novelty=2.0: expected",
        ),
        (["evaluate", "{home}/s", "{home}"], "holds sensor folders"),
        (["inspect", "{home}/none"], "no artifact at"),
        (["data", "check", "simulated-sitr", "{tmp}"], "has no setting 'root'"),
        (["data", "check", "folder", "{home}/support", "--set", "test=[]"], "does not take the settings"),
        (["data", "check", "foldr", "{tmp}"], "Did you mean 'folder'"),
        (["data", "encode", "folder", "{home}/none", "--cache", "{tmp}/c"], "expected one folder per class"),
    ],
)
def test_bad_input_is_one_readable_line(home, bideta, tmp_path, arguments, message):
    code, said = bideta(*(part.format(home=home, tmp=tmp_path) for part in arguments))
    assert code == 2
    assert message in said.replace("\n", " ")
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


def test_a_missing_matplotlib_says_what_to_install(home, bideta, sensor, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    code, said = bideta("inspect", sensor, "--picture", tmp_path / "s.png")
    assert code == 2
    assert "pip install 'bideta[plots]'" in said


def test_a_class_that_is_called_unknown_is_refused_where_that_means_something_else(home, bideta, tmp_path):
    shutil.copytree(home / "support", tmp_path / "support")
    (tmp_path / "support" / "key").rename(tmp_path / "support" / "unknown")
    weights = f"weights={home / 'tiny.onnx'}"
    code, said = bideta(
        "adapt", tmp_path / "support", "-o", tmp_path / "x.bideta", "--encoder", "twin-tvl", "--set", weights
    )
    assert code == 0, said
    asked = ("predict", tmp_path / "x.bideta", home / "queries", "-o", tmp_path / "l.csv")
    code, said = bideta(*asked, "--novelty", 0.1)
    assert code == 2
    assert 'the sensor has a class "unknown", which --novelty writes' in said
    assert bideta(*asked)[0] == 0


def test_a_folder_of_support_and_queries_leads_to_the_support(home, bideta, tmp_path):
    code, said = bideta("adapt", home, "-o", tmp_path / "x.bideta")
    assert code == 2
    assert f"bideta adapt {home / 'support'} …" in said.replace("\n", "")


def test_an_empty_class_folder_and_a_single_class_are_pointed_out(home, bideta, tmp_path):
    (name,) = sorted(p.name for p in (home / "support").iterdir())[:1]
    shutil.copytree(home / "support" / name, tmp_path / "few" / name)
    (tmp_path / "few" / "forgotten").mkdir()
    weights = f"weights={home / 'tiny.onnx'}"
    code, said = bideta(
        "adapt", tmp_path / "few", "-o", tmp_path / "x.bideta", "--encoder", "twin-tvl", "--set", weights
    )
    assert code == 0
    assert "forgotten holds no images; it is not a class" in said
    assert "one class only, so every query will be given it" in said
    assert "1 class, 6 labelled images" in said


def test_images_in_no_class_folder_are_pointed_out(home, sensor, bideta, tmp_path):
    for folder, names, line in (
        ("support", ["a.png"], "warning: 1 image in no class folder left out ({}/a.png)"),
        ("queries", ["b.png", "a.png"], "warning: 2 images in no class folder left out ({}/a.png, …)"),
    ):
        images = shutil.copytree(home / folder, tmp_path / folder)
        for name in names:
            shutil.copy(next((images / "bolt").iterdir()), images / name)
        weights = f"weights={home / 'tiny.onnx'}"
        if folder == "support":
            code, said = bideta(
                "adapt", images, "-o", tmp_path / "x.bideta", "--encoder", "twin-tvl", "--set", weights
            )
        else:
            code, said = bideta("evaluate", sensor, images)
        assert code == 0, said
        assert line.format(images) in said.replace("\n", ""), said


def test_copies_and_classes_called_presses_are_pointed_out(home, bideta, tmp_path):
    support = shutil.copytree(home / "support", tmp_path / "s")
    bolts = sorted((support / "bolt").iterdir())
    for i, path in enumerate(bolts[:2]):
        shutil.copy(path, support / "key" / f"copy {i}.png")
    shutil.copy(bolts[0], support / "bolt" / "again.png")
    adapt_here = [
        "-o",
        tmp_path / "x.bideta",
        "--encoder",
        "twin-tvl",
        "--set",
        f"weights={home / 'tiny.onnx'}",
    ]
    code, said = bideta("adapt", support, *adapt_here)
    assert code == 0, said
    assert "warning: one image is labelled bolt and key, and 1 more like it" in said
    assert "warning: copies of labelled images as presses of their own: 1." in said
    for path in (home / "support").iterdir():
        shutil.copytree(path, tmp_path / "bolt" / f"press {len(path.name)}")
    code, said = bideta("adapt", tmp_path / "bolt", *adapt_here)
    assert code == 0, said
    assert "all classes are called presses; was the folder around them meant" in said


def test_a_class_with_a_single_image_is_named_and_priors_are_passed_on(home, bideta, tmp_path):
    support = shutil.copytree(home / "support", tmp_path / "s")
    for path in sorted((support / "nut [M8]").iterdir())[1:]:
        path.unlink()
    adapt_here = [
        "adapt",
        support,
        "-o",
        tmp_path / "x.bideta",
        "--encoder",
        "twin-tvl",
        "--set",
        f"weights={home / 'tiny.onnx'}",
    ]
    code, said = bideta(*adapt_here, "--prior", "auto")
    assert code == 0, said
    assert Bideta.load(tmp_path / "x.bideta").prior == "auto"
    assert "warning: one labelled image only of nut [M8]; others have up to 6" in said
    for name in ("bolt", "key"):
        for path in sorted((support / name).iterdir())[1:]:
            path.unlink()
    code, said = bideta(*adapt_here, "--prior", "mixed")
    assert code == 0, said
    assert Bideta.load(tmp_path / "x.bideta").prior == "mixed"
    assert "others have up to" not in said
    assert "warning: one labelled image of every class: how reliable answers are cannot be measured" in said
    assert "3 classes, 1 labelled image each" in said
