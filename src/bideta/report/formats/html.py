"""Tables and pictures as HTML that loads nothing from elsewhere."""

from __future__ import annotations

import base64
from html import escape

from bideta.report.figures import Figure
from bideta.report.formats import lines, stub_of
from bideta.report.formats.markdown import legend
from bideta.report.tables import Entry, Table


def table_html(table: Table, anchor: str) -> str:
    """A table in a box of its own that scrolls sideways where the page is narrow."""
    width = len(table.stub) + len(table.columns)
    head = "".join(f"<th scope='col'>{escape(text)}</th>" for text in (*table.stub, *table.columns))
    body = []
    for kind, text in lines(table):
        if kind == "group":
            body.append(f"<tr class='group'><th colspan='{width}' scope='colgroup'>{escape(text)}</th></tr>")
        else:
            stub = "".join(f"<th scope='row'>{escape(part)}</th>" for part in stub_of(table, text))
            cells = "".join(entry_html(table.entry(text, column)) for column in table.columns)
            body.append(f"<tr>{stub}{cells}</tr>")
    notes = "".join(
        f"<p class='note'>{escape(note)}</p>"
        for note in (*table.notes, *legend(table, "second best underlined"))
    )
    return (
        f"<section id='{escape(anchor)}'><h3>{escape(table.heading)}</h3><p>{escape(table.caption)}</p>"
        f"<div class='scroll' tabindex='0' role='region' aria-label='{escape(table.heading)}'>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>{notes}</section>\n"
    )


def entry_html(entry: Entry) -> str:
    """One cell with its mark and note."""
    note = f" <small>({escape(entry.note)})</small>" if entry.note else ""
    return f"<td class='{escape(' '.join(filter(None, (entry.mark, entry.state))))}'>{escape(entry.text)}{note}</td>"


def figure_html(figure: Figure) -> str:
    """The picture with its bytes inside the page."""
    data = base64.b64encode(figure.path.read_bytes()).decode()
    caption = escape(figure.caption)
    kind = "jpeg" if figure.path.suffix == ".jpg" else "png"
    picture = f"<img alt='{escape(figure.alt)}' src='data:image/{kind};base64,{data}'>"
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>\n"
