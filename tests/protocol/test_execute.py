from __future__ import annotations

from dataclasses import replace

import pytest

from bideta.protocol.compute import compute_cell
from bideta.protocol.engine import Engine
from bideta.protocol.execute import execute, fill_cache
from bideta.protocol.needed_splits import is_ready, needed_splits
from bideta.protocol.records import FILE, read_records
from bideta.protocol.run_folder import missing
from bideta.protocol.stamp import Stamp
from support.tiny_run import PLUGIN, tiny_plan

STAMP = Stamp(0.02, {"bideta": "0"}, "abc")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    plan = tiny_plan(folder)
    return plan.cells(), plan.supply(folder / "cache")


def without_times(records):
    return [replace(record, seconds=0.0, engine="") for record in records]


def test_readouts_are_prepared_once(tiny, tmp_path):
    cells, supply = tiny
    supply = replace(supply, cache=tmp_path, loaded={})
    done = []
    assert fill_cache(cells, supply, Engine(jobs=1), lambda *step: done.append(step)) == []
    assert {split for split, _, _ in done} == {
        (PLUGIN, s, p) for s in ("Hex", "Mini_3") for p in ("train", "test")
    } | {(PLUGIN, "DIGIT", "train")}
    assert all(is_ready(supply, task) for task in needed_splits(cells, supply).items())
    done.clear()
    fill_cache(cells, supply, Engine(jobs=1), lambda *step: done.append(step))
    assert done == []


def test_workers_give_the_records_of_one_process_and_a_second_run_does_the_rest(tiny, tmp_path):
    cells, supply = tiny
    seen = []
    execute(cells[:3], supply, STAMP, tmp_path, Engine(jobs=1), seen.append)
    wanted, _ = missing(tmp_path, cells)
    assert len(wanted) == len(cells) - 3
    execute(wanted, supply, STAMP, tmp_path, Engine(jobs=2), seen.append)
    assert sorted(record.cell for record in seen) == sorted(cells)
    assert (tmp_path / FILE).read_bytes().count(b"\n") == len(cells)
    assert missing(tmp_path, cells)[0] == []
    alone = [compute_cell(cell, supply, STAMP) for cell in sorted(cells)]
    assert without_times(read_records(tmp_path)) == without_times(alone)
