"""Tables: where a file goes, and a table without lines on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bideta.images.reading import shown
from bideta.service.table_file import ENDINGS, check_table, write_table

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["check_place", "check_table_place", "print_table", "write_table"]


def check_place(path: Path | None, endings: Sequence[str] = ()) -> None:
    """Refuse a file that cannot be written, before any work is done; None is no file.

    Where the ending chooses the format, ``endings`` are those that do. A file without one is written all the same, and
    so is a pipe or a device, whose name says nothing.
    """
    if path is None:
        return
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {shown(path)}: it is a folder, expected a file name")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {shown(path)}: folder {shown(path.parent)} does not exist")
    named = endings and path.suffix and not (path.exists() and not path.is_file())
    if named and path.suffix.lower() not in endings:
        raise ValueError(
            f"cannot write {shown(path)}: the ending {shown(path.suffix)} is of another format, expected "
            f"{', '.join(endings)}"
        )


def check_table_place(path: Path | None) -> None:
    """Refuse a table whose place, ending or missing library prevents writing it, before any work is done."""
    check_place(path, ENDINGS)
    if path is not None:
        check_table(path)


def print_table(table: Table) -> None:
    """Print a table without the blanks that fill its last column."""
    from rich.console import Console

    console = Console()
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        console.file.write(line.rstrip() + "\n")
