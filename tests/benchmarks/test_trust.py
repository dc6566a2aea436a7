"""The benchmarks of trust over time in their quick versions, on made-up readouts; no figure is asserted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.measuring.results import FOLDER, ROOT, answers
from benchmarks.trust import earlier, foreign, page, presses, strangers, wear
from benchmarks.trust.recordings import Recording
from benchmarks.trust.rivals import __main__ as rivals

from support.sensor_shift import episode


def made_up(design, cache, per_class=30, frames=3, seed=0, name="", wear=None) -> Recording:
    """Contacts of another sensor for every seed; worn ones lie elsewhere."""
    data = episode(seed=7, C=5, shots=per_class * frames, per_class=1, signal=2)
    moved = 0.0 if wear is None else 3.0
    readouts = tuple(H + moved for H in data.support)
    return Recording(readouts, data.labels, np.arange(len(data.labels)) // frames)


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    def run(module, record):
        monkeypatch.setattr(module, "twin", made_up)
        module.main(["--quick", "--cache", str(tmp_path), "--results", str(tmp_path)])
        return json.loads((tmp_path / f"{record}.json").read_text())["tasks"]

    return run


def test_earlier_sensors_are_compared_with_a_start_anew(tasks, capsys):
    for name, record in tasks(earlier, "earlier").items():
        assert name.rpartition(" | ")[2] in ("1", "2")
        for draw in record["result"]["draws"]:
            assert {"anew", "together", "kept", "share"} == set(draw)
            assert draw["kept"] in (draw["anew"], draw["together"]) or draw["share"] == 0.5
    assert "kept" in capsys.readouterr().out


def test_presses_are_asked_frame_by_frame(tasks, capsys):
    (record,) = tasks(presses, "anytime").values()
    result = record["result"]
    assert len(result["alone"]) == len(result["so_far"]) == 4
    for early in result["early"].values():
        assert 0 <= early["sure_wrong"] <= early["sure"] <= early["presses"] == 10
        assert early["sure"] - early["sure_wrong"] + early["again_right"] == early["all_right"]
    assert "stopping when sure" in capsys.readouterr().out


def test_wear_is_found_on_contacts_that_lie_elsewhere(tasks, capsys):
    records = tasks(wear, "wear")
    healthy, worn = (record["result"] for record in records.values())
    assert healthy["alarms"] == 0
    assert worn["estimated_loss"] > -100
    assert {"old", "anew", "kept"} == set(worn["repaired"]["1"][0])
    assert "healthy streams called worn" in capsys.readouterr().out


def test_strangers_are_asked_beside_enrolled_classes(tasks, monkeypatch, capsys):
    monkeypatch.setattr(strangers, "TWIN", {"Mini_1": (3,)})
    for name, record in tasks(strangers, strangers.NAME).items():
        assert name.startswith("simulated | Mini_1 | 3 | ")
        assert {batch.split(" | ")[0] for batch in record["result"]} == {*strangers.ORDER} - {strangers.DAY}
        for count, few, warned, *_ in record["result"].values():
            assert 0 <= few + warned <= count
    assert "| strangers | all |" in capsys.readouterr().out


def test_records_stay_small():
    for name in ("earlier", "anytime", "wear", "trust-rivals", "strangers"):
        place = FOLDER / f"{name}.json"
        assert not place.exists() or place.stat().st_size < 100_000, name


def test_the_pages_follow_from_the_results(tmp_path):
    (tmp_path / "evidence").mkdir()
    page.main(["--docs", str(tmp_path)])
    for name in ("trust-over-time.md", "gel-health.md"):
        assert (tmp_path / "evidence" / name).read_text() == (ROOT / "docs" / "evidence" / name).read_text()
    foreign.write_page(FOLDER, tmp_path / "evidence")
    assert (tmp_path / "evidence" / "foreign.md").read_text() == (
        ROOT / "docs" / "evidence" / "foreign.md"
    ).read_text()
    rivals.page.write(tmp_path, answers(FOLDER, rivals.NAME))
    written = (tmp_path / "evidence" / "trust-rivals.md").read_text()
    assert written == (ROOT / "docs" / "evidence" / "trust-rivals.md").read_text()
