"""The benchmarks of trust over time in their quick versions, on made-up readouts; no figure is asserted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.measuring.results import FOLDER, ROOT, answers
from benchmarks.trust import (
    earlier,
    foreign,
    page,
    presses,
    promised,
    shifted,
    strangers,
    wear,
    which_presses,
)
from benchmarks.trust.recordings import Recording
from benchmarks.trust.rivals import __main__ as rivals
from benchmarks.trust.shifted_changes import SHIFTS

from bideta.images.looks import sketches
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
        assert {batch.split(" | ")[0] for batch in record["result"]} == {*strangers.ORDER} - {
            strangers.DAY,
            strangers.LATER,
        }
        for count, few, warned, *_ in record["result"].values():
            assert 0 <= few + warned <= count
    assert "| strangers | all |" in capsys.readouterr().out


def test_later_presses_are_asked_by_a_sensor_of_the_early_ones():
    data = episode(seed=7, C=3, shots=40, per_class=4, signal=2)
    recording = Recording(data.support, data.labels, np.arange(120) // 2)
    early, late = recording.in_time()
    for c in range(3):
        assert early.presses[early.labels == c].max() < late.presses[late.labels == c].min()
        assert (early.labels == c).sum() == (late.labels == c).sum() == 20
    cell = strangers.cell(recording, None, 3, 3, 0, later=True)
    asked = list(cell.batches(np.random.default_rng(0)))
    assert {kind for kind, *_ in asked} == {strangers.LATER}
    assert all(np.isin(batch.presses, late.presses).all() for _, _, batch in asked)


def test_shifted_batches_are_asked_beside_genuine_ones(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(0)
    pictures = [rng.integers(40, 200, (24, 32, 3)).astype(np.uint8) for _ in range(100)]

    def made_up_set(root, cache, name) -> shifted.Asked:
        data = episode(seed=7, C=5, shots=20, per_class=20, signal=2)
        known, asked = (
            Recording((*readouts, sketches(pictures)), y, np.arange(100))
            for readouts, y in ((data.support, data.labels), (data.queries, data.truth))
        )
        darker = [(picture * 0.8).astype(np.uint8) for picture in pictures]
        moved = Recording((*(H + 0.5 for H in data.queries), sketches(darker)), data.truth, np.arange(100))
        return shifted.Asked(known, {"genuine": asked, "25 % darker": moved})

    monkeypatch.setattr(shifted, "asked", made_up_set)
    shifted.main(["--quick", "--real", str(tmp_path), "--results", str(tmp_path)])
    cells = json.loads((tmp_path / "shifted.json").read_text())["tasks"]["gelsight-mini-day1 | 5 | 0"]
    assert cells["result"]["25 % darker"][0] in shifted.LEVELS
    level, right, value, lower, answered, _ = cells["result"]["genuine"]
    assert level == "fine"
    assert 0 <= lower <= value <= 1
    assert 0 <= answered <= 1
    assert 0 <= right <= 1
    assert "| genuine, fine | 5 |" in capsys.readouterr().out
    with pytest.raises(ValueError, match="--real is missing"):
        shifted.main(["--quick"])


def test_presses_are_taken_from_the_beginning_the_end_or_all_of_a_day(tmp_path, monkeypatch):
    data = episode(shots=12, per_class=20, seed=3)
    days = [
        Recording(readouts, labels, np.arange(len(labels)) // 2)
        for readouts, labels in ((data.support, data.labels), (data.queries, data.truth))
    ]
    monkeypatch.setattr(which_presses, "real", lambda root, cache, name: days["day2" in name])
    which_presses.main(["--quick", "--real", str(tmp_path), "--results", str(tmp_path)])
    ((name, record),) = json.loads((tmp_path / "which-presses.json").read_text())["tasks"].items()
    assert name == "gelsight-mini-day1 → gelsight-mini-day2 | 2"
    right = record["result"]
    assert {which: len(draws) for which, draws in right.items()} == {
        "first": 1,
        "last": 1,
        "spread": 1,
        "random": 5,
    }
    assert all(0 <= value <= 100 for draws in right.values() for value in draws)
    assert which_presses.rows({name: right})[0][:2] == ["day1 → day2", "2"]
    taken = {which: chosen(np.arange(9)).tolist() for which, chosen in which_presses.choices(3)}
    assert (taken["first"], taken["last"], taken["spread"]) == ([0, 1, 2], [6, 7, 8], [0, 4, 8])
    with pytest.raises(ValueError, match="--real is missing"):
        which_presses.main(["--quick"])


@pytest.mark.parametrize("kind", SHIFTS)
def test_a_change_leaves_size_and_kind_of_a_picture(kind):
    picture = np.random.default_rng(1).integers(0, 256, (24, 32, 3)).astype(np.uint8)
    changed = SHIFTS[kind](picture)
    assert changed.shape == picture.shape
    assert changed.dtype == np.uint8
    assert (changed != picture).any()
    np.testing.assert_array_equal(changed, SHIFTS[kind](picture))


def test_records_stay_small():
    for name in ("earlier", "anytime", "wear", "trust-rivals", "strangers", "shifted"):
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
    promised.write_page(FOLDER, tmp_path / "evidence")
    assert (tmp_path / "evidence" / "promises.md").read_text() == (
        ROOT / "docs" / "evidence" / "promises.md"
    ).read_text()
    rivals.page.write(tmp_path, answers(FOLDER, rivals.NAME))
    written = (tmp_path / "evidence" / "trust-rivals.md").read_text()
    assert written == (ROOT / "docs" / "evidence" / "trust-rivals.md").read_text()
