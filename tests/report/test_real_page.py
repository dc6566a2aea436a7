from __future__ import annotations

import pytest

from bideta.protocol.experiment import Cell
from bideta.protocol.records import Record
from bideta.report.figures.real import labels_chart
from bideta.report.real_default import BEFORE, DEFAULT, answer, default_tables
from bideta.report.real_page import batch_tables, behind, details, summary
from bideta.report.real_pairs import source_tables
from bideta.report.real_values import leak_free


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
    assert behind(leak_free(records)).splitlines() == [
        "In 1 of 2 rows a comparison is ahead of `touch` by more than 1.5 points per frame:",
        "",
        "| encoder | set | split | comparison | labels | points ahead |",
        "|---|---|---|---|---:|---:|",
        "| twin-tvl | taps | given split | tim | 1 | 4.5 |",
    ]
    assert behind(records[3:6]) == (
        "In none of 1 rows a comparison is ahead of `touch` by more than 1.5 points per frame."
    )


def measured(
    method: str,
    labels: int,
    frame: float,
    press: float,
    encoder: str = DEFAULT[0],
    target: str = "given split",
):
    cell = Cell("real", "taps", encoder, target, method, "balanced", f"{labels}-shot", 0)
    return Record(cell, "ok", {"accuracy": frame, "by_press": press})


def test_the_default_stands_beside_that_of_version_0_1_and_the_best_comparison_of_every_place():
    records = [
        measured("touch", 1, 0.60, 0.70),
        measured("touch", 20, 0.90, 0.95),  # shown by labels, not counted in the comparison
        measured("touch", 1, 0.80, 0.80, target="from other"),
        measured("touch", 1, 0.10, 0.10, target="within"),  # a leak may flatter it
        *(measured("robot", 1, 0.50, 0.50, BEFORE[0], target) for target in ("given split", "from other")),
        *(measured("lda", 1, 0.62, 0.50, target=target) for target in ("given split", "from other")),
        measured("tim", 1, 0.99, 0.99),  # not measured everywhere: left out
    ]
    labels, against, worst = default_tables(records)
    assert labels.splitlines()[-2:] == [
        "| 1 | 70.0 (60 to 80) | 75.0 (70 to 80) |",
        "| 20 | 90.0 (90 to 90) | 95.0 (95 to 95) |",
    ]
    assert against.splitlines()[-4:] == [
        "| **the default** | **70.0** | **75.0** |  |  |",
        "| `twin-tvl`, preset `robot`: the default of version 0.1 | 50.0 | 50.0 | +20.0 | +25.0 |",
        "| [lda](../reference/baselines.md), same readouts | 62.0 | 50.0 | +8.0 | +25.0 |",
        "| the best of these at every place | 62.0 | 50.0 | +8.0 | +25.0 |",
    ]
    assert worst == (
        "The default's worst place, mean of its draws: per frame -2.0 against lda (taps, given split, labels: 1), "
        "behind at 1 of 2 places; per press +20.0 against lda (taps, given split, labels: 1), "
        "behind at 0 of 2 places."
    )


def test_the_page_begins_with_what_five_labels_give():
    records = [
        measured("touch", 5, 0.90, 0.95),
        measured("touch", 5, 0.80, 0.85, target="from other"),
        measured("touch", 1, 0.10, 0.10),  # other numbers of labels do not count
        *(measured("lda", 5, 0.60, 0.65, target=target) for target in ("given split", "from other")),
        *(measured("tim", 5, 0.70, 0.55, target=target) for target in ("given split", "from other")),
        measured("em-lda", 5, 0.99, 0.99),  # not measured everywhere: left out
    ]
    (text,) = answer(records)
    assert text == (
        "**With 5 labels per class bideta recognises 85 % of the frames and 90 % of the presses** of real sensors\n"
        "(80 to 90 % of the frames, by split). The best of 2 comparisons on each split recognises 70 and 65 %."
    )
    assert answer(records[:3]) == []


def of(encoder, method, accuracy, target="given split", *, variant="balanced", labels=1, seed=0):
    cell = Cell("real", "b", encoder, target, method, variant, f"{labels}-shot", seed)
    return Record(cell, "ok", {"accuracy": accuracy, "by_press": accuracy})


def test_the_summary_compares_where_every_encoder_was_measured():
    records = [
        of("twin-tvl", "touch", 0.6),
        of("twin-tvl", "lda", 0.5),
        of("twin-tvl", "touch", 0.9, labels=2),  # the other encoder was not asked with two labels
        of("handmade", "touch", 0.7),
        of("handmade", "touch", 0.5, seed=1),
        of("handmade", "lda", 0.8),  # not of every draw
    ]
    assert summary(records).splitlines()[-3:] == [
        "| touch | **60.0 / 60.0** | **60.0 / 60.0** |",
        "| lda | – | 50.0 / 50.0 |",
        "| draws | 2 | 1 |",
    ]


def test_tables_of_places_show_the_strongest_comparisons_and_the_best_of_all():
    names = [f"c{k}" for k in range(7)]
    records = [of("twin-tvl", "touch", 0.6), of("twin-tvl", "logistic", 0.01)]
    records += [of("twin-tvl", name, 0.1 * k) for k, name in enumerate(names)]
    records += [of("twin-tvl", name, 0.2, labels=2) for name in ("touch", "logistic", *names[1:])]
    records += [of("twin-tvl", "c0", 0.95, labels=2), of("handmade", "touch", 0.1)]
    (text,) = details(records)
    head, _, first, second = text.splitlines()[2:]
    assert head == "| set | split | labels | touch | c0 | c6 | c5 | c4 | c3 | logistic | best of 8 |"
    assert first.endswith("| 1.0 / 1.0 | **60.0 / 60.0** |")
    assert second.endswith("| **95.0 / 95.0** |")


def test_labels_are_drawn_where_the_shown_methods_were_measured(tmp_path):
    pytest.importorskip("matplotlib")
    records = [of("twin-tvl", "lda", 0.5, "from a"), of("twin-tvl", "touch", 0.5, "from b", labels=5)]
    chart = labels_chart(records, tmp_path)  # lda was not measured wherever touch was
    assert chart.path.is_file()


def test_a_row_of_batches_says_how_many_comparisons_it_has():
    records = [of("twin-tvl", name, 0.5, variant=v) for name in ("touch", "lda") for v in ("balanced", "2:1")]
    records += [of("twin-tvl", "touch", 0.4, variant="one at a time")]
    *_, text = batch_tables(records)
    assert [row.split(" | ")[:4] for row in text.splitlines()[4:]] == [
        ["| balanced", "1", "1", "1"],
        ["| 2:1", "1", "1", "1"],
        ["| one at a time", "1", "1", "0"],
    ]


def test_methods_with_a_source_stand_beside_those_without():
    sourced = [
        of("twin-tvl", name, accuracy, "source a", labels=n)
        for name, n, accuracy in (("source", 0, 0.3), ("frozen", 1, 0.2), ("ctsrl-csm", 5, 0.7))
    ]
    late = [
        of("twin-tvl", name, accuracy, "early to late", labels=n, seed=seed)
        for seed in (0, 1)
        for name, accuracy in (("touch", 0.8), ("lda", 0.4), ("tim", 0.5))
        for n in (1, 5)
    ]
    (text,) = source_tables([*sourced, *late])
    assert text.splitlines()[2:] == [
        "| method | draws | no label | 1 | 5 |",
        "|---|---:|---:|---:|---:|",
        "| frozen: source's logistic regression | 1 | 20 |  |  |",
        "| source's LDA, unchanged | 1 | 30 |  |  |",
        "| ctsrl-csm | 1 |  | – | 70 |",
        "| best of 2 comparisons without a source | 2 |  | 50 | 50 |",
        "| **bideta, preset `touch`, without a source** | 2 |  | 80 | 80 |",
    ]
    assert leak_free([*sourced, *late]) == []
