"""Tables: where a file goes, and a table without lines on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bideta.images.reading import shown
from bideta.service.table_file import check_table, write_table

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["check_place", "print_table", "write_table"]


def check_place(path: Path | None) -> None:
    """Refuse a file that cannot be written, before any work is done; None is no file."""
    if path is None:
        return
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {shown(path)}: it is a folder, expected a file name")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {shown(path)}: folder {shown(path.parent)} does not exist")
    check_table(path)


def print_table(table: Table) -> None:
    """Print a table without the blanks that fill its last column."""
    from rich.console import Console

    console = Console()
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        console.file.write(line.rstrip() + "\n")
