"""All tables as one CSV in the layout of the published numbers, so that cells line up by name."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from bideta.report.tables import Entry, Table

HEADER = ("table", "group", "row", "column", "mean", "std", "mark")
SIMULATED_ROW = ("simulated", "", "every number above comes from rendered sensors", "", "", "", "simulated")


def tables_csv(tables: Iterable[Table]) -> str:
    """One line per cell; ``mark`` is best, second, selected, incomplete (seeds are missing) or empty.

    Simulated tables end with one line that says so.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    simulated = False
    for table in tables:
        simulated |= table.simulated
        for row in table.rows:
            for column in table.columns:
                entry = table.entry(row, column)
                group = table.groups.get(row, "")
                writer.writerow((table.name, group, row, column, *numbers(entry), mark(entry)))
    if simulated:
        writer.writerow(SIMULATED_ROW)
    return text.getvalue()


def numbers(entry: Entry) -> tuple[str, str]:
    """Mean and standard deviation as the paper prints them, without thousands separators."""
    mean = "" if entry.mean is None else f"{entry.mean:.{entry.digits}f}"
    return mean, "" if entry.std is None else f"{entry.std:.{entry.digits}f}"


def mark(entry: Entry) -> str:
    """The mark; cells that lack seeds are never marked as anything else."""
    return "incomplete" if entry.state in ("incomplete", "missing") else entry.mark
