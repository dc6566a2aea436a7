"""bideta suggest on a folder of pictures, with a tiny encoder."""

from __future__ import annotations

import csv
import shutil

import numpy as np
import pytest
from PIL import Image

from support.releases import tiny_onnx

pytest.importorskip("onnx")
COLOURS = {"bolt": (200, 60, 40), "key": (60, 190, 60), "nut": (50, 60, 200)}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """An encoder, and a pool of nine pictures of each object; press folders hold three."""
    home = tmp_path_factory.mktemp("pool")
    tiny_onnx(home / "tiny.onnx")
    rng = np.random.default_rng(0)
    for name, colour in COLOURS.items():
        for press in range(3):
            folder = home / "pool" / f"{name}-{press}"
            folder.mkdir(parents=True)
            tint = rng.normal(0, 10, 3)
            for i in range(3):
                pixels = np.array(colour) + tint + rng.normal(0, 25, (16, 20, 3))
                Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(folder / f"{i}.png")
    return home


def test_a_cold_start_names_pictures_of_every_object(home, bideta, tmp_path):
    out = tmp_path / "next.csv"
    weights = f"weights={home / 'tiny.onnx'}"
    code, said = bideta(
        "suggest", home / "pool", "--budget", 3, "--encoder", "twin-tvl", "--set", weights, "--csv", out
    )
    assert code == 0, said
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["path"].split("-")[0] for row in rows} == set(COLOURS)
    lines = [line for line in said.splitlines() if "stands for" in line]
    assert [line.split()[0] for line in lines] == [row["path"] for row in rows]
    assert len({line.index("stands for") for line in lines}) == 1
    assert (
        said.count("numbers: images that it represents better than any labelled one and any further up") == 1
    )
    assert "doubt" not in said  # nothing is labelled: there is none
    assert {row["guess"] for row in rows} == {""}


def test_presses_are_suggested_once(home, bideta, tmp_path):
    weights = f"weights={home / 'tiny.onnx'}"
    code, said = bideta(
        "suggest", home / "pool", "--budget", 9, "--presses", "--encoder", "twin-tvl", "--set", weights
    )
    assert code == 0, said
    folders = [line.split("/")[0] for line in said.splitlines() if "stands for" in line]
    assert len(folders) == len(set(folders)) == 9


def test_folders_called_presses_need_no_option_and_loose_pictures_are_their_own(home, bideta, tmp_path):
    weights = f"weights={home / 'tiny.onnx'}"
    found = sorted((home / "pool").iterdir())
    for i, folder in enumerate(found):
        shutil.copytree(folder, tmp_path / "pool" / f"press {i}")
    code, said = bideta(
        "suggest", tmp_path / "pool", "--budget", 20, "--encoder", "twin-tvl", "--set", weights
    )
    assert code == 0, said
    assert "there are 9 presses" in said
    for i in range(2):
        shutil.copy(found[0] / f"{i}.png", tmp_path / "pool" / f"{i}.png")
    code, said = bideta(
        "suggest", tmp_path / "pool", "--budget", 20, "--encoder", "twin-tvl", "--set", weights, "--presses"
    )
    assert code == 0, said
    assert "there are 11 presses" in said
    shutil.copytree(
        found[-1], tmp_path / "pool" / "nut"
    )  # as "capture --per-press 1" leaves them: each its own press
    code, said = bideta(
        "suggest", tmp_path / "pool", "--budget", 20, "--encoder", "twin-tvl", "--set", weights
    )
    assert code == 0, said
    assert "there are 14 presses" in said


@pytest.mark.parametrize("presses", [True, False])
def test_a_budget_beyond_the_pool_is_said_and_cut(home, bideta, presses):
    weights = f"weights={home / 'tiny.onnx'}"
    images = len(list((home / "pool").rglob("*.png")))
    there = len({path.parent for path in (home / "pool").rglob("*.png")}) if presses else images
    option = ["--presses"] if presses else []
    code, said = bideta(
        "suggest", home / "pool", "--budget", images + 5, *option, "--encoder", "twin-tvl", "--set", weights
    )
    assert code == 0, said
    assert f"--budget is {images + 5}, there are {there} {'presses' if presses else 'images'}" in said
    assert said.count("stands for") == there


def test_an_adapted_sensor_says_what_it_doubts(home, bideta, tmp_path):
    support = tmp_path / "support"
    for name in ("bolt", "key"):
        (support / name).mkdir(parents=True)
        for i in range(3):
            (support / name / f"{i}.png").write_bytes((home / "pool" / f"{name}-0" / f"{i}.png").read_bytes())
    sensor = tmp_path / "s.bideta"
    weights = f"weights={home / 'tiny.onnx'}"
    assert bideta("adapt", support, "-o", sensor, "--encoder", "twin-tvl", "--set", weights)[0] == 0
    code, said = bideta("suggest", home / "pool", "--budget", 100, "--sensor", sensor, "--set", weights)
    assert code == 0, said
    lines = [line for line in said.splitlines() if "stands for" in line]
    assert len(lines) == 27  # the pool, and no more
    assert all("(guess: bolt)" in line or "(guess: key)" in line for line in lines)
    assert lines[0].startswith("nut-")  # nobody has labelled one
    assert len({line.index("doubt ") for line in lines}) == 1
    assert "doubt: 0 = the sensor is sure" in said


def test_bad_input_is_one_readable_line(home, bideta, tmp_path):
    code, said = bideta("suggest", tmp_path / "none")
    assert code == 2
    assert "expected a folder of images" in said
    code, said = bideta("suggest", home / "pool", "--csv", tmp_path / "none" / "x.csv")
    assert code == 2
    assert "does not exist" in said
