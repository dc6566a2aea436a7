"""LeRobot datasets, version 3: Parquet and MP4. An episode is a press, or is cut into presses.

``key`` names the camera (``observation.images.touch``), ``label`` a column of the data; else the task is the label.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.contact import ENTER
from bideta.images.reading import ImageError, decode_image, shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._extra import need
from bideta.readers._parquet import largest_page
from bideta.readers._recordings import FRAMES, Frame, Recording, broken_off, contacts_of
from bideta.readers._video import frames_of

INFO = ReaderInfo(
    name="lerobot",
    title="LeRobot dataset, version 3",
    extra="lerobot-data",
    reference="https://huggingface.co/docs/lerobot/lerobot-dataset-v3",
)
VERSION = "v3."
BATCH = 16  # rows with pictures or texts in memory at a time
NUMBERS = 4096  # rows of numbers
LABEL = 200  # characters
PAGE = 2**24  # bytes of a page of numbers or names
PICTURES = 2**29  # bytes of a page of pictures: pyarrow puts up to a thousand in one
BUDGET = 2**27  # bytes of a batch, if every value were as long as the largest page
JSON = 2**24  # bytes of info.json
EPISODES = 1_000_000
FRAMES_OF_EPISODE = FRAMES_OF_FILE = 10_000_000


@dataclass(frozen=True)
class Dataset:
    """What ``meta/`` says."""

    root: Path
    info: dict[str, Any]
    key: str

    @property
    def is_video(self) -> bool:
        """Whether the camera's pictures are in videos, not in the table."""
        return bool(self.info["features"][self.key]["dtype"] == "video")

    def file(self, template: str, **numbers: Any) -> Path:
        """A file of the dataset; it must lie below its folder."""
        path = self.root / filled(str(self.info[template]), numbers)
        if not path.resolve().is_relative_to(self.root.resolve()):
            raise ValueError(f"{shown(self.root)}: info.json leads to {shown(path)}, which is outside")
        return path


def sniff(path: Path) -> bool:
    """A folder with ``meta/info.json``."""
    return path.is_dir() and (path / "meta" / "info.json").is_file()


def load(
    path: Path,
    key: str = "",
    label: str = "task",
    cut: str = "whole",
    frames: int = FRAMES,
    threshold: float = ENTER,
) -> Contacts:
    """The contacts; ``cut`` is "whole" (an episode is one) or "found" (by the contact detector)."""
    need("pyarrow", "lerobot-data", "LeRobot datasets")
    dataset = open_dataset(path, key)
    recordings, lost = [], []
    labels = _Labels(dataset, label)
    for episode in episodes(dataset):
        name = f"episode {episode['episode_index']}"
        try:
            frame_labels = labels.of(episode)
            recordings.append(Recording(name, partial(_frames, dataset, episode, frame_labels)))
        except (ValueError, OSError, TypeError) as error:
            lost.append(f"{name} of {shown(path)}: {error}")
    if not recordings:
        raise ValueError(lost[0] if lost else f"{shown(path)} has no episodes")
    return contacts_of(recordings, cut, frames, threshold, lost)


def open_dataset(path: Path, key: str = "") -> Dataset:
    """The dataset's facts, checked; the camera is the only one, or the only one whose name speaks of touch."""
    file = path / "meta" / "info.json"
    try:
        if file.stat().st_size > JSON:
            raise ValueError("longer than any description")
        info = json.loads(file.read_text(encoding="utf-8"))
        version, features = str(info["codebase_version"]), info["features"]
        cameras = [name for name, one in features.items() if one["dtype"] in ("video", "image")]
        float(info["fps"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"cannot read {shown(file)}: {type(error).__name__} {error}") from error
    if not version.startswith(VERSION):
        raise ValueError(
            f"{shown(path)} is a LeRobot dataset of version {shown(version)[:20]}, expected v3.0; convert it with: "
            "python -m lerobot.scripts.convert_dataset_v21_to_v30 (LeRobot 0.4: lerobot.datasets.v30.…)"
        )
    touch = [name for name in cameras if re.search("touch|tactile|digit|gelsight", name, re.IGNORECASE)]
    chosen = key or next((one[0] for one in (cameras, touch) if len(one) == 1), "")
    chosen = next((name for name in (chosen, f"observation.images.{chosen}") if name in cameras), "")
    if not chosen:
        raise ValueError(
            f"{shown(path)} has the cameras {', '.join(map(shown, cameras)) or 'none'}; --read key=NAME names one"
        )
    return Dataset(path, info, chosen)


def episodes(dataset: Dataset) -> Iterator[dict[str, Any]]:
    """Where the frames of each episode are."""
    wanted = ["episode_index", "length", "data/chunk_index", "data/file_index", "dataset_from_index"]
    if dataset.is_video:
        video = f"videos/{dataset.key}"
        wanted += [f"{video}/{name}" for name in ("chunk_index", "file_index", "from_timestamp")]
    count = 0
    for file in sorted((dataset.root / "meta" / "episodes").glob("*/*.parquet")):
        for batch in batches(file, wanted, 1024):
            for row in batch.to_pylist():
                count += 1
                if not isinstance(row["length"], int) or row["episode_index"] is None:
                    raise ValueError(f"{shown(file)} has an episode without a number or a length")
                if count > EPISODES or not 0 <= row["length"] <= FRAMES_OF_EPISODE:
                    raise ValueError(f"{shown(file)} promises more than a dataset can hold")
                yield row


def batches(file: Path, columns: list[str], size: int, page: int = PAGE) -> Iterator[Any]:
    """Some columns of a Parquet file, ``size`` rows at a time; what is damaged or too large is refused."""
    parquet = need("pyarrow.parquet", "parquet", "Parquet files")
    with _named(file), parquet.ParquetFile(file) as table:
        missing = [name for name in columns if name not in table.schema_arrow.names]
        if missing:
            raise ValueError(f"{shown(file)} has no column {', '.join(missing)}")
        largest = largest_page(file, table.metadata, {column.split(".")[0] for column in columns}, page)
        # A value lies in one page; many rows may be the same value of a dictionary.
        size = max(1, min(size, BUDGET // max(largest, 1)))
        yield from table.iter_batches(size, columns=columns, use_threads=False)


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """What the library raises names the file."""
    arrow = need("pyarrow", "parquet", "Parquet files")
    try:
        yield
    except (arrow.ArrowException, OSError, MemoryError, OverflowError) as error:
        raise ValueError(f"cannot read {shown(file)} as Parquet: {str(error)[:200]}") from error


def _tasks(dataset: Dataset) -> dict[int, str]:
    """Number of a task → its text; pandas kept the texts as the index, whose column has one of two names."""
    file = dataset.root / "meta" / "tasks.parquet"
    if not file.is_file():
        return {}
    parquet = need("pyarrow.parquet", "parquet", "Parquet files")
    with _named(file):
        text = "task" if "task" in parquet.read_schema(file).names else "__index_level_0__"
    return {
        int(row["task_index"]): str(row[text])[:LABEL]
        for batch in batches(file, ["task_index", text], BATCH)
        for row in batch.to_pylist()
    }


class _Labels:
    """The label of every frame. A file holds many episodes and is read once, as they come file by file."""

    def __init__(self, dataset: Dataset, label: str) -> None:
        self._dataset, self._label = dataset, label
        self._tasks = _tasks(dataset) if label == "task" else {}
        self._file: Path | None = None
        self._labels: dict[int, list[str]] = {}  # by episode, of that file

    def of(self, episode: dict[str, Any]) -> list[str]:
        """The labels of an episode's frames."""
        file = _data_file(self._dataset, episode)
        if file != self._file:
            self._labels, self._file = self._read(file), file
        found = self._labels.get(int(episode["episode_index"]), [])
        if len(found) != episode["length"]:
            raise ValueError(f"{len(found)} rows of data, expected {episode['length']}")
        return found

    def _read(self, file: Path) -> dict[int, list[str]]:
        column = "task_index" if self._label == "task" else self._label
        labels: dict[int, list[str]] = {}
        once: dict[str, str] = {}  # each text is kept once
        count = 0
        rows = NUMBERS if self._label == "task" else BATCH  # a text may have any length
        for batch in batches(file, ["episode_index", column], rows):
            count += len(batch)
            if count > FRAMES_OF_FILE:
                raise ValueError(f"{shown(file)} holds more than {FRAMES_OF_FILE:,} frames")
            for row in batch.to_pylist():
                text = self._text(row[column])
                labels.setdefault(int(row["episode_index"]), []).append(once.setdefault(text, text))
        return labels

    def _text(self, value: Any) -> str:
        if self._label == "task":
            return self._tasks.get(value, "")
        first = value[0] if isinstance(value, list) and value else value
        return "" if first is None else str(first)[:LABEL]


def _data_file(dataset: Dataset, episode: dict[str, Any]) -> Path:
    return dataset.file(
        "data_path", chunk_index=episode["data/chunk_index"], file_index=episode["data/file_index"]
    )


def _rows(dataset: Dataset, episode: dict[str, Any], columns: list[str]) -> Iterator[dict[str, Any]]:
    """Rows of an episode in the data files."""
    number = episode["episode_index"]
    for batch in batches(_data_file(dataset, episode), ["episode_index", *columns], BATCH, PICTURES):
        of = np.asarray(batch["episode_index"]) == number
        if of.any():
            yield from batch.filter(_mask(of)).to_pylist()


def _mask(rows: NDArray[np.bool_]) -> Any:
    return need("pyarrow", "parquet", "Parquet files").array(rows)


def _frames(dataset: Dataset, episode: dict[str, Any], labels: list[str]) -> Iterator[Frame]:
    name = f"episode {episode['episode_index']} of {shown(dataset.root)}"
    try:
        reads = _in_video(dataset, episode, name) if dataset.is_video else _in_table(dataset, episode, name)
        count = 0
        for label, read in zip(labels, reads, strict=False):
            count += 1
            yield Frame(read, label)
    except ImageError:
        raise
    except (ValueError, OSError, KeyError, TypeError) as error:
        raise broken_off(name, error) from error
    if count < len(labels):
        raise broken_off(name, f"{count} pictures, expected {len(labels)}")


def _in_video(dataset: Dataset, episode: dict[str, Any], name: str) -> Iterator[Any]:
    video = f"videos/{dataset.key}"
    chunk, number = episode[f"{video}/chunk_index"], episode[f"{video}/file_index"]
    file = dataset.file("video_path", video_key=dataset.key, chunk_index=chunk, file_index=number)
    start, rate = float(episode[f"{video}/from_timestamp"]), float(dataset.info["fps"])
    for read, time in frames_of(file, start):
        if time >= start - 0.5 / rate:  # seeking ends at the key frame before
            yield read


def _in_table(dataset: Dataset, episode: dict[str, Any], name: str) -> Iterator[Any]:
    for row, values in enumerate(_rows(dataset, episode, [dataset.key])):
        cell = values[dataset.key]
        content = cell.get("bytes") if isinstance(cell, dict) else None
        if not isinstance(content, bytes):
            raise ImageError(f"cannot read {name}, frame {row}: the picture is not in the table")
        yield partial(decode_image, io.BytesIO(content), f"{name}, frame {row}")


def filled(template: str, values: dict[str, Any]) -> str:
    """A path with its numbers; ``str.format`` would let the file ask for a thousand million digits.

    >>> filled("data/chunk-{chunk_index:03d}/x.parquet", {"chunk_index": 7})
    'data/chunk-007/x.parquet'
    """

    def number(found: re.Match[str]) -> str:
        value = values.get(found[1])
        if value is None:
            raise ValueError(f"a path with {found[0]!r}, which has no value")
        return str(value) if found[2] is None else f"{int(value):0{found[2]}d}"

    return re.sub(r"\{(\w+)(?::0(\d)d)?\}", number, template)
