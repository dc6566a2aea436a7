"""A CSV file that lists pictures: ``path`` and, where they are known, ``label``, ``press``, ``sensor``, ``split``.

Paths are relative to the table and stay below its folder. Without ``press``, folders called "press 1", … are presses.
Other columns whose cells are all numbers (or empty) are quantities.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TextIO

import numpy as np

from bideta.images.folders import press_folders
from bideta.images.lazy import ImageFiles
from bideta.images.reading import shown
from bideta.readers import Contacts, ReaderInfo

INFO = ReaderInfo(
    name="manifest",
    title="CSV: path, label, press, sensor, split, numbers",
    reference="bideta help bring-your-data",
)
TEXTS = ("label", "press", "sensor", "split")  # columns that are never quantities
HEADER = 4096  # bytes in which the header must end
FIELD = 10_000  # characters of a cell; csv would read a gigabyte
LINE = 1_000_000  # characters
MAX_ROWS = 1_000_000
CELLS = 5_000_000  # of the table; a row has a cell for every column, whether it says something or not


def sniff(path: Path) -> bool:
    """A text file whose header has a column ``path``."""
    if not path.is_file() or path.suffix.lower() != ".csv":
        return False
    with path.open("rb") as file:
        first = file.read(HEADER).split(b"\n")[0].decode("utf-8-sig", "replace")
    return "path" in [name.strip().strip('"') for name in first.split(",")]


def load(path: Path, split: str = "") -> Contacts:
    """The pictures in the table's order; ``split`` takes the rows of one split only."""
    rows = [row for row in _rows(path) if not split or row.get("split", "") == split]
    if not rows:
        of = f" of the split {split!r}" if split else ""
        raise ValueError(f"{shown(path)} lists no pictures{of}")
    home = path.parent.resolve()
    leads_inside = cache(lambda place: place.resolve().is_relative_to(home))  # a folder is looked at once
    for row in rows:
        _check_inside(path, row["path"], home, leads_inside)
    files = [path.parent / row["path"] for row in rows]
    columns = {name: [row.get(name, "") for row in rows] for name in rows[0]}
    known = {name: columns[name] for name in TEXTS if any(columns.get(name, ()))}
    values = {
        name: np.array([float(cell or "nan") for cell in cells])
        for name, cells in columns.items()
        if name not in ("path", *TEXTS) and any(cells) and all(map(_is_number, cells))
    }
    return Contacts(
        names=columns["path"],
        pictures=ImageFiles(files),
        labels=known.get("label"),
        presses=known.get("press") or press_folders(columns["path"]),
        sensors=known.get("sensor"),
        splits=known.get("split"),
        values=values,
    )


def _rows(table: Path) -> Iterator[dict[str, str]]:
    before = csv.field_size_limit(FIELD)
    try:
        with table.open(encoding="utf-8-sig", newline="", errors="surrogateescape") as file:
            reader = csv.DictReader(_lines(file), restval="", strict=True)
            columns = [name.strip() for name in reader.fieldnames or []]
            left = CELLS
            if "path" not in columns or len(set(columns)) < len(columns):
                raise ValueError(
                    f"{shown(table)} has columns {', '.join(columns)[:200] or 'none'}; expected path and, where known, "
                    f"{', '.join(TEXTS)}, each once"
                )
            reader.fieldnames = columns
            for row in reader:
                if reader.line_num > MAX_ROWS:
                    raise ValueError(f"{shown(table)} has more than {MAX_ROWS:,} lines; cut it into files")
                left -= len(columns)
                if left < 0:
                    raise ValueError(
                        f"{shown(table)} has more than {CELLS:,} cells; leave out columns, or cut it into files"
                    )
                if None in row:
                    raise ValueError(f"{shown(table)}, line {reader.line_num}: more cells than columns")
                cells = {name: cell.strip() for name, cell in row.items()}
                if not cells["path"]:
                    raise ValueError(f"{shown(table)}, line {reader.line_num}: the path is empty")
                yield cells
    except csv.Error as error:
        raise ValueError(f"{shown(table)} cannot be read as CSV: {error}") from error
    finally:
        csv.field_size_limit(before)


def _lines(file: TextIO) -> Iterator[str]:
    """The lines of the table; one without an end would fill the memory before ``csv`` sees it."""
    while line := file.readline(LINE):
        if len(line) == LINE:
            raise csv.Error(f"a line of more than {LINE:,} characters")
        yield line


def _check_inside(table: Path, path: str, home: Path, leads_inside: Callable[[Path], bool]) -> None:
    """An error where the path leads out of the table's folder: a table from elsewhere must not read other files."""
    posix, windows = PurePosixPath(path), PureWindowsPath(path)
    climbs = ".." in posix.parts or ".." in windows.parts
    if "\0" in path or climbs or posix.is_absolute() or windows.drive:
        raise ValueError(
            f"{shown(table)} lists {shown(path)!r}, which does not lie below its folder; move the table up, or the "
            "pictures down"
        )
    file = home / path
    if not leads_inside(file.parent) or (file.is_symlink() and not leads_inside(file)):
        raise ValueError(f"{shown(table)} lists {shown(path)!r}, a link that leads out of its folder")


def _is_number(cell: str) -> bool:
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True
