"""``bideta adapt --from``: what an earlier sensor knew."""

from __future__ import annotations

from bideta import Bideta
from support.coloured_folders import draw


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
    assert "3 new contacts, 24 of old.bideta" in bideta("inspect", "new.bideta")[1]


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
