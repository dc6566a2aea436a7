"""adapt, predict, rank, evaluate and inspect on a folder of pictures, with a tiny encoder."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import numpy as np
from PIL import Image

from bideta import Bideta, sensor_file
from bideta.cli.predict import no_promise
from bideta.deploy import HeldOut
from bideta.service import backgrounds
from support.coloured_folders import COLOURS, table


def test_labels_come_with_probability_reliability_and_second_choice(home, bideta, sensor, tmp_path):
    code, said = bideta("predict", sensor, home / "queries", "-o", tmp_path / "labels.csv")
    assert code == 0, said
    rows = table(tmp_path / "labels.csv")
    assert list(rows[0]) == [
        "path",
        "label",
        "probability",
        "reliability",
        "second_choice",
        "reliability_lower",
    ]
    assert [row["path"] for row in rows[:2]] == ["bolt/0.png", "bolt/1.png"]
    assert all(row["path"].startswith(row["label"] + "/") for row in rows)
    assert all(row["second_choice"] in set(COLOURS) - {row["label"]} for row in rows)
    assert all(
        0 <= float(row[name]) <= 1
        for row in rows
        for name in ("reliability", "probability", "reliability_lower")
    )


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
    assert "class prior          relaxed: estimated for every batch\n" in said
    assert not any(line.endswith(" ") for line in said.splitlines())
    assert b"<svg" in (tmp_path / "s.svg").read_bytes()


def test_an_artifact_from_python_is_used_with_an_encoder_that_fits_and_a_warning(
    home, bideta, sensor, tmp_path
):
    made = sensor_file.load(sensor)
    sensor_file.save(replace(made, origin={}), tmp_path / "x.bideta")
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


def test_a_risk_that_cannot_be_promised_says_how_the_hidden_contacts_were_asked():
    h, rng = 86, np.random.default_rng(0)
    own = np.arange(h)
    proba = np.eye(2)[(own % 4 == 0).astype(int)]
    agreement, strangeness = rng.random((h, 4)), rng.random((h, 4))
    held = HeldOut(np.zeros(h, int), own % 5, own, proba, agreement, strangeness, np.zeros((5, 0, 2)))
    said = no_promise(held, 0.05)
    assert "of 86 labelled contacts that were hidden and asked in a batch like this one" in said
    assert "(adapt asks them by themselves) 22 were answered wrongly" in said


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
        "a risk of 0.01 cannot be promised: there are 18 labelled presses to test it on, it takes 230" in said
    )
    least = re.search(r"--risk (0\.\d+) is the smallest", said)
    assert least
    code, said = bideta("predict", sensor, home / "queries", "-o", tmp_path / "x.csv", "--risk", least[1])
    assert code == 0
    assert "cannot be promised" not in said
    _, said = bideta("predict", sensor, home / "queries", "-o", out, "--risk", 0.01, "--novelty", 0.01)
    assert "too few labelled presses for a false-alarm rate of 0.01" in said
    assert {row["label"] for row in table(out)} == {"don't know"}


def test_download_reaches_the_encoder_and_is_not_remembered(home, bideta, tmp_path, monkeypatch):
    asked = []
    real = backgrounds.load_plugin

    def load_plugin(kind, name, settings, *, download=False):
        asked.append(download)
        return real(kind, name, settings)

    monkeypatch.setattr(backgrounds, "load_plugin", load_plugin)
    out = tmp_path / "x.bideta"
    code, said = bideta(
        "adapt",
        home / "support",
        "-o",
        out,
        "--encoder",
        "twin-tvl",
        "--set",
        f"weights={home / 'tiny.onnx'}",
        "--download",
    )
    assert code == 0, said
    assert asked == [True]
    assert "download" not in Bideta.load(out).sensor_.origin["settings"]


def test_sets_name_all_possible_classes_best_first(home, bideta, sensor, tmp_path):
    out = tmp_path / "l.csv"
    code, said = bideta("predict", sensor, home / "queries", "-o", out, "--sets", 0.8)
    assert code == 0, said
    rows = table(out)
    sets = [row["possible"].split("; ") if row["possible"] else [] for row in rows]
    assert any(len(one) == 1 for one in sets)
    assert all(one[0] == row["label"] for one, row in zip(sets, rows, strict=True) if row["label"] in one)
    held = [row["path"].split("/")[0] in one for one, row in zip(sets, rows, strict=True)]
    assert sum(held) / len(held) > 0.6
    code, by_class = bideta("predict", sensor, home / "queries", "-o", out, "--sets", 0.9, "--sets-by-class")
    assert code == 0
    assert "--sets 0.9 excludes nothing: a class needs 9 labelled presses or more" in by_class
    assert all(len(row["possible"].split("; ")) == len({row["label"] for row in rows}) for row in table(out))


def test_sets_are_refused_where_they_mean_nothing(home, bideta, sensor, tmp_path):
    for given, words in (
        (("--sets", "1.5"), "--sets=1.5: expected"),
        (("--sets-by-class",), "give --sets"),
        (("--sets", "0.9", "--by", "press"), "--sets decides about frames"),
    ):
        code, said = bideta("predict", sensor, home / "queries", "-o", tmp_path / "l.csv", *given)
        assert code == 2
        assert words in " ".join(said.split())
