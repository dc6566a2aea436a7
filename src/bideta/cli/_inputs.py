"""``--format``, ``--frames`` and ``--read`` on the command line → what a reader takes, and the contacts it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bideta.cli._settings import parse_settings
from bideta.cli._terminal import note
from bideta.datasets import Frames
from bideta.datasets.on_disk.dataset import FileDataset
from bideta.datasets.on_disk.recorded import RecordedDataset
from bideta.images import background
from bideta.images.folders import not_read, press_folders
from bideta.images.lazy import Chosen
from bideta.readers import FOLDER, Contacts, format_of
from bideta.service.inputs import open_input


def reading(frames: int | None, pairs: Sequence[str] | None) -> dict[str, Any]:
    """Settings of a reader."""
    return parse_settings(pairs, "--read") | ({} if frames is None else {"frames": frames})


def refuse_reading(format: str, frames: int | None, pairs: Sequence[str] | None) -> None:
    """Raise where a reader was asked for beside a table that lists the pictures itself."""
    if format or frames is not None or pairs:
        raise ValueError(
            "--format, --frames and --read say how an input is read; --targets lists its pictures itself: leave out "
            "one of both"
        )


def open_queries(
    path: Path, format: str, frames: int | None, pairs: Sequence[str] | None, presses: bool = False
) -> Contacts:
    """Contacts to answer; files of a folder that are not read are named. ``presses``: folders of any name are some."""
    contacts = open_input(path, format, reading(frames, pairs))
    in_folder = format_of(path, format) == FOLDER
    others = not_read(path) if in_folder else ""
    if others:
        note(f"note: {others}")
    if in_folder and (path / background.FOLDER).is_dir():
        note(f"note: {background.FOLDER}/ holds pictures of the untouched sensor and is left out")
    if presses and (in_folder or contacts.presses is None):
        contacts = replace(contacts, presses=press_folders(contacts.names, any_name=True) or contacts.presses)
    return contacts


def labelled(dataset: FileDataset | RecordedDataset) -> tuple[Frames, Contacts]:
    """The frames of the dataset's one sensor (of its last split), and the same as contacts."""
    sensor, split = dataset.sensors[0], dataset.info.splits[-1]
    frames = dataset.frames(sensor, split)
    contacts = Contacts(frames.ids, frames.images)
    if isinstance(dataset, FileDataset):
        return frames, contacts
    given, rows = dataset.contacts, dataset.rows(sensor, split)
    untouched = None if given.untouched is None else Chosen(given.untouched, rows)
    return frames, replace(
        contacts, untouched=untouched, kind=given.kind, widths=given.widths, broken=given.broken
    )
