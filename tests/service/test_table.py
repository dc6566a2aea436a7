"""CSV that a spreadsheet and a terminal can be shown, whatever files are called."""

from __future__ import annotations

import csv
import io

import pytest

from bideta.service.table import csv_text

NAMES = ["a.png", "b,c", 'say "x"', "two\nlines", "a\rb", "a\r\nb", " x ", "ä 触 🤖", ""]


def test_what_is_written_is_read_again():
    text = csv_text(["path", "n"], [[name, 0.5] for name in NAMES])
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["path"] for row in rows] == NAMES
    assert {row["n"] for row in rows} == {"0.5"}


@pytest.mark.parametrize(
    "name", ["=1+1", "+cmd|x", "-2+3", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("x")', "＝1+1"]
)
def test_a_formula_becomes_text(name):
    (_, row) = csv.reader(io.StringIO(csv_text(["path"], [[name]]), newline=""))
    assert row == [f"'{name}"]


@pytest.mark.parametrize("number", ["-1", "+2.5", "-1e-5", -3, -0.25])
def test_numbers_stay_numbers(number):
    assert csv_text(["n"], [[number]]) == f"n\n{number}\n"


def test_a_carriage_return_adds_no_row():
    text = csv_text(["path", "label"], [["a\rforged,row", "x"]])
    assert len(list(csv.reader(io.StringIO(text, newline="")))) == 2
