from __future__ import annotations

import json

import pytest

from bideta.protocol.compute import compute_cell, failure
from bideta.protocol.records import FILE, Writer, read_log
from bideta.protocol.run_folder import FolderInUseError, OtherRunError, claim, missing, owned
from bideta.protocol.stamp import Stamp
from support.tiny_run import tiny_plan

STAMP = Stamp(0.02, {"bideta": "0"}, "abc")
FACTS = {
    "datasets": {"a": {"settings": {"scale": 0.5, "root": "/here"}, "simulated": True}},
    "encoders": {"e": {"settings": {}, "fingerprint": "f"}},
    "scale": 0.5,
}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    plan = tiny_plan(folder)
    return plan.cells(), plan.supply(folder / "cache")


def test_a_folder_belongs_to_one_run_at_a_time(tmp_path):
    with (
        owned(tmp_path),
        pytest.raises(FolderInUseError, match=r"in use by another run \(process \d+\)"),
        owned(tmp_path),
    ):
        pass
    with owned(tmp_path):
        pass


def test_a_folder_keeps_to_its_data_and_weights(tmp_path):
    claim(tmp_path, FACTS, "bideta bench x")
    claim(tmp_path, {**FACTS, "datasets": {"b": {"settings": {"scale": 0.5}, "simulated": True}}})
    known = json.loads((tmp_path / "run.json").read_text())
    assert set(known["datasets"]) == {"a", "b"}
    assert known["command"] == "bideta bench x"
    claim(tmp_path, FACTS, "bideta bench y")
    claim(tmp_path, FACTS, "bideta bench x")
    assert json.loads((tmp_path / "run.json").read_text())["command"] == "bideta bench x; bideta bench y"
    moved = {"datasets": {"a": {"settings": {"scale": 0.5, "root": "/there"}, "simulated": True}}}
    claim(tmp_path, moved)
    for other, text in (
        ({"scale": 1.0}, "scale = 0.5"),
        ({"datasets": {"a": {"settings": {"scale": 0.5, "difficulty": "hard"}}}}, "dataset a"),
        ({"encoders": {"e": {"settings": {}, "fingerprint": "g"}}}, 'encoder e = "f"'),
    ):
        with pytest.raises(OtherRunError, match=text):
            claim(tmp_path, other)
    assert json.loads((tmp_path / "run.json").read_text())["scale"] == 0.5


def test_failed_cells_and_damaged_lines_are_measured_again(tiny, tmp_path):
    cells, supply = tiny
    good = [compute_cell(cell, supply, STAMP).line() for cell in cells[:3]]
    good[1] = good[1].replace('"status": "ok"', '"status": "OK"')
    path = tmp_path / FILE
    path.write_text("\n".join([*good, failure(cells[3], "boom", {}).line()]) + "\n")
    wanted, log = missing(tmp_path, cells[:4])
    assert wanted == [cells[1], cells[3]]
    assert log.damaged == (2,)
    with Writer(tmp_path) as writer:
        writer.add(compute_cell(cell, supply, STAMP) for cell in wanted)
    assert missing(tmp_path, cells[:4])[0] == []
    assert read_log(path).damaged == (2,)  # it stays where it is: the log is append-only
