"""ROS 2 bags: a rosbag2 folder, or one MCAP or ``.db3`` file. Pictures from ``Image`` and ``CompressedImage`` topics.

Labels come from a topic of texts (``label_topic``: the last text before a frame; with ``cut=given`` each text begins a
press, an empty one ends it) or from a table (``times``: a CSV with
``start``, ``end``, ``label``; seconds from the first picture, or since the epoch). Each row of the table is a press.
"""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bideta.images.contact import ENTER
from bideta.images.folders import natural
from bideta.images.reading import ImageError, shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._bags import kinds, messages, storage
from bideta.readers._cdr import COMPRESSED, IMAGE, TEXT, picture, text
from bideta.readers._recordings import FRAMES, Frame, Recording, contacts_of

INFO = ReaderInfo(
    name="rosbag",
    title="ROS 2 bag: rosbag2 folder, MCAP, db3",
    extra="mcap",
    reference="https://mcap.dev/guides/getting-started/ros-2",
)
SUFFIXES = (".mcap", ".db3")
LABEL = 200  # characters
EPOCH = 1e8  # seconds; a larger time is counted from 1970, a smaller one from the first picture


class Interval(NamedTuple):
    """A row of the time table."""

    start: float
    end: float
    label: str


def sniff(path: Path) -> bool:
    """An MCAP or SQLite file, or a folder with ``metadata.yaml`` and such files."""
    if path.is_file():
        return bool(storage(path))
    return path.is_dir() and bool(_files(path) or _packed(path))


def load(
    path: Path,
    topic: str = "",
    label_topic: str = "",
    times: str = "",
    cut: str = "",
    frames: int = FRAMES,
    threshold: float = ENTER,
) -> Contacts:
    """The contacts; ``cut`` is "found", "whole" (a file is one) or "given" (by the table, where there is one)."""
    files = [path] if path.is_file() else _files(path)
    if not files and _packed(path):
        raise ValueError(
            f"{shown(path)} was recorded with its files compressed as a whole; unpack them: zstd -d "
            f"{', '.join(shown(file.name) for file in _packed(path)[:3])}"
        )
    if not files:
        raise FileNotFoundError(f"no bag in {shown(path)}: expected {' or '.join(SUFFIXES)} files")
    table = _table(Path(times)) if times else []
    recordings, lost = [], []
    for file in files:
        try:
            topics = kinds(file)
            chosen = _topic(file, topics, topic)
            if label_topic and topics.get(label_topic) != TEXT:
                raise ImageError(f"{shown(file)} has no topic {shown(label_topic)!r} of {TEXT}")
            recordings.append(Recording(file.stem, partial(_frames, file, chosen, label_topic, table)))
        except ValueError as error:
            lost.append(str(error))
    if not recordings:
        raise ValueError(lost[0])
    return contacts_of(recordings, cut or ("given" if times else "found"), frames, threshold, lost)


def _topic(file: Path, topics: dict[str, str], topic: str) -> str:
    """The topic of pictures: the one named, or the only one."""
    pictures = {name: kind for name, kind in topics.items() if kind in (IMAGE, COMPRESSED)}
    if topic and topic not in pictures:
        raise ImageError(f"{shown(file)} has no pictures on {shown(topic)!r}; it has {_listed(pictures)}")
    if not topic and len(pictures) != 1:
        raise ImageError(f"{shown(file)} has pictures on {_listed(pictures)}; --read topic=NAME names one")
    return topic or next(iter(pictures))


def _frames(file: Path, topic: str, label_topic: str, table: list[Interval]) -> Iterator[Frame]:
    label, texts, first, count = "", 0, None, 0
    wanted = {topic, label_topic} if label_topic else {topic}
    starts = [interval.start for interval in table]
    for message in messages(file, wanted):
        if message.topic == label_topic and message.kind == TEXT:
            label = text(message.data).strip()[:LABEL]
            texts += 1
            continue
        seconds = message.nanoseconds / 1e9
        first = seconds if first is None else first
        press, said = f"press {texts}" if label else "", label
        if table:
            now = seconds if starts[0] > EPOCH else seconds - first
            row = bisect_right(starts, now) - 1
            inside = row >= 0 and now <= table[row].end
            press, said = (f"press {row + 1}", table[row].label) if inside else ("", "")
        yield Frame(
            partial(picture, message.data, message.kind, f"{file.name}, picture {count}"), said, press
        )
        count += 1


def _table(path: Path) -> list[Interval]:
    """The time table, sorted; intervals must not lie over each other."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [
                Interval(float(row["start"]), float(row["end"]), row["label"].strip())
                for row in csv.DictReader(file)
            ]
    except (OSError, KeyError, TypeError, ValueError, AttributeError, csv.Error) as error:
        raise ValueError(
            f"cannot read {shown(path)} as a table with columns start, end, label: {error!r}"
        ) from error
    rows.sort()
    for one, following in pairwise(rows):
        if following.start < one.end:
            raise ValueError(f"{shown(path)}: {one} and {following} lie over each other")
    if not rows or any(row.end < row.start for row in rows):
        raise ValueError(f"{shown(path)} has no rows, or one that ends before it starts")
    return rows


def _files(folder: Path) -> list[Path]:
    """Storage files of a bag folder; ``metadata.yaml`` may name others, which are not looked at."""
    found = [
        file for file in folder.iterdir() if file.suffix in SUFFIXES and file.is_file() and storage(file)
    ]
    return sorted(found, key=lambda file: natural(file.name))


def _packed(folder: Path) -> list[Path]:
    """Files of ``ros2 bag record --compression-mode file``."""
    return sorted(file for suffix in SUFFIXES for file in folder.glob(f"*{suffix}.zstd"))


def _listed(topics: dict[str, str]) -> str:
    return ", ".join(map(shown, topics)) or "no topic"
