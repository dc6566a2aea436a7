"""A sensor's background on the command line: found, kept, given to encoders that ask for it, replaced."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from PIL import Image

from bideta import Bideta, load_encoder
from bideta.images.background import read_background
from bideta.images.differences import difference
from bideta.images.reading import read_image
from support.coloured_folders import table

CLASSES, PRESSES, SIDE = ("bolt", "coin", "key"), 4, 32
ENCODER = "difference:handmade"


def gel(light):
    """The untouched gel under some light."""
    return np.random.default_rng(9).integers(40, 90, (SIDE, SIDE, 3)) + light


def written(path, picture):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8)).save(path)


def record(root, seed, light=lambda c, press: 0):
    """class/press k/*.png: faint bars on a gel, the class says where; untouched frames beside it."""
    rng = np.random.default_rng(seed)
    for c, name in enumerate(CLASSES):
        for press in range(1, PRESSES + 1):
            empty = gel(light(c, press))
            written(root.with_name(f"{root.name}-untouched") / name / f"press {press}" / "0.png", empty)
            for i in range(2):
                touched = empty + rng.integers(-2, 3, empty.shape)
                touched[4 + 9 * c : 9 + 9 * c, 8:24] += 12
                written(root / name / f"press {press}" / f"{i}.png", touched)
    return root


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("gel")
    for name, seed in (("support", 0), ("queries", 1)):
        record(home / name, seed)
    for name in ("support", "queries"):
        shutil.move(home / f"{name}-untouched", home / f"{name}-empty")  # where nobody looks
    for i in range(3):
        written(home / "empty" / f"{i}.png", gel(i))
    return home


def adapted(bideta, home, *options, support="support", encoder=ENCODER):
    out = home / "sensor.bideta"
    code, said = bideta("adapt", home / support, "-o", out, "--encoder", encoder, *options)
    assert code == 0, said
    return out, said


def test_a_background_is_kept_and_given_to_the_encoder(bideta, home, tmp_path):
    sensor, said = adapted(bideta, home, "--background", home / "empty")
    assert "median" not in said
    expected = read_background(home / "empty")
    np.testing.assert_array_equal(Bideta.load(sensor).sensor_.background, expected)
    code, said = bideta("predict", sensor, home / "queries", "-o", tmp_path / "a.csv")
    assert code == 0, said
    rows = table(tmp_path / "a.csv")
    assert all(row["label"] == row["path"].split("/")[0] for row in rows)
    # The same answers as in Python, to the last digit that the table shows.
    encoder = load_encoder(ENCODER, background=expected)
    proba = Bideta.load(sensor).predict_proba(
        encoder.encode([read_image(home / "queries" / row["path"]) for row in rows])
    )
    assert [row["probability"] for row in rows] == [f"{p:.6f}" for p in proba.max(axis=1)]
    for command in ("rank", "suggest"):
        given = ("-o", tmp_path / "b.csv") if command == "rank" else ("--csv", tmp_path / "b.csv")
        where = (sensor, home / "queries") if command == "rank" else (home / "queries", "--sensor", sensor)
        code, said = bideta(command, *where, *given)
        assert code == 0, said
    assert bideta("evaluate", sensor, home / "queries")[0] == 0


def test_a_folder_beside_the_classes_is_the_background_and_no_class(bideta, home):
    shutil.copytree(home / "support", home / "with" / "support")
    shutil.copytree(home / "empty", home / "with" / "support" / "background")
    sensor, said = adapted(bideta, home / "with", encoder="handmade")  # kept, whether or not it is asked for
    assert "background: the pictures in" in said
    loaded = Bideta.load(sensor)
    assert loaded.classes_.tolist() == list(CLASSES)
    np.testing.assert_array_equal(loaded.sensor_.background, read_background(home / "empty"))
    assert bideta("evaluate", sensor, home / "with" / "support")[0] == 0


def test_without_any_the_median_of_the_support_is_taken_and_said(bideta, home):
    sensor, said = adapted(bideta, home, encoder=f"handmade+{ENCODER}")
    assert "background: the median of the images" in said
    np.testing.assert_array_equal(Bideta.load(sensor).sensor_.background, read_background(home / "support"))
    code, said = bideta("suggest", home / "queries", "--encoder", ENCODER, "--budget", 3)
    assert code == 0
    assert "background: the median of the images" in said


def test_who_does_not_ask_gets_a_file_as_before(bideta, home):
    sensor, said = adapted(bideta, home, encoder="handmade")
    assert "background" not in said
    assert Bideta.load(sensor).sensor_.background is None


def test_inspect_says_and_writes_it(bideta, home, tmp_path):
    sensor, _ = adapted(bideta, home, "--background", home / "empty" / "1.png")
    picture = tmp_path / "background.png"
    code, said = bideta("inspect", sensor, "--background-picture", picture)
    assert code == 0
    assert "32 × 32 pixels" in said
    np.testing.assert_array_equal(read_image(picture), read_image(home / "empty" / "1.png"))
    sensor, _ = adapted(bideta, home, encoder="handmade")
    code, said = bideta("inspect", sensor, "--background-picture", picture)
    assert code != 0
    assert "has no background" in said


def test_a_background_of_today_replaces_that_of_the_file(bideta, home, tmp_path):
    """The light has changed by 40 since: against the old background every picture is overexposed."""
    record(tmp_path / "later", 2, lambda c, press: 40)
    shutil.rmtree(tmp_path / "later-untouched")
    written(tmp_path / "today.png", gel(40))
    sensor, _ = adapted(bideta, home, "--background", home / "empty" / "0.png")
    code, said = bideta("evaluate", sensor, tmp_path / "later", "--background", tmp_path / "today.png")
    assert code == 0, said
    assert "accuracy  1.0000" in said
    code, today = bideta(
        "predict",
        sensor,
        tmp_path / "later",
        "-o",
        tmp_path / "a.csv",
        "--background",
        tmp_path / "today.png",
    )
    assert code == 0, today
    encoder = load_encoder(ENCODER, background=read_image(tmp_path / "today.png"))
    rows = table(tmp_path / "a.csv")
    labels = Bideta.load(sensor).predict(
        encoder.encode([read_image(tmp_path / "later" / row["path"]) for row in rows])
    )
    assert [row["label"] for row in rows] == labels.tolist()


def test_refusals_say_what_to_do(bideta, home, tmp_path):
    support, out = home / "support", tmp_path / "x.bideta"
    for options, message in (
        (("--background", tmp_path / "none.png"), "no background"),
        (("--set", "background=a.png"), "from --background, not from --set"),
        (("--minus-untouched",), "use one of both"),
    ):
        code, said = bideta("adapt", support, "-o", out, "--encoder", ENCODER, *options)
        assert code != 0
        assert message in " ".join(said.split())
        assert not out.exists()
    code, said = bideta("adapt", support, "-o", out, "--encoder", "handmade", "--minus-untouched")
    assert code != 0
    assert "support-untouched" in said


@pytest.fixture(scope="module")
def drifting(tmp_path_factory):
    """Light that grows class by class in the support, and in the other order at work."""
    home = tmp_path_factory.mktemp("drift")
    record(home / "support", 0, lambda c, press: 8 * (c * PRESSES + press))
    record(home / "queries", 1, lambda c, press: 8 * ((2 - c) * PRESSES + press))
    return home


def test_pictures_minus_their_untouched_frames_are_told_whatever_the_light(bideta, drifting, tmp_path):
    sensor, said = adapted(bideta, drifting, "--minus-untouched", encoder="handmade")
    assert "differ in background" not in said  # what was subtracted cannot leak
    assert Bideta.load(sensor).sensor_.origin["minus_untouched"] is True
    code, said = bideta("evaluate", sensor, drifting / "queries", "--minus-untouched")
    assert code == 0
    assert "accuracy  1.0000" in said
    code, said = bideta("predict", sensor, drifting / "queries", "-o", tmp_path / "a.csv")  # it remembers
    assert code == 0
    assert "warning" not in said
    rows = table(tmp_path / "a.csv")
    pictures = [
        difference(
            read_image(drifting / "queries" / row["path"]),
            read_image((drifting / "queries-untouched" / row["path"]).with_name("0.png")),
        )
        for row in rows
    ]
    proba = Bideta.load(sensor).predict_proba(load_encoder("handmade").encode(pictures))
    assert [row["probability"] for row in rows] == [f"{p:.6f}" for p in proba.max(axis=1)]
    assert "differences to each press's untouched frame" in bideta("inspect", sensor)[1]


def test_without_untouched_frames_the_background_stands_in_with_a_warning(bideta, drifting, tmp_path):
    sensor, _ = adapted(bideta, drifting, "--minus-untouched", encoder="handmade")
    expected = read_background(drifting / "support-untouched")
    np.testing.assert_array_equal(Bideta.load(sensor).sensor_.background, expected)
    shutil.copytree(drifting / "queries", tmp_path / "alone")
    code, said = bideta("predict", sensor, tmp_path / "alone", "-o", tmp_path / "a.csv")
    assert code == 0
    assert "warning: no untouched frames in" in said
    code, said = bideta("predict", sensor, tmp_path / "alone", "-o", tmp_path / "a.csv", "--minus-untouched")
    assert code != 0
    assert "alone-untouched" in said


def test_a_sensor_of_differences_without_a_background_refuses(bideta, drifting, tmp_path):
    sensor, _ = adapted(bideta, drifting, "--minus-untouched", encoder="handmade")
    loaded = Bideta.load(sensor)
    e = loaded.sensor_
    Bideta(**loaded.get_params()).fit(e.support, e.classes[e.labels], origin=e.origin).save(
        tmp_path / "b.bideta"
    )
    shutil.copytree(drifting / "queries", tmp_path / "alone")
    code, said = bideta("predict", tmp_path / "b.bideta", tmp_path / "alone", "-o", tmp_path / "a.csv")
    assert code != 0
    assert "its file has no background" in said
    sensor, _ = adapted(bideta, drifting, encoder="handmade")
    code, said = bideta(
        "predict", sensor, drifting / "queries", "-o", tmp_path / "a.csv", "--minus-untouched"
    )
    assert code != 0
    assert "was adapted on pictures as they are" in said


def archived(root, out):
    """The same recording as one file, each contact with the untouched frame of its press."""
    paths = sorted(root.rglob("*.png"))
    beside = root.with_name(f"{root.name}-untouched")
    frames = [beside / path.relative_to(root).parent / "0.png" for path in paths]
    np.savez(
        out,
        X=np.stack([np.asarray(Image.open(path)) for path in paths]),
        untouched=np.stack([np.asarray(Image.open(path)) for path in frames]),
        y=[path.parts[-3] for path in paths],
        press=["/".join(path.parts[-3:-1]) for path in paths],
    )
    return out


def test_a_recording_that_holds_its_untouched_frames_is_answered_as_the_folders_are(
    bideta, drifting, tmp_path
):
    answers = {}
    for kind in ("folders", "archive"):
        if kind == "folders":
            support, queries = drifting / "support", drifting / "queries"
        else:
            support, queries = (
                archived(drifting / name, tmp_path / f"{name}.npz") for name in ("support", "queries")
            )
        sensor, out = tmp_path / f"{kind}.bideta", tmp_path / f"{kind}.csv"
        code, said = bideta("adapt", support, "-o", sensor, "--encoder", "handmade", "--minus-untouched")
        assert code == 0, said
        code, said = bideta("predict", sensor, queries, "-o", out, "--minus-untouched")
        assert code == 0, said
        answers[kind] = [(row["label"], row["probability"]) for row in table(out)]
    assert answers["archive"] == answers["folders"]
    assert len(set(answers["folders"])) > 1
