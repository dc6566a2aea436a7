"""Marks: who is best, who shares it, and who may not compete."""

from dataclasses import replace

import pytest

from bideta.report.published import published
from bideta.report.tables import PART, UNAVAILABLE, Entry, Table, mark_best, mark_selected


def table(column, **changes):
    rows = list(column)
    cells = {(row, "x"): value if isinstance(value, Entry) else Entry(value) for row, value in column.items()}
    return Table("t", "", ["x"], rows, cells, **changes)


def marks(marked):
    return {row: marked.entry(row, "x").mark for row in marked.rows}


def test_best_and_second_are_marked():
    assert marks(mark_best(table({"a": 1.0, "b": 3.0, "c": 2.0}))) == {"a": "", "b": "best", "c": "second"}


def test_less_is_better_where_said():
    marked = mark_best(table({"a": 1.0, "b": 3.0, "c": 2.0}), lower=["x"])
    assert marks(marked) == {"a": "best", "b": "", "c": "second"}


def test_values_that_print_alike_share_a_mark():
    assert marks(mark_best(table({"a": 1.001, "b": 0.999, "c": 0.5}))) == {
        "a": "best",
        "b": "best",
        "c": "second",
    }


def test_cells_without_all_seeds_or_without_a_value_do_not_compete():
    column = {"a": Entry(9.0, state="incomplete", note="2 of 3 seeds"), "b": UNAVAILABLE, "c": 1.0, "d": 0.5}
    assert marks(mark_best(table(column))) == {"a": "", "b": "", "c": "best", "d": "second"}


def test_rows_compete_only_within_their_contest():
    column = {"A | 1%": 1.0, "B | 1%": 2.0, "A | 5%": 8.0, "B | 5%": 9.0, "F | 0%": 99.0}
    contest = {row: None if row.startswith("F") else row.partition(PART)[2] for row in column}.get
    marked = mark_best(table(column), contest=contest)
    assert list(marks(marked).values()) == ["second", "best", "second", "best", ""]


def test_an_extra_row_can_win():
    assert marks(mark_best(table({"BIDETA": 1.0, "LDA": 2.0}, extra=["LDA"])))["LDA"] == "best"


def test_selected_is_the_highest_and_of_equal_ones_the_default():
    column = {"1": 2.0, "3": 5.0, "5": 5.0}
    assert marks(mark_selected(table(column))) == {"1": "", "3": "selected", "5": ""}
    assert marks(mark_selected(table(column, starred=["5"]))) == {"1": "", "3": "", "5": "selected"}


def test_labels_must_be_unique_and_cells_inside():
    with pytest.raises(ValueError, match="repeat"):
        Table("t", "", ["x"], ["a", "a"], {})
    with pytest.raises(ValueError, match="outside"):
        Table("t", "", ["x"], ["a"], {("b", "x"): Entry(1.0)})


def test_simulated_is_part_of_the_heading():
    assert table({"a": 1.0}, simulated=True).heading == "t (simulated)"


def test_our_rule_gives_the_marks_of_the_papers_main_tables():
    for name in (
        "tab:sitr",
        "tab:tacverse",
        "tab:tacquad",
        "tab:sitr_tvl_shots",
        "tab:ranking5",
        "tab:ranking6",
    ):
        theirs = published()[name]
        bare = replace(theirs, cells={key: replace(entry, mark="") for key, entry in theirs.cells.items()})
        assert mark_best(bare).cells == theirs.cells, name


def test_text_of_an_entry():
    assert Entry(1234.5, 0.25, digits=1).text == "1,234.5 ± 0.2"
    assert Entry(7.0).text == "7.00"
    assert UNAVAILABLE.text == "–"
    assert Entry(state="missing").text == "…"
    assert Entry(words="yes").text == "yes"
