"""A table as CSV text, and a value as a cell of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The table with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def cell(value: str | float) -> str:
    """Text as it is; a number with six digits behind the point.

    >>> cell("bolt"), cell(0.25)
    ('bolt', '0.250000')
    """
    return value if isinstance(value, str) else f"{value:.6f}"
