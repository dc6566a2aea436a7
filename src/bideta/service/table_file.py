"""A table in a file whose ending says the format: ``.csv``, ``.jsonl`` JSON lines, ``.parquet``; without one CSV."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bideta.images.files import write_atomic
from bideta.service.table import csv_text

TEXTS = (
    "path",
    "label",
    "second_choice",
    "best_guess",
    "reason",
    "guess",
)  # stay text, also where all are numbers
ENDINGS = (".csv", ".jsonl", ".parquet")
RANK = "rank_"  # what columns of ranked identities begin with: text, too


def check_table(path: Path) -> None:
    """Refuse a format whose library is missing, before any work is done."""
    if path.suffix.lower() == ".parquet":
        _arrow()


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write the table whole or not at all; in CSV file names keep whatever bytes they have."""
    ending = path.suffix.lower()
    if ending not in (".jsonl", ".parquet"):
        write_atomic(path, csv_text(columns, rows).encode("utf-8", "surrogateescape"))
        return
    cells = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in columns]
    typed = {name: _typed(name, values) for name, values in zip(columns, cells, strict=True)}
    if ending == ".jsonl":
        lines = [json.dumps(dict(zip(typed, row, strict=True))) for row in zip(*typed.values(), strict=True)]
        write_atomic(path, "".join(f"{line}\n" for line in lines).encode())
        return
    content = io.BytesIO()
    arrow, parquet = _arrow()
    parquet.write_table(arrow.table(typed), content)
    write_atomic(path, content.getvalue())


def _typed(name: str, values: list[Any]) -> list[Any]:
    """Numbers where a column holds nothing else; an empty cell is null."""
    if name not in TEXTS and not name.startswith(RANK):
        try:
            return [None if value == "" else float(value) for value in values]
        except (TypeError, ValueError):
            pass
    return [str(value).encode("utf-8", "surrogateescape").decode("utf-8", "replace") for value in values]


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet tables need pyarrow: pip install 'bideta[parquet]'") from error
    return pyarrow, pyarrow.parquet
