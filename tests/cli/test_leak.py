from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

CLASSES, PRESSES = ("bolt", "coin", "key"), 6


def write(folder, pictures):
    """class/press k/0.png … of every class and press."""
    for (name, press), frames in pictures.items():
        place = folder / name / f"press {press}"
        place.mkdir(parents=True)
        for i, frame in enumerate(frames):
            Image.fromarray(frame).save(place / f"{i}.png")


@pytest.fixture
def recording(tmp_path):
    """A folder of presses; its untouched frames grow brighter class by class (``drift``) or not at all."""

    def make(drift):
        rng = np.random.default_rng(0)
        pictures, empty = {}, {}
        for c, name in enumerate(CLASSES):
            for press in range(1, PRESSES + 1):
                light = 90 + drift * (c * PRESSES + press)
                empty[name, press] = rng.normal(light, 3, (1, 32, 32, 3)).clip(0, 255).astype(np.uint8)
                touched = rng.normal(light, 3, (2, 32, 32, 3))
                touched[:, 4 + 8 * c : 8 + 8 * c, 8:24] += 60
                pictures[name, press] = touched.clip(0, 255).astype(np.uint8)
        write(tmp_path / "objects", pictures)
        write(tmp_path / "objects-untouched", empty)
        return tmp_path / "objects"

    return make


def test_drift_is_told_and_adapt_warns(bideta, recording, tmp_path):
    folder = recording(4)
    code, said = bideta("data", "leak", folder, "--encoder", "twin-tvl")
    assert code == 0
    names = (
        said.splitlines()[0].replace("told blind", "told_blind").replace("late blind", "late_blind").split()
    )
    assert len(set(names)) == len(names) == 6
    assert said.count("chance: share of the class with most presses") == 1
    assert "The classes differ in background." in said
    code, said = bideta("adapt", folder, "-o", tmp_path / "a.bideta", "--encoder", "twin-tvl")
    assert code == 0
    assert "warning: your classes differ in background" in said


def test_without_drift_nobody_warns(bideta, recording, tmp_path):
    folder = recording(0)
    code, said = bideta("data", "leak", folder, "--encoder", "twin-tvl", "--encoder", "twin-sparsh")
    assert code == 0
    assert said.count("No leak is seen: 18 backgrounds") == 2
    code, said = bideta("adapt", folder, "-o", tmp_path / "a.bideta", "--encoder", "twin-tvl")
    assert code == 0
    assert "background" not in said


def test_first_frames_prove_nothing(bideta, recording):
    folder = recording(0)
    folder.rename(folder.with_name("others"))
    code, said = bideta("data", "leak", folder.with_name("others"))
    assert code == 0
    assert "only untouched frames prove a leak" in said


def test_single_taps_have_no_background_frame(bideta, recording):
    folder = recording(0)
    for name in CLASSES:
        for press in (folder / name).iterdir():
            (press / "0.png").rename(folder / name / f"{press.name}.png")
            (press / "1.png").unlink()
            press.rmdir()
    folder = folder.rename(folder.with_name("taps"))
    code, said = bideta("data", "leak", folder)
    assert code == 2
    assert "every picture is a press of its own" in said
    assert "--untouched" in said
