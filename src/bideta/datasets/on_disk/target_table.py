"""A table of quantities: a CSV with the column ``path`` and a column ``name_unit`` for every quantity.

Columns ``label``, ``sensor``, ``split`` and ``press`` mean what they mean in a manifest. Of the others, those without
any number are no quantities; the rest must hold one in every row.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.images.folders import is_press
from bideta.images.lazy import ImageFiles
from bideta.images.reading import shown
from bideta.readers import Contacts, manifest, press_keys

WORDS = ("path", "label", "sensor", "split", "press")  # columns that are no quantities
BEGINNING = re.compile(r"[-+.,]*[0-9]|(nan|[-+]?inf)\b", re.IGNORECASE)  # of a cell that is meant as a number
Row = tuple[int, dict[str, str]]  # line number and cells


@dataclass(frozen=True)
class TargetTable:
    """Pictures whose quantities are known."""

    place: Path  # where the table was read
    paths: tuple[Path, ...]
    columns: tuple[str, ...]  # "depth_mm", …
    values: NDArray[np.float64]  # (n, T)
    presses: NDArray[np.intp]  # (n,)
    labels: tuple[str, ...] | None  # where the table has that column
    words: tuple[str, ...] = ()  # columns without a number, which are left out

    @property
    def contacts(self) -> Contacts:
        """The pictures."""
        return Contacts([str(path) for path in self.paths], ImageFiles(self.paths))

    def columns_of(self, asked: Sequence[str]) -> TargetTable:
        """The table with these columns, in this order."""
        missing = [name for name in asked if name not in self.columns]
        if missing:
            raise ValueError(
                f"the table has no column {', '.join(map(shown, missing))}; it has "
                f"{', '.join(map(shown, self.columns))}"
            )
        chosen = [self.columns.index(name) for name in asked]
        return replace(self, columns=tuple(asked), values=self.values[:, chosen])


def lists_quantities(path: Path) -> bool:
    """Whether it is a manifest that names quantities and no labels."""
    if not manifest.sniff(path):
        return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        names = {name.strip() for name in next(csv.reader([file.readline(manifest.HEADER)]))}
    return "label" not in names and bool(names - {*WORDS, ""})


def read_targets(table: Path, root: Path, split: str | None = None) -> TargetTable:
    """The rows of a CSV (of one ``split`` where given); paths are relative to the table, or to ``root``.

    Frames of one press have the same ``press``; without that column those that lie in a folder called "press 1", …
    """
    place = table if table.is_file() else root / table
    if not place.is_file():
        raise FileNotFoundError(
            f"no table {shown(table)}: expected a CSV file with the columns path,depth_mm,…"
        )
    names, rows = read_rows(place.read_bytes(), place)
    if split is not None and "split" not in names:
        raise ValueError(f"{shown(place)} has no column split; leave out --split")
    known = {(row.get("split") or "").strip() for _, row in rows}
    if split is not None:
        rows = [(line, row) for line, row in rows if (row.get("split") or "").strip() == split]
    if not rows:
        found = (
            f"; its splits are {', '.join(sorted(map(shown, known)))}" if split is not None and known else ""
        )
        raise ValueError(
            f"{shown(place)} lists no pictures{'' if split is None else f' of the split {split}'}{found}"
        )
    sensors = {(row.get("sensor") or "").strip() for _, row in rows}
    if len(sensors) > 1:
        raise ValueError(
            f"{shown(place)} lists pictures of {len(sensors)} sensors ({', '.join(sorted(map(shown, sensors)))}); "
            "expected one: keep its rows in a table of its own"
        )
    columns = quantity_columns(names, rows)
    paths = tuple(_path(row, place, root, line) for line, row in rows)
    values = np.array([[number(row, name, place, line) for name in columns] for line, row in rows])
    labels = tuple((row.get("label") or "").strip() for _, row in rows) if "label" in names else None
    words = tuple(name for name in names if name and name not in (*WORDS, *columns))
    return TargetTable(place, paths, tuple(columns), values, _presses(paths, rows, names), labels, words)


def read_rows(content: bytes, place: Path) -> tuple[list[str], list[Row]]:
    """Column names, and line number and cells of every row; ``place`` is what errors call the table."""
    try:
        reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        names = [name.strip() for name in reader.fieldnames or []]
        reader.fieldnames = names
        rows = [(reader.line_num, row) for row in reader]
    except UnicodeDecodeError as error:
        raise ValueError(f"{shown(place)} is no text in UTF-8; save it as CSV in UTF-8") from error
    except csv.Error as error:
        raise ValueError(f"{shown(place)} cannot be read as CSV: {error}") from error
    if "path" not in names or not set(names) - {*WORDS, ""} or len(set(names)) < len(names):
        raise ValueError(
            f"{shown(place)} has the columns {', '.join(map(shown, names)) or 'none'}; expected path and at least "
            "one quantity such as depth_mm, each once, with commas between them"
        )
    for line, row in rows:
        # "a.png,1,25" in a table of one quantity is a depth of 1.25 with a decimal comma, not one of 1.
        if any(filter(None, row.pop(None, []))):
            raise ValueError(
                f"{shown(place)}, line {line}: more cells than columns; numbers have a decimal point, such as 1.25"
            )
    return names, rows


def quantity_columns(names: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The columns that hold quantities: not those without a number, as ``object`` in a manifest, unless all are so."""
    others = [name for name in names if name and name not in WORDS]
    return [
        name for name in others if any(BEGINNING.match((row[name] or "").strip()) for _, row in rows)
    ] or others


def _path(row: dict[str, str], place: Path, root: Path, line: int) -> Path:
    name = (row["path"] or "").strip()
    if not name:
        raise ValueError(f"{shown(place)}, line {line}: the path is empty")
    beside = place.parent / name
    return beside if beside.exists() or not (root / name).exists() else root / name


def number(row: dict[str, str], name: str, place: Path, line: int) -> float:
    """The number in a cell; an error that names the line where there is none."""
    text = (row.get(name) or "").strip()
    try:
        found = float(text.replace("_", "?"))  # Python reads 1_0 as ten, nobody else does
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise ValueError(
            f"{shown(place)}, line {line}: {shown(name)} is {text[:40]!r}, expected a number such as 1.25; leave out "
            "rows without one"
        )
    return found


def _presses(paths: Sequence[Path], rows: Sequence[Row], names: Sequence[str]) -> NDArray[np.intp]:
    """(n,) the press of each picture; one in no press is a press of its own."""
    if "press" in names:
        told = [(row["press"] or "").strip() or f"row {line}" for line, row in rows]
        facts = ([(row.get(name) or "").strip() for _, row in rows] for name in ("label", "sensor", "split"))
        keys = press_keys(told, *facts)
    else:
        keys = [(str(path.parent if is_press(path.parent.name) else path),) for path in paths]
    number = {key: i for i, key in enumerate(sorted(set(keys)))}
    return np.array([number[key] for key in keys], np.intp)
