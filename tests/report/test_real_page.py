from __future__ import annotations

from bideta.protocol.experiment import Cell
from bideta.protocol.records import Record
from bideta.report.real_page import behind


def record(method: str, labels: int, accuracy: float, seed: int = 0, target: str = "given split") -> Record:
    cell = Cell("real", "taps", "twin-tvl", target, method, "balanced", f"{labels}-shot", seed)
    return Record(cell, "ok", {"accuracy": accuracy, "by_press": accuracy})


def test_rows_in_which_a_comparison_is_clearly_ahead_are_listed_and_no_others():
    records = [
        *(record("touch", 1, accuracy, seed) for seed, accuracy in enumerate((0.50, 0.60))),
        *(record("tim", 1, accuracy, seed) for seed, accuracy in enumerate((0.60, 0.59))),  # 4.5 ahead
        record("lda", 1, 0.10),
        record("touch", 2, 0.70),
        record("tim", 2, 0.71),  # 1.0: close
        record("robot", 2, 0.99),  # ours as well
        record("touch", 1, 0.10, target="within"),  # a leak may flatter it
        record("tim", 1, 0.90, target="within"),
    ]
    assert behind(records).splitlines() == [
        "In 1 of 2 rows a comparison is ahead of `touch` by more than 1.5 points per frame:",
        "",
        "| encoder | set | split | comparison | labels | points ahead |",
        "|---|---|---|---|---:|---:|",
        "| twin-tvl | taps | given split | tim | 1 | 4.5 |",
    ]
    assert behind(records[3:6]) == (
        "In none of 1 rows a comparison is ahead of `touch` by more than 1.5 points per frame."
    )
