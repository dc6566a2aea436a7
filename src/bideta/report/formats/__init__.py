"""A ``Table`` as Markdown, LaTeX, CSV or HTML: one file each. This page is what they share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from bideta.report.tables import PART, Table

OURS = "not in the paper"  # heading above rows that the paper does not have

Kind = Literal["group", "row"]


def lines(table: Table) -> Iterator[tuple[Kind, str]]:
    """What comes below the header, in order: ("group", heading) or ("row", label)."""
    heading = ""
    paper = [row for row in table.rows if row not in table.extra]
    for row in (*paper, *(row for row in table.rows if row in table.extra)):
        above = OURS if row in table.extra and paper else table.groups.get(row, "")
        if above != heading:
            heading = above
            if above:
                yield "group", above
        yield "row", row


def stub_of(table: Table, row: str) -> list[str]:
    """The row's label spread over the stub columns; a star after the default setting."""
    parts = row.split(PART, len(table.stub) - 1)
    parts += [""] * (len(table.stub) - len(parts))
    if row in table.starred:
        parts[0] += " *"
    return parts
