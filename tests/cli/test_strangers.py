"""Contacts of objects that nobody enrolled: every command that answers says so without being asked."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from PIL import Image

from bideta.deploy.trust.strangers import STRANGERS
from bideta.images.batch_check import BatchCheck

ENROLLED, OTHERS = (5, 9, 14), (3, 7, 11)  # stripes across a picture
SAID = "never enrolled"


def stripes(folder, widths, count, seed):
    """Class folders of noisy stripes; pictures of all classes have the same mean."""
    rng = np.random.default_rng(seed)
    for n in widths:
        for i in range(count):
            phase = rng.uniform(0, 2 * np.pi)
            wave = np.sin(np.linspace(0, 2 * np.pi * n, 96) + phase) * 40
            picture = 120 + wave[None, :, None] + rng.normal(scale=6, size=(72, 96, 3))
            place = folder / f"stripes {n}"
            place.mkdir(parents=True, exist_ok=True)
            Image.fromarray(picture.clip(0, 255).astype(np.uint8)).save(place / f"{i}.png")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stripes")
    stripes(folder / "support", ENROLLED, 8, 0)
    stripes(folder / "known", ENROLLED, 20, 1)
    stripes(folder / "strange", OTHERS, 20, 2)
    return folder


@pytest.fixture
def sensor(home, bideta):
    path = home / "a.bideta"
    if not path.exists():
        code, said = bideta("adapt", home / "support", "-o", path, "--encoder", "handmade")
        assert code == 0, said
    return path


def reliabilities(table):
    with table.open() as file:
        return {row["reliability"] for row in csv.DictReader(file)}


def test_predict_warns_of_strangers_and_withholds_their_reliability(home, sensor, bideta, tmp_path):
    for name, strange in (("known", False), ("strange", True)):
        code, said = bideta("predict", sensor, home / name, "-o", tmp_path / "a.csv")
        assert code == 0, said
        assert (SAID in said) == strange
        assert ("--novelty" in said) == strange
        assert (reliabilities(tmp_path / "a.csv") == {""}) == strange


@pytest.fixture
def called(monkeypatch):
    """Every batch is called strangers."""
    found = BatchCheck("shifted", f"many of these contacts were {SAID}", STRANGERS)
    monkeypatch.setattr("bideta.deploy.trust.intervals.check_strangers", lambda *arguments: found)


@pytest.mark.usefixtures("called")
@pytest.mark.parametrize(
    "command",
    [("predict", "-o"), ("predict", "--by", "press", "--presses", "-o"), ("rank", "-o"), ("evaluate",)],
    ids=" ".join,
)
def test_every_command_that_answers_says_so_once(command, home, sensor, bideta, tmp_path):
    name, *options = command
    place = [tmp_path / "a.csv"] if options else []
    code, said = bideta(name, sensor, home / "known", *options, *place)
    assert code == 0, said
    assert said.count(SAID) == 1


@pytest.mark.usefixtures("called")
@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_shifted_strangers_are_one_warning_with_one_consequence(command, home, sensor, bideta, tmp_path):
    for path in (home / "known").rglob("*.png"):
        darker = tmp_path / "darker" / path.relative_to(home / "known")
        darker.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((np.asarray(Image.open(path)) * 0.75).astype(np.uint8)).save(darker)
    place = ["-o", tmp_path / "a.csv"] if command == "predict" else []
    code, said = bideta(command, sensor, tmp_path / "darker", *place)
    assert code == 0, said
    warnings = [line for line in said.splitlines() if line.startswith("warning:")]
    assert sum("darker" in line or SAID in line for line in warnings) == 1
    assert said.count("darker than") == said.count(SAID) == 1
    assert said.count("Answers are given") == (command == "predict")  # evaluate writes no reliability
    assert "intervals" not in said


@pytest.mark.usefixtures("called")
def test_a_press_of_strangers_has_no_reliability_either(home, sensor, bideta, tmp_path):
    code, said = bideta(
        "predict", sensor, home / "known", "--by", "press", "--presses", "-o", tmp_path / "a.csv"
    )
    assert code == 0, said
    assert reliabilities(tmp_path / "a.csv") == {""}


@pytest.mark.usefixtures("called")
def test_a_promised_risk_answers_no_stranger(home, sensor, bideta, tmp_path):
    code, _ = bideta("predict", sensor, home / "known", "--risk", "0.3", "-o", tmp_path / "a.csv")
    assert code == 0
    with (tmp_path / "a.csv").open() as file:
        assert {row["label"] for row in csv.DictReader(file)} == {"don't know"}
