"""Folders of images, listed in a fixed order, and what their names say."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bideta.images.reading import SUFFIXES, shown
from bideta.spelling import did_you_mean

KINDS = "PNG, JPEG, BMP, TIFF and WEBP"
NAMED = 3  # files that are named before the rest is only counted


def subfolders(folder: Path) -> dict[str, Path]:
    """Name → path of the visible folders inside, in natural order; empty if ``folder`` does not exist."""
    return {path.name: path for path in _entries(folder) if path.is_dir()}


def image_files(folder: Path) -> list[Path]:
    """Visible files inside with the suffix of an image, in natural order (2 before 10)."""
    return [path for path in _entries(folder) if _is_image(path)]


def image_tree(folder: Path) -> list[Path]:
    """All visible image files below a folder, in natural order."""
    images = [path for path in visible_files(folder) if _is_image(path)]
    return sorted(images, key=lambda path: natural(str(path.relative_to(folder))))


def has_image(folder: Path) -> bool:
    """Whether there is any of them; looks no further than the first."""
    return any(map(_is_image, visible_files(folder)))


def visible_files(folder: Path) -> Iterator[Path]:
    """All visible files below a folder, those in linked folders too: class folders are often links to a recording.

    Every folder is entered once, however many links lead to it, and by its own name where that lies inside: a link to a
    folder around it ends, and links never make the walk longer than there are folders.
    """
    entered: set[tuple[int, int]] = set()
    starts = [folder]  # links are found on the way and walked last
    for start in starts:
        for parent, folders, names in os.walk(start):
            place = os.stat(parent)
            if (place.st_dev, place.st_ino) in entered:
                folders.clear()
                continue
            entered.add((place.st_dev, place.st_ino))
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            starts += [home for name in folders if (home := Path(parent, name)).is_symlink()]
            yield from (Path(parent, name) for name in names if not name.startswith("."))


def find_images(folder: Path) -> list[Path]:
    """The same, or an error where there is no folder or no image in it."""
    check_folder(folder, "a folder of images")
    paths = image_tree(folder)
    if not paths:
        others = not_read(folder)
        raise FileNotFoundError(
            f"no images in {shown(folder)}: expected {KINDS} files{f'; {others}' if others else ''}"
        )
    return paths


def check_folder(folder: Path, expected: str, deep: int = 1) -> None:
    """Refuse what is no folder; say which may be meant: of a near name, or ``deep`` folders up from an image."""
    if folder.is_dir():
        return
    if folder.is_file():
        around = folder.parents[deep - 1] if len(folder.parents) >= deep else folder.parent
        hint = f" Did you mean {shown(around)}?" if _is_image(folder) else ""
        raise NotADirectoryError(f"{shown(folder)} is a file, expected {expected}.{hint}")
    hint = did_you_mean(folder.name, subfolders(folder.parent))
    raise FileNotFoundError(f"no folder {shown(folder)}: expected {expected}.{hint}")


def not_read(folder: Path, table: Path | None = None) -> str:
    """Which visible files below a folder are not read because of their suffix, in words; empty where there are none.

    A ``table`` in the folder that was read is none of them.
    """
    others = [path for path in visible_files(folder) if not _is_image(path)]
    if table is not None:
        others = [path for path in others if path.resolve() != table.resolve()]
    if not others:
        return ""
    others.sort(key=lambda path: natural(str(path)))
    some = ", ".join(shown(relative(path, folder)) for path in others[:NAMED]) + (
        ", …" * (len(others) > NAMED)
    )
    what = "1 file is" if len(others) == 1 else f"{len(others)} files are"
    return f"{what} not read ({some}); {KINDS} files are"


def is_press(folder: str) -> bool:
    """Whether a folder's name says that it holds frames of one press: "press 1", "press_02", "press-20261116-09".

    >>> [is_press(name) for name in ("press 1", "Press-02", "press3", "press", "press-fit nut", "nut press 1")]
    [True, True, True, False, False, False]
    """
    return re.match(r"press[ _-]?[0-9]", folder, re.IGNORECASE) is not None


def press_folders(names: Sequence[str], any_name: bool = False) -> list[str] | None:
    """The folder that is each picture's press, from its path; "": it is a press of its own. None: none lies in one.

    Presses are the folders that are called so. With ``any_name`` all folders are; where folders lie in folders, the
    outer ones are classes. ``datasets.folder``, which knows what is a class, goes by the same rule.

    >>> press_folders(["cup/press 1/a.png", "cup/press 1/b.png", "cup/c.png"])
    ['cup/press 1', 'cup/press 1', '']
    >>> press_folders(["cup/try/a.png", "cup/c.png"], any_name=True), press_folders(["cup/a.png", "cup/b.png"])
    (['cup/try', ''], None)
    """
    homes = [name.rpartition("/")[0] for name in names]
    if any_name:
        outer = any("/" in home for home in homes)
        presses = {home for home in homes if home and ("/" in home or not outer)}
    else:
        presses = {home for home in homes if is_press(home.rpartition("/")[2])}
    return [home if home in presses else "" for home in homes] if presses else None


def natural(name: str) -> list[str | int]:
    """A sorting key that counts: frame 2 comes before frame 10. Only 0 … 9 count, digits of other scripts are letters.

    Text and numbers take turns, so that keys of any two names can be compared.
    """
    return [int(part) if i % 2 else part for i, part in enumerate(re.split(r"([0-9]+)", name))]


def relative(path: Path, root: Path) -> str:
    """The path below ``root``, with forward slashes; the whole path if it does not lie below."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _is_image(path: Path) -> bool:
    return not path.name.startswith(".") and path.suffix.lower() in SUFFIXES and path.is_file()


def _entries(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    visible = (path for path in folder.iterdir() if not path.name.startswith("."))  # .DS_Store and the like
    return sorted(visible, key=lambda path: natural(path.name))
