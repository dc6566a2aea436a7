"""A table as CSV text, and a value as a cell of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

FORMULA = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "＝",
    "＋",
    "－",
    "＠",
)  # what spreadsheets take for one, wide signs too
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)
SPECIAL = (",", '"', "\n", "\r")


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The table with a header. A text that a spreadsheet would compute gets an apostrophe in front.

    >>> csv_text(["path"], [["=1+1"], ["-0.5"], ["a\\rb"]])
    'path\\n\\'=1+1\\n-0.5\\n"a\\rb"\\n'
    """
    return "".join(f"{','.join(map(_field, row))}\n" for row in (columns, *rows))


def _field(value: Any) -> str:
    text = str(value)
    if text.startswith(FORMULA) and not NUMBER.fullmatch(text):
        text = f"'{text}"
    if any(mark in text for mark in SPECIAL):  # Python's own writer leaves a carriage return bare before 3.13
        text = '"' + text.replace('"', '""') + '"'
    return text


def cell(value: str | float | None) -> str:
    """Text as it is; a number with six digits behind the point; nothing for None.

    >>> cell("bolt"), cell(0.25), cell(None)
    ('bolt', '0.250000', '')
    """
    return "" if value is None else value if isinstance(value, str) else f"{value:.6f}"
