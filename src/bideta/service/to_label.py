"""Contacts to be labelled, for labelling tools: plain JSON that FiftyOne and Label Studio import.

FiftyOne: the ``labels.json`` of a ``FiftyOneImageClassificationDataset``, by absolute paths, or by paths below its
``data_path``, which it knows without their ending. Label Studio: a list of tasks with the sensor's guess as a
prediction (``<Choices name="label" toName="image">``). Its page shows no path of a disk: pictures are asked of its own
server, by their place below the folder that it serves.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bideta.images.png import write_png

SERVED = "/data/local-files/?d="  # where Label Studio serves files of its machine


@dataclass(frozen=True)
class Doubtful:
    """One contact that somebody should look at."""

    picture: str  # where the tool finds it
    guess: str  # empty: nothing is labelled yet
    doubt: float  # 0 … 1
    reason: str


def picture_files(names: Sequence[str], pictures: Any, rows: Sequence[int], home: Path) -> list[Path]:
    """A picture file for each row: the input's own where it has files, else a PNG that is written into ``home``."""
    paths = getattr(pictures, "paths", None)
    if paths is not None:
        return [Path(paths[row]) for row in rows]
    home.mkdir(parents=True, exist_ok=True)
    files = [home / f"{number:04d} {names[row].replace('/', ' ')}.png" for number, row in enumerate(rows, 1)]
    for row, file in sorted(zip(rows, files, strict=True)):  # in the order in which a recording gives them
        write_png(file, pictures[row])
    return files


def fiftyone(contacts: Sequence[Doubtful]) -> bytes:
    """A ``labels.json``; guesses are labels with a confidence, reasons are attributes; without a guess null."""
    labels = {
        contact.picture if os.path.isabs(contact.picture) else os.path.splitext(contact.picture)[0]: {
            "label": contact.guess,
            "confidence": round(1 - contact.doubt, 6),
            "attributes": {"doubt": round(contact.doubt, 6), "reason": contact.reason},
        }
        if contact.guess
        else None
        for contact in contacts
    }
    return _json({"classes": None, "labels": labels})  # no classes: labels are texts, not numbers


def label_studio(contacts: Sequence[Doubtful]) -> bytes:
    """A list of tasks; guesses are predictions."""
    return _json([_task(contact) for contact in contacts])


def _task(contact: Doubtful) -> dict[str, Any]:
    task: dict[str, Any] = {
        "data": {
            "image": SERVED + quote(contact.picture.lstrip("/")),
            "path": contact.picture,
            "doubt": round(contact.doubt, 6),
            "reason": contact.reason,
        }
    }
    if contact.guess:
        choice = {
            "from_name": "label",
            "to_name": "image",
            "type": "choices",
            "value": {"choices": [contact.guess]},
        }
        task["predictions"] = [
            {"model_version": "bideta", "score": round(1 - contact.doubt, 6), "result": [choice]}
        ]
    return task


def _json(content: Any) -> bytes:
    return json.dumps(content, indent=1, ensure_ascii=True).encode() + b"\n"
