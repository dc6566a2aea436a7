"""Every format says the same, and no label can break out of it."""

import csv
import io
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from bideta.report.formats.csvfile import HEADER, tables_csv
from bideta.report.formats.html import table_html
from bideta.report.formats.latex import document, table_latex
from bideta.report.formats.markdown import table_markdown
from bideta.report.tables import PART, UNAVAILABLE, Entry, Table, mark_best

HOSTILE = "a<script>alert('x')</script>|b & 50% $x_1$ #1 {~^}\\ *bold* [l](u)\nnew"


def small(**changes):
    cells = {
        ("A | I", "5%"): Entry(1234.5, 0.25),
        ("B | T", "5%"): Entry(2000.0, 1.0),
        ("C | T", "5%"): Entry(3.0, 0.1, state="incomplete", note="2 of 3 seeds"),
        ("D | I", "5%"): UNAVAILABLE,
    }
    facts = {
        "name": "tab:x",
        "caption": "Accuracy (%).",
        "columns": ["5%"],
        "rows": ["A | I", "B | T", "C | T", "D | I"],
        "cells": cells,
        "stub": ("Method", "Mode"),
    }
    return mark_best(Table(**{**facts, **changes}))


def test_markdown_of_a_small_table():
    assert table_markdown(small(simulated=True, title="Small")).split("\n\n")[2].splitlines() == [
        "| Method | Mode | 5% |",
        "|---|---|---:|",
        "| A | I | *1,234.50 ± 0.25* |",
        "| B | T | **2,000.00 ± 1.00** |",
        "| C | T | 3.00 ± 0.10 (2 of 3 seeds) |",
        "| D | I | – |",
    ]


def test_latex_of_a_small_table():
    text = table_latex(small(simulated=True, title="Small"))
    assert r"A & I & $\underline{1{,}234.50 \pm 0.25}$ \\" in text
    assert r"B & T & $\mathbf{2{,}000.00 \pm 1.00}$ \\" in text
    assert r"C & T & $3.00 \pm 0.10$ {\scriptsize (2 of 3 seeds)} \\" in text
    assert r"D & I & -- \\" in text
    assert r"\caption{\textbf{Small (simulated).} Accuracy (\%)." in text
    assert r"\label{tab:x}" in text


def test_latex_escapes_every_special_sign():
    text = table_latex(small(caption="", title=HOSTILE))
    heading = next(line for line in text.splitlines() if line.startswith(r"\caption"))
    for raw in ("<", "|", " & ", "50% ", "$x", "#1 ", " {~", "^}"):
        assert raw not in heading.replace(r"\&", "").replace(r"\%", "").replace(r"\#", "").replace(
            r"\$", ""
        ), raw
    assert all(line.startswith("%") for line in text.split(r"\begin{table}")[0].splitlines())


def test_csv_lines_up_with_the_published_layout():
    lines = list(csv.reader(io.StringIO(tables_csv([small(groups={"A | I": "first"})]))))
    assert tuple(lines[0]) == HEADER == ("table", "group", "row", "column", "mean", "std", "mark")
    assert lines[1:] == [
        ["tab:x", "first", "A | I", "5%", "1234.50", "0.25", "second"],
        ["tab:x", "", "B | T", "5%", "2000.00", "1.00", "best"],
        ["tab:x", "", "C | T", "5%", "3.00", "0.10", "incomplete"],
        ["tab:x", "", "D | I", "5%", "", "", ""],
    ]


def test_a_simulated_csv_says_so():
    assert tables_csv([small(simulated=True)]).splitlines()[-1].startswith("simulated,")
    assert "simulated" not in tables_csv([small()])


@pytest.mark.parametrize("where", ["title", "caption", "notes", "groups", "rows"])
def test_hostile_names_stay_text_in_html_and_markdown(where):
    row = f"A{PART}I"
    changes = {
        "title": {"title": HOSTILE},
        "caption": {"caption": HOSTILE},
        "notes": {"notes": [HOSTILE]},
        "groups": {"groups": {row: HOSTILE}},
        "rows": {"rows": [HOSTILE], "cells": {(HOSTILE, "5%"): Entry(1.0, note=HOSTILE)}},
    }[where]
    table = Table(**{"name": "t", "caption": "", "columns": ["5%"], "rows": [row], "cells": {}, **changes})
    tags = Tags()
    tags.feed(table_html(table, "anchor"))
    assert "script" not in tags.found
    assert "<script" not in table_markdown(table)
    widths = {
        line.replace("\\|", "").count("|")
        for line in table_markdown(table).splitlines()
        if line.startswith("|")
    }
    assert len(widths) == 1, "a label opened or closed a cell"


def test_ours_come_after_the_papers_rows_under_their_own_heading():
    table = small(rows=["C | T", "A | I", "B | T", "D | I"], extra=["C | T"])
    body = [line.split("|")[1].strip() for line in table_markdown(table).splitlines() if line.startswith("|")]
    assert body[2:] == ["A", "B", "D", "*not in the paper*", "C"]
    assert table_latex(table).index("not in the paper") > table_latex(table).index("D & I")


def test_a_simulated_latex_file_begins_with_the_word():
    text = document([small(simulated=True)], ["Commit: abc\nevil"])
    assert "SIMULATED" in text.split(r"\begin{table}")[0]
    assert "% Commit: abc evil" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_compiles(tmp_path):
    body = document([small(title=HOSTILE, notes=[HOSTILE])], ["x"])
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs,adjustbox}\\begin{document}\n"
        + body
        + "\\end{document}\n"
    )
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True, capture_output=True)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
