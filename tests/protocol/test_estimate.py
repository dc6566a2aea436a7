from __future__ import annotations

from bideta.protocol.estimate import Estimate
from bideta.protocol.records import Record
from support.tiny_run import tiny_plan


def test_the_estimate_learns_from_similar_cells(tmp_path):
    cells = tiny_plan(tmp_path).cells()
    lda = [cell for cell in cells if cell.method == "lda"]
    before = Estimate().seconds(lda[0])
    record = Record(lda[0], "ok", seconds=40.0)
    learned = Estimate([record, Record(lda[1], "failed", seconds=1e6)])
    assert learned.seconds(lda[2]) == 40.0 != before
    assert learned.left(lda[:4], jobs=2) == 80.0
    assert Estimate(quick=True).seconds(lda[0]) < before


def test_cells_that_run_alone_are_not_shared_among_workers(tmp_path):
    (cell, *_) = tiny_plan(tmp_path, "cost").cells()
    known = Estimate([Record(cell, "ok", seconds=10.0)])
    assert known.left([cell, cell], jobs=2) == 20.0
