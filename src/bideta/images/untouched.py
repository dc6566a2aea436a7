"""Untouched frames of presses: a second folder with the same folders for classes and presses inside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.images.folders import image_files
from bideta.images.reading import shown

SUFFIX = "-untouched"  # of the folder beside "objects" that holds its untouched frames: "objects-untouched"


def untouched_folder(root: Path) -> Path | None:
    """The folder beside ``root`` that holds its untouched frames, where there is one."""
    beside = root.resolve().parent / f"{root.resolve().name}{SUFFIX}"
    return beside if beside.is_dir() else None


def untouched_frames(paths: Sequence[Path], root: Path, untouched: Path) -> list[Path]:
    """First untouched frame of each contact's press; for ``root/cup/press 3`` it lies in ``untouched/cup/press 3``."""
    if not untouched.is_dir():
        raise FileNotFoundError(f"no folder {shown(untouched)}: expected untouched frames, <class>/<press>/*")
    first: dict[Path, Path] = {}
    for press in dict.fromkeys(path.parent for path in paths):
        if not press.absolute().is_relative_to(root.absolute()):  # a table may list pictures of anywhere
            raise ValueError(
                f"{shown(press)} is not inside {shown(root)}, so its untouched frames are not known"
            )
        inside = press.absolute().relative_to(root.absolute())
        images = image_files(untouched / inside)
        if not images:
            raise ValueError(
                f"{shown(untouched)} has no frame of {shown(inside)}; expected the same folders for "
                f"classes and presses as {shown(root)} has"
            )
        first[press] = images[0]
    return [first[path.parent] for path in paths]
