"""LeRobot datasets (version 3) written without the library: answers as features of a copy, presses as episodes.

Pictures of recorded presses are PNG in the table (``dtype: image``), so nothing is lost by compression.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bideta.images.files import new_folder, write_atomic
from bideta.images.png import png
from bideta.images.reading import shown

KEY = "observation.images.touch"
VERSION = "v3.0"
ANSWERS = {"touch.label": "string", "touch.probability": "float32", "touch.reliability": "float32"}
NUMBERS = ("frame_index", "episode_index", "index", "task_index")
Answer = tuple[str, float, float]  # label, probability, reliability
UNANSWERED: Answer = ("", 0.0, 0.0)


def copy_with_answers(source: Path, target: Path, answers: Mapping[tuple[int, int], Answer]) -> None:
    """A copy of a dataset with three more features; ``answers`` are by episode and frame, others are empty."""
    arrow, parquet = _arrow()
    info = json.loads((source / "meta" / "info.json").read_text(encoding="utf-8"))
    with new_folder(target) as home:
        shutil.copytree(source, home, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.parquet"))
        numbers: dict[str, list[float]] = {name: [] for name, kind in ANSWERS.items() if kind != "string"}
        for file in sorted(source.rglob("*.parquet")):
            place = home / file.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            if file.relative_to(source).parts[0] != "data":
                shutil.copyfile(file, place)
                continue
            table = parquet.read_table(file)
            frames = zip(table["episode_index"].to_pylist(), table["frame_index"].to_pylist(), strict=True)
            columns = zip(*(answers.get(frame, UNANSWERED) for frame in frames), strict=True)
            for (name, kind), values in zip(ANSWERS.items(), columns, strict=True):
                type_ = arrow.string() if kind == "string" else arrow.float32()
                if name in table.column_names:
                    table = table.drop_columns([name])
                table = table.append_column(name, arrow.array(list(values), type_))
                if name in numbers:
                    numbers[name] += values
            parquet.write_table(_described(table), place)
        features = {name: {"dtype": kind, "shape": [1], "names": None} for name, kind in ANSWERS.items()}
        _write_json(home / "meta" / "info.json", {**info, "features": {**info["features"], **features}})
        stats = home / "meta" / "stats.json"
        known = json.loads(stats.read_text(encoding="utf-8")) if stats.is_file() else {}
        _write_json(stats, {**known, **_statistics(numbers)})


class Episodes:
    """Presses written as episodes into a dataset, new or one that this class made; ``close`` writes it."""

    def __init__(self, root: Path, fps: float = 25.0) -> None:
        _arrow()
        self.root, self.fps = root, fps
        self._presses: list[tuple[str, list[Any]]] = []
        self._info: dict[str, Any] | None = None
        file = root / "meta" / "info.json"
        if file.is_file():
            self._info = json.loads(file.read_text(encoding="utf-8"))
            if set(self._info.get("features", {})) != {KEY, "timestamp", *NUMBERS}:
                raise ValueError(
                    f"{shown(root)} is a LeRobot dataset with other features; choose a new folder"
                )
        elif root.exists() and any(root.iterdir()):
            raise FileExistsError(f"{shown(root)} is not empty and no LeRobot dataset; choose a new folder")

    def add(self, label: str, frames: Sequence[Any]) -> None:
        """One press; its label is the task."""
        if frames:
            self._presses.append((label, list(frames)))

    def close(self) -> None:
        """Write the presses as one more file of data, and then the description, which makes them part of it."""
        if not self._presses:
            return
        arrow, parquet = _arrow()
        shapes = {frame.shape for _, frames in self._presses for frame in frames}
        info = self._info or _empty_info(self.fps, shapes.copy().pop())
        if {tuple(info["features"][KEY]["shape"])} != shapes:
            raise ValueError(
                f"frames of {', '.join(map(str, shapes))}; {shown(self.root)} has {info['features'][KEY]['shape']}"
            )
        tasks = _tasks(self.root)
        for label, _ in self._presses:
            tasks.setdefault(label, len(tasks))
        number = len(list((self.root / "data" / "chunk-000").glob("*.parquet")))
        first, row = int(info["total_episodes"]), int(info["total_frames"])
        rows: list[dict[str, Any]] = []
        episodes: list[dict[str, Any]] = []
        for episode, (label, frames) in enumerate(self._presses, first):
            place = {"data/chunk_index": 0, "data/file_index": number}
            home = {"meta/episodes/chunk_index": 0, "meta/episodes/file_index": number}
            span = {"dataset_from_index": row, "dataset_to_index": row + len(frames)}
            episodes.append(
                {"episode_index": episode, "tasks": [label], "length": len(frames)} | place | span | home
            )
            for i, frame in enumerate(frames):
                values = (i, episode, row, tasks[label])
                picture = {"bytes": png(frame), "path": f"frame-{i:06d}.png"}
                rows.append(
                    {KEY: picture, "timestamp": i / info["fps"]} | dict(zip(NUMBERS, values, strict=True))
                )
                row += 1
        picture_type = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
        schema = arrow.schema(
            [
                (KEY, picture_type),
                ("timestamp", arrow.float32()),
                *((name, arrow.int64()) for name in NUMBERS),
            ]
        )
        texts = {"task_index": list(tasks.values()), "__index_level_0__": list(tasks)}
        for path, table in (
            (f"data/chunk-000/file-{number:03d}.parquet", _described(arrow.Table.from_pylist(rows, schema))),
            (f"meta/episodes/chunk-000/file-{number:03d}.parquet", arrow.Table.from_pylist(episodes)),
            ("meta/tasks.parquet", _indexed(arrow.table(texts))),
        ):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            sink = arrow.BufferOutputStream()
            parquet.write_table(table, sink)
            write_atomic(self.root / path, sink.getvalue().to_pybytes())
        totals = {"total_episodes": first + len(episodes), "total_frames": row, "total_tasks": len(tasks)}
        totals["splits"] = {"train": f"0:{first + len(episodes)}"}  # type: ignore[assignment]
        _write_json(self.root / "meta" / "info.json", {**info, **totals})
        self._presses = []


def _empty_info(fps: float, shape: tuple[int, ...]) -> dict[str, Any]:
    camera = {"dtype": "image", "shape": list(shape), "names": ["height", "width", "channels"]}
    numbers = {name: {"dtype": "int64", "shape": [1], "names": None} for name in NUMBERS}
    return {
        "codebase_version": VERSION,
        "robot_type": "bideta",
        "total_episodes": 0,
        "total_frames": 0,
        "total_tasks": 0,
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": round(fps),
        "splits": {},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": None,
        "features": {KEY: camera, "timestamp": {"dtype": "float32", "shape": [1], "names": None}, **numbers},
    }


def _tasks(root: Path) -> dict[str, int]:
    file = root / "meta" / "tasks.parquet"
    if not file.is_file():
        return {}
    rows = _arrow()[1].read_table(file).to_pylist()
    return {str(row["__index_level_0__"]): int(row["task_index"]) for row in rows}


def _indexed(table: Any) -> Any:
    """The table as pandas writes a frame whose index is the task's text; LeRobot looks tasks up in it."""
    columns = [
        {"name": name, "field_name": field, "pandas_type": kind, "numpy_type": stored, "metadata": None}
        for name, field, kind, stored in (
            ("task_index", "task_index", "int64", "int64"),
            (None, "__index_level_0__", "unicode", "object"),
        )
    ]
    note = {
        "index_columns": ["__index_level_0__"],
        "column_indexes": [],
        "columns": columns,
        "pandas_version": "2.2.0",
    }
    return table.replace_schema_metadata({b"pandas": json.dumps(note).encode()})


def _described(table: Any) -> Any:
    """The table with the note by which the library ``datasets`` knows pictures and texts."""
    features: dict[str, Any] = {}
    old = json.loads((table.schema.metadata or {}).get(b"huggingface", b"{}"))
    for field in table.schema:
        simple = {
            "dtype": {"float": "float32", "double": "float64"}.get(str(field.type), str(field.type)),
            "_type": "Value",
        }
        features[field.name] = {"_type": "Image"} if field.name == KEY else simple
    features |= old.get("info", {}).get("features", {})
    note = {"info": {"features": {name: features[name] for name in table.column_names}}}
    return table.replace_schema_metadata(
        {**(table.schema.metadata or {}), b"huggingface": json.dumps(note).encode()}
    )


def _statistics(columns: Mapping[str, Sequence[float]]) -> dict[str, dict[str, list[float]]]:
    """Of the numbers that are known: JSON has no NaN, and a column without any has no statistics."""
    told: dict[str, dict[str, list[float]]] = {}
    for name, values in columns.items():
        known = np.array(values)[np.isfinite(values)]
        if len(known):
            facts = {"min": known.min(), "max": known.max(), "mean": known.mean(), "std": known.std()}
            told[name] = {fact: [float(value)] for fact, value in (facts | {"count": len(known)}).items()}
    return told


def _write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(content, indent=4).encode())


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("LeRobot datasets need pyarrow: pip install 'bideta[lerobot-data]'") from error
    return pyarrow, pyarrow.parquet
