from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bideta.baselines import NotAvailableError
from bideta.protocol import run_folder
from bideta.protocol.estimate import Estimate
from bideta.protocol.execute import Engine, execute, is_ready, needed_splits, prepare
from bideta.protocol.experiments import Outcome
from bideta.protocol.records import FILE, Writer, read_log, read_records
from bideta.protocol.run_folder import FolderInUseError, OtherRunError, Stamp, claim, measure, missing, owned
from tiny_run import PLUGIN, tiny_plan

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
    return plan.cells(), plan.bench(folder / "cache")


def without_times(records):
    return [replace(record, seconds=0.0) for record in records]


def test_the_record_says_what_it_rests_on(tiny):
    cells, bench = tiny
    record = measure(cells[0], bench, STAMP)
    assert record.status == "ok"
    assert 0 <= record.values["accuracy"] <= 1
    assert len(record.digest) == len(record.split) == 64
    assert record.simulated
    assert (record.scale, record.versions, record.commit) == (0.02, {"bideta": "0"}, "abc")
    assert record.seconds > 0
    assert without_times([measure(cells[0], bench, STAMP)]) == without_times([record])


@pytest.mark.parametrize(
    ("result", "status", "text"),
    [
        (RuntimeError("no luck"), "failed", "RuntimeError: no luck (test_run.py:"),
        (NotAvailableError("no calibration"), "unavailable", "not available: no calibration"),
        (Outcome({"accuracy": float("nan")}), "failed", "not JSON compliant"),
        (Outcome({"accuracy": 1.0}, settings={"prior": object()}), "failed", "TypeError"),
        (Outcome({"accuracy": "high"}), "failed", "could not convert"),
    ],
)
def test_what_goes_wrong_in_a_cell_becomes_its_record(tiny, monkeypatch, result, status, text):
    class Broken:
        def run(self, cell, bench):
            if isinstance(result, Exception):
                raise result
            return result

    monkeypatch.setattr(run_folder, "find", lambda _: Broken())
    cells, bench = tiny
    record = measure(cells[0], bench, STAMP)
    assert record.status == status
    assert text in record.error


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


def test_readouts_are_prepared_once(tiny, tmp_path):
    cells, bench = tiny
    bench = replace(bench, cache=tmp_path, held={})
    done = []
    assert prepare(cells, bench, Engine(jobs=1), lambda *step: done.append(step)) == []
    assert {split for split, _, _ in done} == {
        (PLUGIN, s, p) for s in ("Hex", "Mini_3") for p in ("train", "test")
    } | {(PLUGIN, "DIGIT", "train")}
    assert all(is_ready(bench, task) for task in needed_splits(cells, bench).items())
    done.clear()
    prepare(cells, bench, Engine(jobs=1), lambda *step: done.append(step))
    assert done == []


def test_workers_give_the_records_of_one_process_and_a_second_run_does_the_rest(tiny, tmp_path):
    cells, bench = tiny
    seen = []
    execute(cells[:3], bench, STAMP, tmp_path, Engine(jobs=1), seen.append)
    wanted, _ = missing(tmp_path, cells)
    assert len(wanted) == len(cells) - 3
    execute(wanted, bench, STAMP, tmp_path, Engine(jobs=2), seen.append)
    assert sorted(record.cell for record in seen) == sorted(cells)
    assert (tmp_path / FILE).read_bytes().count(b"\n") == len(cells)
    assert missing(tmp_path, cells)[0] == []
    alone = [measure(cell, bench, STAMP) for cell in sorted(cells)]
    assert without_times(read_records(tmp_path)) == without_times(alone)


def test_failed_cells_and_damaged_lines_are_measured_again(tiny, tmp_path):
    cells, bench = tiny
    good = [measure(cell, bench, STAMP).line() for cell in cells[:3]]
    good[1] = good[1].replace('"status": "ok"', '"status": "OK"')
    path = tmp_path / FILE
    path.write_text("\n".join([*good, run_folder.failure(cells[3], "boom", {}).line()]) + "\n")
    wanted, log = missing(tmp_path, cells[:4])
    assert wanted == [cells[1], cells[3]]
    assert log.damaged == (2,)
    with Writer(tmp_path) as writer:
        writer.add(measure(cell, bench, STAMP) for cell in wanted)
    assert missing(tmp_path, cells[:4])[0] == []
    assert read_log(path).damaged == (2,)  # it stays where it is: the log is append-only


def test_the_estimate_learns_from_similar_cells(tiny):
    cells, _ = tiny
    lda = [cell for cell in cells if cell.method == "lda"]
    before = Estimate().seconds(lda[0])
    record = run_folder.Record(lda[0], "ok", seconds=40.0)
    learned = Estimate([record, run_folder.Record(lda[1], "failed", seconds=1e6)])
    assert learned.seconds(lda[2]) == 40.0 != before
    assert learned.left(lda[:4], jobs=2) == 80.0
    assert Estimate(quick=True).seconds(lda[0]) < before


def test_the_head_of_the_source_needs_no_labelled_contacts(tiny):
    cells, bench = tiny
    cell = replace(cells[0], method="frozen", budget="0%")
    record = measure(cell, bench, STAMP)
    assert record.status == "ok"
    assert record.digest == measure(replace(cell, seed=1), bench, STAMP).digest
