"""adapt, predict, rank, evaluate and inspect on a folder of pictures, with a tiny encoder."""

from __future__ import annotations

import csv
import importlib.util
import re
import shutil

import numpy as np
import pytest
from PIL import Image

from bideta import Bideta
from bideta.cli import adapt
from bideta.datasets._images import read_image
from releases import tiny_onnx

pytest.importorskip("onnx")
COLOURS = {"bolt": (200, 60, 40), "key": (60, 190, 60), "nut [M8]": (50, 60, 200)}


def draw(root, count, seed, size=(20, 16)):
    rng = np.random.default_rng(seed)
    for name, colour in COLOURS.items():
        (root / name).mkdir(parents=True)
        for i in range(count):
            noise = rng.normal(0, 25, (*size[::-1], 3)) + rng.normal(0, 10, 3)
            pixels = np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(root / name / f"{i}.png")
    return root


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("own")
    tiny_onnx(home / "tiny.onnx")
    tiny_onnx(home / "other.onnx", seed=1)
    draw(home / "support", 6, 0)
    draw(home / "queries", 10, 1)
    return home


@pytest.fixture
def sensor(home, bideta):
    path = home / "sensor.bideta"
    if not path.exists():
        code, said = bideta("adapt", home / "support", "-o", path, "--set", f"weights={home / 'tiny.onnx'}")
        assert code == 0, said
        assert "3 classes, 6 labelled images each" in said
    return path


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_labels_come_with_probability_reliability_and_second_choice(home, bideta, sensor, tmp_path):
    code, said = bideta("predict", sensor, home / "queries", "-o", tmp_path / "labels.csv")
    assert code == 0, said
    rows = table(tmp_path / "labels.csv")
    assert list(rows[0]) == ["path", "label", "probability", "reliability", "second_choice"]
    assert [row["path"] for row in rows[:2]] == ["bolt/0.png", "bolt/1.png"]
    assert all(row["path"].startswith(row["label"] + "/") for row in rows)
    assert all(row["second_choice"] in set(COLOURS) - {row["label"]} for row in rows)
    assert all(0 <= float(row[name]) <= 1 for row in rows for name in ("reliability", "probability"))


def test_the_ranking_begins_with_the_label(home, bideta, sensor, tmp_path):
    assert bideta("rank", sensor, home / "queries", "-o", tmp_path / "r.csv", "--top", 9)[0] == 0
    rows = table(tmp_path / "r.csv")
    assert list(rows[0]) == ["path", "rank_1", "rank_2", "rank_3"]
    assert all(row["path"].startswith(row["rank_1"] + "/") for row in rows)


def test_evaluation_prints_the_four_numbers_and_draws_the_confusion(home, bideta, sensor, tmp_path):
    code, said = bideta("evaluate", sensor, home / "queries", "--picture", tmp_path / "c.png")
    assert code == 0, said
    for line in (
        "images    30",
        "accuracy  1.0000",
        "macro-F1  1.0000",
        "MRR       1.0000",
        "R@1       1.0000",
    ):
        assert line in said
    with Image.open(tmp_path / "c.png") as drawn:
        assert drawn.width > 100


def test_a_class_without_queries_is_said_to_count_zero(home, bideta, sensor, tmp_path):
    shutil.copytree(home / "queries", tmp_path / "q")
    shutil.rmtree(tmp_path / "q" / "key")
    code, said = bideta("evaluate", sensor, tmp_path / "q")
    assert code == 0, said
    assert "no queries of key; such a class counts 0" in said
    (tmp_path / "q" / "bolt").rename(tmp_path / "q" / "screw")
    code, said = bideta("evaluate", sensor, tmp_path / "q")
    assert code == 2
    assert "classes that the sensor does not know: screw. Known: bolt, key, nut [M8]" in said


def test_inspection_shows_encoder_classes_and_spectrum(home, bideta, sensor, tmp_path):
    code, said = bideta("inspect", sensor, "--picture", tmp_path / "s.svg")
    assert code == 0, said
    for part in ("twin-tvl", "tiny.onnx", "3: bolt, key, nut [M8]", "gamma", "readout 2", "24 features"):
        assert part in said
    assert "class prior          equal (1/3)\n" in said
    assert not any(line.endswith(" ") for line in said.splitlines())
    assert b"<svg" in (tmp_path / "s.svg").read_bytes()


def test_another_encoder_is_refused(home, bideta, sensor, tmp_path):
    out = tmp_path / "labels.csv"
    code, said = bideta(
        "predict", sensor, home / "queries", "-o", out, "--set", f"weights={home / 'other.onnx'}"
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


def test_an_artifact_from_python_is_used_with_an_encoder_that_fits_and_a_warning(
    home, bideta, sensor, tmp_path
):
    made = Bideta.load(sensor)
    made.origin_ = {}
    made.save(tmp_path / "x.bideta")
    named = ["--encoder", f"onnx:{home / 'tiny.onnx'}"]
    code, said = bideta("predict", tmp_path / "x.bideta", home / "queries", "-o", tmp_path / "l.csv", *named)
    assert code == 0, said
    assert sum("does not say which encoder" in line for line in said.splitlines()) == 1
    assert all(row["path"].startswith(row["label"] + "/") for row in table(tmp_path / "l.csv"))
    rng = np.random.default_rng(0)
    Bideta().fit(rng.normal(size=(8, 3)), [0, 1] * 4).save(tmp_path / "y.bideta")
    code, said = bideta("predict", tmp_path / "y.bideta", home / "queries", "-o", tmp_path / "m.csv", *named)
    assert code == 2
    assert "has readouts of 3 features, but" in said
    assert not (tmp_path / "m.csv").exists()


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
    assert bideta("adapt", support, "-o", tmp_path / "x.bideta", "--set", weights)[0] == 1
    assert Bideta.load(tmp_path / "x.bideta").origin_["support"] == 17
    for path in (support / "key").iterdir():
        path.write_bytes(b"")
    code, said = bideta("adapt", support, "-o", tmp_path / "y.bideta", "--set", weights)
    assert code == 2
    assert "no image of key can be read; nothing was written" in said
    assert not (tmp_path / "y.bideta").exists()


def test_exchanged_channels_of_the_queries_are_suspected(bideta, home, tmp_path):
    reddish = tmp_path / "s"
    for name in ("a", "b"):
        (reddish / name).mkdir(parents=True)
        for i in range(4):
            Image.new("RGB", (8, 8), (200, 90 + 20 * (name == "b") + i, 40)).save(reddish / name / f"{i}.png")
    bideta("adapt", reddish, "-o", tmp_path / "x.bideta", "--set", f"weights={home / 'tiny.onnx'}")
    assert (
        "look exchanged" not in bideta("predict", tmp_path / "x.bideta", reddish, "-o", tmp_path / "l.csv")[1]
    )
    for path in reddish.rglob("*.png"):
        Image.fromarray(read_image(path)[..., ::-1].copy()).save(path)
    code, said = bideta("predict", tmp_path / "x.bideta", reddish, "-o", tmp_path / "l.csv")
    assert code == 0
    assert "red and blue look exchanged" in said


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
            "expected support or none or auto or mixed",
        ),
        (["predict", "{home}/none", "{home}/queries", "-o", "{tmp}/x"], "no artifact at"),
        (["predict", "{home}/tiny.onnx", "{home}/queries", "-o", "{tmp}/x"], "damaged"),
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


def test_file_names_of_any_bytes_are_kept(home, bideta, sensor, tmp_path):
    strange = b"a\xff=,\n.png"
    (tmp_path / "q").mkdir()
    shutil.copy(home / "queries/bolt/0.png", bytes(tmp_path / "q") + b"/" + strange)
    (tmp_path / "q" / "b[red]\udcfe.png").write_bytes(b"broken")
    code, said = bideta("predict", sensor, tmp_path / "q", "-o", tmp_path / "l.csv")
    assert code == 1
    assert "b[red]\ufffd.png" in said
    assert strange in (tmp_path / "l.csv").read_bytes()


def test_risk_and_novelty_turn_answers_into_dont_know_and_unknown(home, bideta, sensor, tmp_path):
    out = tmp_path / "l.csv"
    code, said = bideta("predict", sensor, home / "queries", "-o", out, "--risk", 0.5, "--novelty", 0.2)
    assert code == 0, said
    rows = table(out)
    assert list(rows[0])[-2:] == ["best_guess", "novelty"]
    assert all(row["best_guess"] == row["label"] or row["label"] in ("don't know", "unknown") for row in rows)
    answered = [row for row in rows if row["label"] not in ("don't know", "unknown")]
    assert len(answered) >= len(rows) / 2
    assert all(row["path"].startswith(row["label"] + "/") for row in answered)
    assert f"{len(answered)} images labelled" in said
    code, said = bideta("predict", sensor, home / "queries", "-o", out, "--risk", 0.01, "--novelty", 0.01)
    assert code == 0, said
    assert (
        "a risk of 0.01 cannot be promised: there are 18 labelled contacts to test it on, it takes 230"
        in said
    )
    least = re.search(r"--risk (0\.\d+) is the smallest", said)
    assert least
    code, said = bideta("predict", sensor, home / "queries", "-o", tmp_path / "x.csv", "--risk", least[1])
    assert code == 0
    assert "cannot be promised" not in said
    _, said = bideta("predict", sensor, home / "queries", "-o", out, "--risk", 0.01, "--novelty", 0.01)
    assert "too few labelled contacts for a false-alarm rate of 0.01" in said
    assert {row["label"] for row in table(out)} == {"don't know"}


def test_a_class_that_is_called_unknown_is_refused_where_that_means_something_else(home, bideta, tmp_path):
    shutil.copytree(home / "support", tmp_path / "support")
    (tmp_path / "support" / "key").rename(tmp_path / "support" / "unknown")
    weights = f"weights={home / 'tiny.onnx'}"
    code, said = bideta("adapt", tmp_path / "support", "-o", tmp_path / "x.bideta", "--set", weights)
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
    code, said = bideta("adapt", tmp_path / "few", "-o", tmp_path / "x.bideta", "--set", weights)
    assert code == 0
    assert "forgotten holds no images; it is not a class" in said
    assert "one class only, so every query will be given it" in said
    assert "1 class, 6 labelled images" in said


def test_download_reaches_the_encoder_and_is_not_remembered(home, bideta, tmp_path, monkeypatch):
    asked = []
    real = adapt.load_encoder

    def load_encoder(name, *, download=False, weights=None):
        asked.append(download)
        return real(name, weights=weights)

    monkeypatch.setattr(adapt, "load_encoder", load_encoder)
    monkeypatch.setattr(adapt, "load_plugin", lambda load, name, settings: load(name, **settings))
    out = tmp_path / "x.bideta"
    code, said = bideta(
        "adapt", home / "support", "-o", out, "--set", f"weights={home / 'tiny.onnx'}", "--download"
    )
    assert code == 0, said
    assert asked == [True]
    assert "download" not in Bideta.load(out).origin_["settings"]


def test_a_class_with_a_single_image_is_named_and_priors_are_passed_on(home, bideta, tmp_path):
    support = shutil.copytree(home / "support", tmp_path / "s")
    for path in sorted((support / "nut [M8]").iterdir())[1:]:
        path.unlink()
    adapt_here = ["adapt", support, "-o", tmp_path / "x.bideta", "--set", f"weights={home / 'tiny.onnx'}"]
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
    assert "warning" not in said
    assert "3 classes, 1 labelled image each" in said
