"""The paper's numbers, shipped beside the code, in the same shape as ours."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import cast

from bideta.report.tables import UNAVAILABLE, Entry, Mark, Table

FILE = "published.csv"


@cache
def published() -> dict[str, Table]:
    """Table name → the paper's table, in the paper's order; captions are left to the paper."""
    lines = (files("bideta.report") / FILE).read_text(encoding="utf-8").splitlines()
    made: dict[str, dict[tuple[str, str], Entry]] = {}
    groups: dict[str, dict[str, str]] = {}
    for line in csv.DictReader(line for line in lines if not line.startswith("#")):
        made.setdefault(line["table"], {})[line["row"], line["column"]] = _entry(line)
        groups.setdefault(line["table"], {})[line["row"]] = line["group"]
    return {
        name: Table(
            name=name,
            caption="As published.",
            columns=list(dict.fromkeys(column for _, column in cells)),
            rows=list(dict.fromkeys(row for row, _ in cells)),
            cells=cells,
            groups=groups[name],
        )
        for name, cells in made.items()
    }


def in_order(tables: Sequence[Table]) -> list[Table]:
    """The tables in the paper's order; ours follow in the order given."""
    order = list(published())
    return sorted(tables, key=lambda table: order.index(table.name) if table.name in order else len(order))


def _entry(line: dict[str, str]) -> Entry:
    if not line["mean"]:
        return UNAVAILABLE
    return Entry(
        mean=float(line["mean"]),
        std=float(line["std"]) if line["std"] else None,
        mark=cast(Mark, line["mark"]),
        digits=len(line["mean"].partition(".")[2]),
    )
