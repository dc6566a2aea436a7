"""``bideta adapt --from``: what an earlier sensor knew."""

from __future__ import annotations

import re

import numpy as np
from PIL import Image

from bideta import Bideta
from bideta.deploy import earlier
from support.coloured_folders import COLOURS, draw


def test_an_earlier_sensor_is_kept_and_the_file_says_so(bideta, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw(tmp_path / "before", 8, 0)
    draw(tmp_path / "today", 1, 1)
    encoder = ("--encoder", "handmade")
    assert bideta("adapt", "before", "-o", "old.bideta", *encoder)[0] == 0
    code, said = bideta("adapt", "today", "--from", "old.bideta", "-o", "new.bideta", *encoder)
    assert code == 0
    assert "24 earlier contacts kept (100%)" in said
    sensor = Bideta.load("new.bideta").sensor_
    assert (len(sensor.labels), sensor.earlier, sensor.origin["labels"]["from"]) == (27, 24, "old.bideta")
    assert "cannot be measured" not in said
    assert (
        "warning: one new labelled image of every class: 3 can be hidden in turn, to say how reliable" in said
    )
    assert "3 new labelled contacts are told by the others and the 24 earlier ones" in said
    inspected = bideta("inspect", "new.bideta")[1]
    assert "3 new contacts, 24 of old.bideta" in inspected
    assert "3 new\n" in re.sub(" +", " ", inspected).replace(" \n", "\n")


def renamed(root):
    """The same folders, of other classes."""
    for name in COLOURS:
        (root / name).rename(root / f"other {name[0]}")


def test_another_sensor_with_other_classes_is_a_start_anew_and_says_so(bideta, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw(tmp_path / "before", 8, 0)
    draw(tmp_path / "today", 1, 1)
    renamed(tmp_path / "today")
    for picture in (tmp_path / "today").rglob("*.png"):
        pixels = np.zeros((16, 20, 3), np.uint8)
        pixels[::2] = np.asarray(Image.open(picture))[::2] // 4
        Image.fromarray(pixels).save(picture)
    monkeypatch.setattr(earlier, "OTHER_SENSOR", 1.0)  # objects in plain colours have a wide spread
    encoder = ("--encoder", "handmade")
    assert bideta("adapt", "before", "-o", "old.bideta", *encoder)[0] == 0
    code, said = bideta("adapt", "today", "--from", "old.bideta", "-o", "new.bideta", *encoder)
    assert code == 0
    assert "no earlier contacts kept" in said
    assert "old.bideta look like another sensor's" in said
    assert "Its classes bolt, key, nut [M8] are left out" in said
    assert Bideta.load("new.bideta").classes_.tolist() == ["other b", "other k", "other n"]


def test_other_classes_that_nothing_speaks_for_are_kept_with_a_warning(bideta, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw(tmp_path / "before", 8, 0)
    draw(tmp_path / "today", 1, 1)
    renamed(tmp_path / "today")
    encoder = ("--encoder", "handmade")
    assert bideta("adapt", "before", "-o", "old.bideta", *encoder)[0] == 0
    code, said = bideta("adapt", "today", "--from", "old.bideta", "-o", "new.bideta", *encoder)
    assert code == 0
    assert "24 earlier contacts kept (100%)" in said
    assert "warning: old.bideta has no class in common with the new contacts" in said
    assert "without --from they are left out" in said


def test_an_earlier_sensor_of_another_encoder_is_refused(bideta, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw(tmp_path / "before", 2, 0)
    assert bideta("adapt", "before", "-o", "old.bideta", "--encoder", "handmade")[0] == 0
    code, said = bideta(
        "adapt", "before", "--from", "old.bideta", "-o", "new.bideta", "--encoder", "twin-tvl"
    )
    assert code != 0
    assert "give the same --encoder" in said
    assert not (tmp_path / "new.bideta").exists()
