"""Tables: a CSV file, whole or not at all; a table without lines on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bideta.images.files import write_atomic
from bideta.images.reading import shown
from bideta.service.table import csv_text


def check_place(path: Path | None) -> None:
    """Refuse a file that cannot be written, before any work is done; None is no file."""
    if path is None:
        return
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {shown(path)}: it is a folder, expected a file name")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {shown(path)}: folder {shown(path.parent)} does not exist")


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV with a header; file names keep whatever bytes they have."""
    write_atomic(path, csv_text(columns, rows).encode("utf-8", "surrogateescape"))


def print_table(table: Table) -> None:
    """Print a table without the blanks that fill its last column."""
    console = Console()
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        console.file.write(line.rstrip() + "\n")
