"""``predict --lerobot``: the answers for a LeRobot dataset as features of a copy of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from bideta.cli._terminal import note
from bideta.images.reading import shown
from bideta.readers import format_of
from bideta.service.lerobot_files import ANSWERS, Answer, copy_with_answers
from bideta.spelling import counted

FRAME = re.compile(r"episode (\d+)/(?:.*/)?frame (\d+)")  # what the reader calls a contact


def check_lerobot(queries: Path, format: str, target: Path, frames: int | None) -> int:
    """How many frames of a press are to be answered: all; refused where the input is no LeRobot dataset."""
    if format_of(queries, format) != "lerobot":
        raise ValueError(f"--lerobot copies a LeRobot dataset; {shown(queries)} is none")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise FileExistsError(f"--lerobot {shown(target)} exists and is not empty; choose a new folder")
    return 0 if frames is None else frames


def write_lerobot(
    queries: Path, target: Path, names: Sequence[str], columns: Mapping[str, Sequence[str]]
) -> None:
    """Write the copy; names are those of the answered frames."""
    answers: dict[tuple[int, int], Answer] = {}
    told = zip(names, columns["label"], columns["probability"], columns["reliability"], strict=True)
    for name, label, probability, reliability in told:
        found = FRAME.fullmatch(name)
        if found:
            answers[int(found[1]), int(found[2])] = label, float(probability), float(reliability or "nan")
    copy_with_answers(queries, target, answers)
    note(
        f"{shown(target)}: a copy of {shown(queries)} with {', '.join(ANSWERS)} of {counted(len(answers), 'frame')}"
    )
