"""Folders of images, listed in a fixed order, and what their names say."""

from __future__ import annotations

import os
import re
from pathlib import Path

from bideta.images.reading import SUFFIXES, shown


def subfolders(folder: Path) -> dict[str, Path]:
    """Name → path of the visible folders inside, in natural order; empty if ``folder`` does not exist."""
    return {path.name: path for path in _entries(folder) if path.is_dir()}


def image_files(folder: Path) -> list[Path]:
    """Visible files inside with the suffix of an image, in natural order (2 before 10)."""
    return [path for path in _entries(folder) if _is_image(path)]


def image_tree(folder: Path) -> list[Path]:
    """All visible image files below a folder, in natural order; linked folders are not entered."""
    images = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        images += [path for name in names if _is_image(path := Path(parent, name))]
    return sorted(images, key=lambda path: natural(str(path.relative_to(folder))))


def find_images(folder: Path) -> list[Path]:
    """The same, or an error where there is no folder or no image in it."""
    if not folder.is_dir():
        raise FileNotFoundError(f"no folder {shown(folder)}: expected a folder of images")
    paths = image_tree(folder)
    if not paths:
        raise FileNotFoundError(f"no images in {shown(folder)}: expected PNG, JPEG, BMP, TIFF or WEBP files")
    return paths


def is_press(folder: str) -> bool:
    """Whether a folder's name says that it holds frames of one press: "press 1", "press_02", "press-20261116-09".

    >>> [is_press(name) for name in ("press 1", "Press-02", "press3", "press", "press-fit nut", "nut press 1")]
    [True, True, True, False, False, False]
    """
    return re.match(r"press[ _-]?[0-9]", folder, re.IGNORECASE) is not None


def natural(name: str) -> list[str | int]:
    """A sorting key that counts: frame 2 comes before frame 10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"([0-9]+)", name)]


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
