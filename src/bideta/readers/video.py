"""Videos: presses are found by the contact detector. A folder of videos per class is a labelled set of presses.

One video begins with the untouched sensor; each contact is a press. In a folder (``<class>/*.mp4``, Octopi's layout)
each video is a press: ``cut=found`` looks for several in each.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bideta.images.contact import ENTER
from bideta.images.folders import natural, visible_files
from bideta.images.reading import shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._recordings import FRAMES, Frame, Recording, contacts_of
from bideta.readers._video import demuxer, frames_of

INFO = ReaderInfo(
    name="video",
    title="Video: MP4, MOV, AVI, MKV, GIF",
    extra="video",
    reference="bideta help bring-your-data",
)
SUFFIXES = (".mp4", ".mov", ".avi", ".mkv", ".webm", ".gif", ".m4v")


def sniff(path: Path) -> bool:
    """A file that begins as a video does, or a folder of such files."""
    if path.is_file():
        return demuxer(path) is not None
    return path.is_dir() and not (path / "meta" / "info.json").is_file() and bool(_videos(path))


def load(path: Path, cut: str = "", frames: int = FRAMES, threshold: float = ENTER) -> Contacts:
    """The presses; ``cut`` is "found" or "whole" (each video is one); empty: found in a file, whole in a folder."""
    if path.is_file():
        recordings = [Recording(path.name, partial(_frames, path))]
    else:
        recordings = [
            Recording(
                file.relative_to(path).as_posix(),
                partial(_frames, file),
                label=file.relative_to(path).parts[0] if file.parent != path else "",
            )
            for file in _videos(path)
        ]
    if not recordings:
        raise FileNotFoundError(f"no videos in {shown(path)}: expected {', '.join(SUFFIXES)}")
    return contacts_of(recordings, cut or ("found" if path.is_file() else "whole"), frames, threshold)


def _frames(path: Path) -> Iterator[Frame]:
    return (Frame(picture) for picture, _ in frames_of(path))


def _videos(folder: Path) -> list[Path]:
    """Visible video files below a folder, in natural order."""
    found = [file for file in visible_files(folder) if _is_video(file.name)]
    return sorted(found, key=lambda file: natural(str(file.relative_to(folder))))


def _is_video(name: str) -> bool:
    return not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES
