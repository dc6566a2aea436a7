"""Folders of a release: where they are, which are missing and which are misspelled."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

from bideta.images.folders import subfolders
from bideta.images.reading import shown

FIRST_NAMES = 6  # folder names repeated in a message


def find_home(
    root: str | Path, needed: str, *, title: str, page: str, expected: str = "", inside: Sequence[str] = ()
) -> Path:
    """The folder that holds the folder ``needed``: ``root`` itself or one of ``inside``.

    The error names the release (``title``), what was ``expected`` (``needed`` unless said otherwise), what is there,
    and the section of docs/reference/data.md to read (``page``).
    """
    root = Path(root)
    for home in (root, *(root / name for name in inside)):
        if (home / needed).is_dir():
            return home
    there = f"found {some([*subfolders(root)])}" if root.is_dir() else "there is no such folder"
    raise FileNotFoundError(
        f"{title} not found in {shown(root)}: expected {expected or needed}, {there}; see bideta help data#{page}"
    )


def misnamed(names: Iterable[str], expected: Iterable[str], where: str) -> list[str]:
    """One line for every missing name (with a likely misspelling) and for every name too many."""
    names, expected = list(names), list(expected)
    extra = [name for name in names if name not in expected]
    lines = []
    for name in (name for name in expected if name not in names):
        close = difflib.get_close_matches(name, extra, n=1)
        hint = f"; is {shown(close[0])!r} meant?" if close else ""
        lines.append(f"{where}: {name} is missing{hint}")
    return lines + [f"{where}: {shown(name)!r} is not part of the release" for name in extra]


def some(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    more = len(names) - FIRST_NAMES
    text = ", ".join(shown(name) for name in names[:FIRST_NAMES]) or "nothing"
    return f"{text} and {more} more" if more > 0 else text
