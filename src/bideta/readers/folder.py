"""A folder of pictures, searched to any depth. Labels of class folders are read by ``datasets.folder``."""

from __future__ import annotations

from pathlib import Path

from bideta.images import background
from bideta.images.folders import find_images, has_image, is_press, press_folders, relative
from bideta.images.lazy import ImageFiles
from bideta.readers import Contacts, ReaderInfo

INFO = ReaderInfo(
    name="folder",
    title="Folder of pictures: PNG, JPEG, BMP, TIFF, WEBP",
    reference="bideta help own-sensor#folders",
)
# Folders that say themselves what they are; pictures in them are part of something larger.
MARKS = ("meta/info.json", "zarr.json", ".zgroup", ".zarray", "metadata.yaml")


def sniff(path: Path) -> bool:
    """A folder with pictures in it, and no sign of another format."""
    return path.is_dir() and not any((path / mark).is_file() for mark in MARKS) and has_image(path)


def load(path: Path) -> Contacts:
    """The pictures in natural order. Folders called "press 1", … are presses; any other may be a class or nothing."""
    untouched = path / background.FOLDER  # no contacts: adapt and evaluate leave them out, too
    paths = [file for file in find_images(path) if untouched not in file.parents]
    names = [relative(file, path) for file in paths]
    presses = press_folders(names)
    if is_press(path.absolute().name) and all(file.parent == path for file in paths):
        presses = [path.absolute().name] * len(names)  # it was asked about by itself
    return Contacts(names, ImageFiles(paths), presses=presses)
