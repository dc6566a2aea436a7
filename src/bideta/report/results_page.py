"""The whole report as one Markdown page, or as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from bideta.report.chapters import Chapter
from bideta.report.figures import Figure
from bideta.report.formats.html import figure_html, table_html
from bideta.report.formats.markdown import escape as markdown_escape
from bideta.report.formats.markdown import table_markdown
from bideta.report.provenance import ASSUMED
from bideta.report.tables import Table

TITLE = "BIDETA results"
SIMULATED = (
    "Every number on this page is simulated: sensors are rendered, encoders are small twins. It shows whether effects "
    "have the paper's order and sign, never that a published value was met."
)
MEASURED = "How it was measured"
FAILED = "Failed cells"  # the last heading: what could be measured comes first
Facts = Sequence[tuple[str, str]]


def heading(simulated: bool) -> str:
    """Title of the page."""
    return f"{TITLE} (simulated)" if simulated else TITLE


def page_markdown(
    chapters: Sequence[Chapter], facts: Facts, errors: Sequence[str], images: str, *, simulated: bool
) -> str:
    """The main tables and pictures of every chapter, then the details, then how it was measured."""
    parts = [f"# {heading(simulated)}"]
    if simulated:
        parts.append(f"**{SIMULATED}**")
    parts += [f"**{what}: {markdown_escape(value)}**" for what, value in facts if what == ASSUMED]
    titles = [*(chapter.title for chapter in chapters), MEASURED, *([FAILED] if errors else [])]
    listed = "\n".join(f"- [{markdown_escape(title)}](#{slug(title)})" for title in titles)
    for number, chapter in enumerate(chapters):
        parts += [listed] if number == 1 else []
        parts.append(f"## {markdown_escape(chapter.title)}")
        parts += [markdown_escape(chapter.text)] if chapter.text else []
        parts += [table_markdown(table) for table in chapter.tables if not table.detail]
        parts += [figure_markdown(figure, images) for figure in chapter.figures]
        details = [table for table in chapter.tables if table.detail]
        if details and len(details) < len(chapter.tables):
            parts.append(f"Details are [below](#{slug(details_title(chapter))}).")
    for chapter in chapters:
        details = [table for table in chapter.tables if table.detail]
        if details:
            parts.append(f"## {markdown_escape(details_title(chapter))}")
            parts += [folded(table) for table in details]
    table = "| | |\n|---|---|\n" + "\n".join(
        f"| {what} | {markdown_escape(value)} |" for what, value in facts
    )
    parts += [f"## {MEASURED}", table]
    if errors:
        parts += [f"## {FAILED}", "\n".join(f"- {markdown_escape(error)}" for error in errors)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def details_title(chapter: Chapter) -> str:
    """Heading of a chapter's detailed tables."""
    return f"Details: {chapter.title}"


def folded(table: Table) -> str:
    """The table behind a line that opens it."""
    return f"<details><summary>{escape(table.heading)}</summary>\n\n{table_markdown(table, 4)}\n</details>"


def figure_markdown(figure: Figure, images: str) -> str:
    """The picture with its caption."""
    caption = markdown_escape(figure.caption)
    return f"![{markdown_escape(figure.alt)}]({images}/{figure.path.name})\n\n*{caption}*"


def slug(title: str) -> str:
    """The link target that Markdown makes of a heading."""
    return "".join("-" if sign == " " else sign for sign in title.lower() if sign.isalnum() or sign in " -_")


def page_html(chapters: Sequence[Chapter], facts: Facts, errors: Sequence[str], *, simulated: bool) -> str:
    """A page without any request: style and pictures are inside."""
    style = (files("bideta.report") / "page.css").read_text(encoding="utf-8")
    contents, body = [], []
    for chapter in chapters:
        pairs = [(f"{chapter.name}-{i}", table) for i, table in enumerate(chapter.tables)]
        inner = "".join(
            f"<li><a href='#{anchor}'>{escape(table.title or table.name)}</a></li>" for anchor, table in pairs
        )
        contents.append(f"<li><a href='#{chapter.name}'>{escape(chapter.title)}</a><ul>{inner}</ul></li>")
        body.append(f"<h2 id='{chapter.name}'>{escape(chapter.title)}</h2>\n")
        body += [f"<p>{escape(chapter.text)}</p>\n"] if chapter.text else []
        body += [table_html(table, anchor) for anchor, table in pairs if not table.detail]
        body += [figure_html(figure) for figure in chapter.figures]
        body += [table_html(table, anchor) for anchor, table in pairs if table.detail]
    rows = "".join(
        f"<tr><th scope='row'>{escape(what)}</th><td>{escape(value)}</td></tr>" for what, value in facts
    )
    failed = "".join(f"<li>{escape(error)}</li>" for error in errors)
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(heading(simulated))}</title><style>{style}</style></head><body>\n"
        f"<header><h1>{escape(heading(simulated))}</h1>"
        + (f"<p class='simulated'>{escape(SIMULATED)}</p>" if simulated else "")
        + "".join(
            f"<p class='simulated'>{what}: {escape(value)}</p>" for what, value in facts if what == ASSUMED
        )
        + f"<div class='scroll'><table class='facts'>{rows}</table></div>"
        + f"</header>\n<nav aria-label='Contents'><details open><summary>Contents</summary><ul>{''.join(contents)}</ul>"
        "</details></nav>\n<main>\n"
        + "".join(body)
        + (f"<h2>{FAILED}</h2><ul>{failed}</ul>" if errors else "")
        + "</main></body></html>\n"
    )
