from __future__ import annotations

from dataclasses import replace

import pytest

from bideta.baselines import NotAvailableError
from bideta.protocol import compute
from bideta.protocol.compute import compute_cell
from bideta.protocol.experiment import Outcome
from bideta.protocol.stamp import Stamp
from support.tiny_run import tiny_plan

STAMP = Stamp(0.02, {"bideta": "0"}, "abc")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    plan = tiny_plan(folder)
    return plan.cells(), plan.supply(folder / "cache")


def without_times(records):
    return [replace(record, seconds=0.0) for record in records]


def test_the_record_says_what_it_rests_on(tiny):
    cells, supply = tiny
    record = compute_cell(cells[0], supply, STAMP)
    assert record.status == "ok"
    assert 0 <= record.values["accuracy"] <= 1
    assert len(record.digest) == len(record.split) == 64
    assert record.simulated
    assert (record.scale, record.versions, record.commit) == (0.02, {"bideta": "0"}, "abc")
    assert record.seconds > 0
    assert without_times([compute_cell(cells[0], supply, STAMP)]) == without_times([record])


@pytest.mark.parametrize(
    ("result", "status", "text"),
    [
        (RuntimeError("no luck"), "failed", "RuntimeError: no luck (test_compute.py:"),
        (NotAvailableError("no calibration"), "unavailable", "not available: no calibration"),
        (Outcome({"accuracy": float("nan")}), "failed", "not JSON compliant"),
        (Outcome({"accuracy": 1.0}, settings={"prior": object()}), "failed", "TypeError"),
        (Outcome({"accuracy": "high"}), "failed", "could not convert"),
    ],
)
def test_what_goes_wrong_in_a_cell_becomes_its_record(tiny, monkeypatch, result, status, text):
    class Broken:
        def answer(self, cell, supply):
            if isinstance(result, Exception):
                raise result
            return result

    monkeypatch.setattr(compute, "find", lambda _: Broken())
    cells, supply = tiny
    record = compute_cell(cells[0], supply, STAMP)
    assert record.status == status
    assert text in record.error


def test_the_head_of_the_source_needs_no_labelled_contacts(tiny):
    cells, supply = tiny
    cell = replace(cells[0], method="frozen", budget="0%")
    record = compute_cell(cell, supply, STAMP)
    assert record.status == "ok"
    assert record.digest == compute_cell(replace(cell, seed=1), supply, STAMP).digest
