"""A session on disk: one folder, every file whole or absent, nothing executable in it.

    session.json           title, settings, and what was changed after the upload (labels, removals)
    part-000001.contacts   one upload: readouts, pictures and small pictures (``bideta.artifact``: checksummed)
    source.contacts        readouts of a source sensor, where there is one (the example)
    sensor.bideta          the adapted sensor

Folders are named by the server; nothing that a client sends becomes part of a path.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
from numpy.typing import NDArray

from bideta import artifact
from bideta.encoders import Readouts
from bideta.images.files import write_atomic
from bideta.images.looks import WIDTH
from bideta.service.choices import DEFAULT_PRESET, preset_prior
from bideta.studio.pictures import Picture
from bideta.studio.refused import RefusedError
from bideta.studio.session_contacts import Contact, sketches_of

META, SENSOR, SOURCE = "session.json", "sensor.bideta", "source.contacts"
SKETCHES = "sketches"  # how the pictures of a part look
PART = re.compile(r"part-([0-9]{6,9})\.contacts")
# What reading a file raises that was altered or that the disk gives back no more.
DAMAGE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OSError,
    RecursionError,
    safetensors.SafetensorError,
)
FULL = (errno.ENOSPC, errno.EDQUOT)  # error numbers of a disk without room
NOTED = (
    "id",
    "name",
    "label",
    "truth",
    "press",
    "colour",
    "suffix",
    "digest",
)  # of a contact, in a part's header


@dataclass
class Meta:
    """The part of a session that changes: small, rewritten whole."""

    title: str
    created: float
    encoder: str
    fingerprint: str
    preset: str = DEFAULT_PRESET
    prior: str = preset_prior(DEFAULT_PRESET)
    simulated: bool = False
    # contact → {"label": …} or {"removed": true}
    edits: dict[str, dict[str, Any]] = field(default_factory=dict)
    # how good it was with how many labels: see ``analysis.progress_point``
    progress: list[dict[str, Any]] = field(default_factory=list)


POINT = {"labels", "known", "accuracy", "hidden", "hidden_accuracy"}  # of the progress
META_TYPES: dict[str, Any] = {
    **dict.fromkeys(("title", "encoder", "fingerprint", "preset", "prior"), str),
    **{"created": float | int, "simulated": bool, "edits": dict, "progress": list},
}


@dataclass(frozen=True)
class Part:
    """One upload as it was stored."""

    number: int
    key: str  # the client's name for the upload, so that a repeated one is stored once
    contacts: list[Contact]
    rejected: list[dict[str, str]]


def write_meta(folder: Path, meta: Meta) -> None:
    """Replace session.json."""
    write_atomic(folder / META, json.dumps(vars(meta), ensure_ascii=False).encode())


def read_meta(folder: Path) -> Meta:
    """What ``write_meta`` wrote; anything else raises ValueError."""
    try:
        meta = Meta(**json.loads((folder / META).read_bytes()))
        for name, kind in META_TYPES.items():
            if not isinstance(getattr(meta, name), kind):
                raise ValueError(f"{name} is not of the type {kind}")
        if not all(isinstance(edit, dict) for edit in meta.edits.values()):
            raise ValueError("an edit is not an object")
        if not all(isinstance(point, dict) and point.keys() >= POINT for point in meta.progress):
            raise ValueError("a point of the progress is not an object with its numbers")
        return meta
    except (OSError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"session {folder.name} cannot be restored: {META} is unreadable ({error})"
        ) from error


def write_part(folder: Path, part: Part, pictures: Sequence[Picture]) -> int:
    """Store an upload; the number of bytes written."""
    arrays: dict[str, NDArray[Any]] = {}
    for i, picture in enumerate(pictures):
        arrays[f"image{i}"] = np.frombuffer(picture.upload.content, np.uint8)
        arrays[f"thumb{i}"] = np.frombuffer(picture.thumb, np.uint8)
    rows = zip(*(contact.readouts for contact in part.contacts), strict=True)
    arrays |= _named(tuple(np.stack(readout) for readout in rows)) | {SKETCHES: sketches_of(part.contacts)}
    header = {
        "key": part.key,
        "rejected": part.rejected,
        "contacts": [{name: getattr(contact, name) for name in NOTED} for contact in part.contacts],
    }
    path = part_path(folder, part.number)
    artifact.write(path, header, arrays)
    return path.stat().st_size


def size_of_part(part: Part, pictures: Sequence[Picture]) -> int:
    """Bytes that an upload will take on disk, but for its header."""
    readouts = sum(readout.nbytes for contact in part.contacts for readout in contact.readouts)
    readouts += sketches_of(part.contacts).nbytes
    return readouts + sum(len(picture.upload.content) + len(picture.thumb) for picture in pictures)


def read_parts(folder: Path) -> tuple[list[Part], dict[str, str]]:
    """All uploads of a session in their order, and file and reason of damaged ones: the others are still good."""
    parts, damaged = [], {}
    for path, number in _parts(folder):
        try:
            parts.append(_part(number, *artifact.read(path)))
        except DAMAGE as error:
            damaged[path.name] = f"the upload {path.name} cannot be read: {error}"
    return parts, damaged


def count_contacts(folder: Path, meta: Meta) -> tuple[int, int]:
    """Labelled and new contacts of a session, by the headers of its files; damaged ones count for nothing."""
    labels: dict[str, str | None] = {}
    for path, _ in _parts(folder):
        try:
            labels |= {row["id"]: row["label"] for row in artifact.read_header(path)["contacts"]}
        except DAMAGE:
            continue
    for name, edit in meta.edits.items():
        if edit.get("removed"):
            labels.pop(name, None)
        elif name in labels:
            labels[name] = edit.get("label")
    labelled = sum(label is not None for label in labels.values())
    return labelled, len(labels) - labelled


def last_part(folder: Path) -> int:
    """The highest number of an upload, damaged ones too: no number is given twice."""
    return max((number for _, number in _parts(folder)), default=0)


def _parts(folder: Path) -> list[tuple[Path, int]]:
    names = ((path, PART.fullmatch(path.name)) for path in sorted(folder.iterdir()))
    return [(path, int(found[1])) for path, found in names if found]


def _part(number: int, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Part:
    readouts = _numbered(arrays)
    sketches = arrays.get(SKETCHES, np.zeros(0, np.float32))  # older files have none
    contacts = []
    for i, row in enumerate(header["contacts"]):
        facts = {"press": None, **row, "colour": tuple(row["colour"])}  # older files say nothing of presses
        sketch = sketches[i] if sketches.shape[1:] == (WIDTH,) else None
        contacts.append(Contact(**facts, readouts=tuple(H[i] for H in readouts), part=number, sketch=sketch))
    return Part(number, header["key"], contacts, header["rejected"])


def read_picture(folder: Path, contact: Contact, kind: str) -> bytes:
    """The bytes of a contact's "image" (as uploaded) or "thumb" (PNG)."""
    path = part_path(folder, contact.part)
    row = int(contact.id.rpartition("-")[2])
    try:
        with safetensors.safe_open(path, framework="np") as stream:
            return stream.get_tensor(f"{kind}{row}").tobytes()
    except DAMAGE as error:
        raise RefusedError(410, f"the upload of this contact cannot be read any more: {error}") from error


def write_source(folder: Path, readouts: Readouts, labels: list[str]) -> None:
    """Store the labelled contacts of a source sensor."""
    artifact.write(folder / SOURCE, {"labels": labels}, _named(readouts))


def read_source(folder: Path) -> tuple[Readouts, list[str]]:
    """Readouts and labels that ``write_source`` stored."""
    header, arrays = artifact.read(folder / SOURCE)
    if "labels" not in header:
        raise ValueError(f"{SOURCE} holds no labels")
    return _numbered(arrays), header["labels"]


def _named(readouts: Readouts) -> dict[str, NDArray[Any]]:
    """Readouts by the names they have in a file: h1, h2, …"""
    return {f"h{v}": H for v, H in enumerate(readouts, 1)}


def _numbered(arrays: dict[str, NDArray[Any]]) -> Readouts:
    """Readouts that have these names, in their order."""
    count = sum(name.startswith("h") for name in arrays)
    if not count:
        raise ValueError("the file holds no readouts")
    return tuple(arrays[f"h{v}"] for v in range(1, count + 1))


def part_path(folder: Path, number: int) -> Path:
    """Where upload ``number`` lies."""
    return folder / f"part-{number:06d}.contacts"


def tidy(folder: Path) -> None:
    """Remove what a killed server left behind: temporary neighbours of files that were being written."""
    for path in folder.glob(".*"):
        path.unlink(missing_ok=True)


def size_of(folder: Path) -> int:
    """Bytes of a session's files."""
    return sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())


def disk_full(error: OSError) -> bool:
    """Whether a file could not be written for want of room."""
    return error.errno in FULL


def remove(folder: Path) -> None:
    """Delete a session: renamed first, so that half a session is never found."""
    grave = folder.with_name(f".{folder.name}.removed")
    try:
        folder.rename(grave)
    except FileNotFoundError:
        return
    shutil.rmtree(grave, ignore_errors=True)
