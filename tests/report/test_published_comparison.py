"""Beside the paper: cell by cell where the data are real, order and sign where they are simulated."""

from dataclasses import replace

import pytest

from bideta.report import effect_signs, published_comparison
from bideta.report.published import in_order, published
from bideta.report.tables import Entry, Table


def copy(name, change=lambda mean: mean, **facts):
    """The published table as if it were ours."""
    theirs = published()[name]
    cells = {
        key: replace(entry, mean=None if entry.mean is None else change(entry.mean))
        for key, entry in theirs.cells.items()
    }
    return replace(theirs, cells=cells, title=name, **facts)


def test_the_published_numbers_are_complete():
    assert len(published()) == 32
    assert sum(len(table.cells) for table in published().values()) == 2020
    entry = published()["tab:sitr"].entry("BIDETA | T", "TVL 10%")
    assert (entry.mean, entry.std, entry.mark, entry.digits) == (85.71, 0.12, "best", 2)
    assert published()["tab:tacverse"].entry("SITR-Calib | I", "TVL 1%").state == "unavailable"


def test_the_papers_own_per_sensor_means_average_to_its_main_table():
    detail, main = published()["tab:detail1"], published()["tab:sitr"]
    sensors = [column for column in detail.columns if column != "Mean"]
    mean = sum(detail.entry("BIDETA | 5%", sensor).mean for sensor in sensors) / len(sensors)
    assert mean == pytest.approx(main.entry("BIDETA | T", "TVL 5%").mean, abs=0.01)


def test_equal_numbers_differ_by_nothing_and_lie_within():
    (table,) = published_comparison.compare([copy("tab:sitr")])
    lines = {
        row: [table.entry(row, column).text for column in published_comparison.COLUMNS] for row in table.rows
    }
    assert lines["TVL 10% | BIDETA | T"] == ["85.71 ± 0.12", "85.71 ± 0.12", "+0.00", "yes"]
    assert "48 of 48 cells are within" in published_comparison.text([copy("tab:sitr")])


def test_a_difference_beyond_the_published_deviation_is_no_agreement():
    (table,) = published_comparison.compare([copy("tab:sitr", lambda mean: mean - 0.13)])
    assert [
        table.entry("TVL 10% | BIDETA | T", column).text for column in published_comparison.COLUMNS[2:]
    ] == [
        "-0.13",
        "no",
    ]
    assert table.entry("TVL 1% | BIDETA | T", "Within one standard deviation").text == "yes"  # 1.11 there


def test_what_was_not_measured_is_left_open():
    ours = copy("tab:sitr")
    part = replace(ours, columns=["TVL 1%"], cells={k: v for k, v in ours.cells.items() if k[1] == "TVL 1%"})
    (table,) = published_comparison.compare([part])
    assert [
        table.entry("Sparsh 1% | BIDETA | T", column).text for column in published_comparison.COLUMNS
    ] == [
        "…",
        "62.12 ± 1.43",
        "–",
        "–",
    ]


def test_missing_seeds_are_never_called_within():
    ours = copy("tab:sitr")
    cells = {
        key: replace(entry, state="incomplete", note="2 of 3 seeds") for key, entry in ours.cells.items()
    }
    (table,) = published_comparison.compare([replace(ours, cells=cells)])
    assert {table.entry(row, published_comparison.COLUMNS[3]).text for row in table.rows} == {"–"}


def test_simulated_records_are_compared_by_order_and_sign_only():
    ours = [
        copy(name, lambda mean: 0.9 * mean, simulated=True)
        for name in ("tab:sitr", "tab:ablation", "tab:sens8")
    ]
    tables = published_comparison.compare(ours)
    assert [table.name for table in tables] == ["effects:order", "effects:ablation", "effects:sensitivity"]
    assert all(table.simulated for table in tables)
    said = " ".join(
        [
            published_comparison.title(ours),
            published_comparison.text(ours),
            *(t.caption + t.heading for t in tables),
        ]
    ).lower()
    assert "reproduc" not in said
    assert "simulated" in said
    numbers = [entry.text for table in tables for entry in table.cells.values()]
    assert not any("85.71" in text for text in numbers), "a published value stands beside a simulated one"


def test_winner_and_rank_correlation_of_the_paper_itself():
    table = effect_signs.order_table([copy("tab:sitr")])
    assert len(table.rows) == 6
    assert {table.entry(row, "Same").text for row in table.rows} == {"yes"}
    assert {table.entry(row, "Rank correlation").text for row in table.rows} == {"1.00"}
    assert "6 of 6 columns" in table.notes[0]


def test_reversed_numbers_rank_the_other_way_round():
    table = effect_signs.order_table([copy("tab:sitr", lambda mean: -mean)])
    assert {table.entry(row, "Rank correlation").text for row in table.rows} == {"-1.00"}
    assert {table.entry(row, "Same").text for row in table.rows} == {"no"}


def test_a_row_of_ours_that_wins_is_named():
    ours = copy("tab:sitr")
    cells = {**ours.cells, **{("LDA | I", column): Entry(99.0, 0.1) for column in ours.columns}}
    table = effect_signs.order_table([replace(ours, rows=[*ours.rows, "LDA | I"], cells=cells)])
    assert {table.entry(row, "Best here, of all").text for row in table.rows} == {"LDA"}
    assert {table.entry(row, "Same").text for row in table.rows} == {"yes"}  # among the paper's methods


def test_signs_of_the_ablation_steps():
    same = effect_signs.sign_table(copy("tab:ablation", simulated=True))
    assert same.entry("graph", "TVL 1%").text == "+4.71"  # 56.42 − 51.71
    assert same.entry("graph", "TVL 1%").note == "same sign"
    agreed, _, known = same.notes[0].split()[:3]
    assert agreed == known
    turned = effect_signs.sign_table(copy("tab:ablation", lambda mean: -mean))
    assert turned.notes[0].startswith("0 of ")


def test_sensitivity_curves_are_near_where_they_peak_within_one_step():
    ours = copy("tab:sens8")
    at_80 = {
        key: replace(entry, mean=99.0 if key[0] == "80" else entry.mean) for key, entry in ours.cells.items()
    }
    table = effect_signs.curve_table([(replace(ours, cells=at_80), "k")])
    row = table.rows[0]
    assert [table.entry(row, column).text for column in table.columns] == ["80", "40", "1", "yes", "6.62"]


def test_tables_are_put_into_the_papers_order():
    mine = Table("ours:x", "", [], [], {})
    order = in_order([mine, published()["tab:sens8"], published()["tab:sitr"]])
    assert [table.name for table in order] == ["tab:sitr", "tab:sens8", "ours:x"]
