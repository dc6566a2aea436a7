from __future__ import annotations

from bideta.protocol.experiment import Cell
from bideta.protocol.records import Record
from bideta.report.quantities_page import answer


def record(method: str, error: float, labels: int = 20, seed: int = 0) -> Record:
    cell = Cell("quantities", "taps", "handmade", "left", method, "", str(labels), seed)
    return Record(cell, "ok", {"normalised": error})


def test_the_page_begins_with_ours_beside_the_best_rival():
    records = [
        *(record("bideta", error, seed=seed) for seed, error in enumerate((0.3, 0.5))),
        *(record("ridge", 0.5, seed=seed) for seed in range(2)),
        *(record("svr", 0.7, seed=seed) for seed in range(2)),
        *(record(method, 0.1, labels=300) for method in ("bideta", "ridge", "svr")),
    ]
    assert answer(records) == [
        "**With 20 labelled contacts the error on real sensors is 40 % of that of a constant.**\n"
        "The best of 2 regressors of scikit-learn (ridge) has 50 %."
    ]
    assert answer(records[:2]) == answer([]) == []
