"""Tables as Markdown: best bold, second best italic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bideta.report.formats import lines, stub_of
from bideta.report.tables import Entry, Table

SPECIAL = re.compile(r"([\\`*_\[\]|~#!])")  # what Markdown would read as markup
WRAP = {"best": "**{}**", "second": "*{}*", "selected": "**{}** †"}


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line and without HTML."""
    flat = " ".join(text.split())
    flat = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return SPECIAL.sub(r"\\\1", flat)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], stub: int = 1) -> str:
    """A Markdown table; the columns after the first ``stub`` are numbers."""
    lines = [f"| {' | '.join(map(escape, head))} |", f"|{'---|' * stub}{'---:|' * (len(head) - stub)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def table_markdown(table: Table, level: int = 3) -> str:
    """Heading, caption, table and notes."""
    head = [*table.stub, *table.columns]
    body = [
        f"| {' | '.join(map(escape, head))} |",
        f"|{'---|' * len(table.stub)}{'---:|' * len(table.columns)}",
    ]
    for kind, text in lines(table):
        if kind == "group":
            body.append(f"| *{escape(text)}* |{' |' * (len(head) - 1)}")
        else:
            cells = [entry_markdown(table.entry(text, column)) for column in table.columns]
            body.append(f"| {' | '.join([*map(escape, stub_of(table, text)), *cells])} |")
    parts = [f"{'#' * level} {escape(table.heading)}", escape(table.caption), "\n".join(body)]
    parts += [f"{escape(note)}" for note in (*table.notes, *legend(table))]
    return "\n\n".join(parts) + "\n"


def entry_markdown(entry: Entry) -> str:
    """One cell with its mark and note."""
    text = WRAP.get(entry.mark, "{}").format(entry.text)
    return f"{text} ({escape(entry.note)})" if entry.note else text


def legend(table: Table, second: str = "second best italic") -> list[str]:
    """What the signs in this table mean; only those that occur."""
    entries = [table.entry(row, column) for row in table.rows for column in table.columns]
    marks, states = {entry.mark for entry in entries}, {entry.state for entry in entries}
    said = []
    if "best" in marks:
        said.append(f"Best bold, {second}.")
    if "selected" in marks:
        said.append("† highest of the column: the value this study selects.")
    if table.starred:
        said.append("* default setting.")
    if "unavailable" in states:
        said.append("– the method cannot run on these data.")
    if states & {"incomplete", "missing"}:
        said.append(
            f"Incomplete: {len(table.incomplete)} of {len(entries)} cells lack seeds; marks compare the others."
        )
    return said
