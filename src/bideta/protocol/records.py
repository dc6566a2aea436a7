"""What was measured: one JSON line per cell, appended and flushed to disk, each with its own checksum.

A run can be killed at any instant. A torn last line is cut when the file is opened for writing again; a line that
was damaged later fails its checksum, is reported, and its cell is measured again. Records that are to be kept may be
packed (``xz records.jsonl``); a run goes on beside the packed ones.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import math
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self, get_args

from bideta.protocol.experiment import Cell

FILE = "records.jsonl"
PACKED = f"{FILE}.xz"
LARGEST = 512_000_000  # bytes of one records.jsonl, unpacked; a run of the whole paper has 30 million
CHECK = "check"  # field of a line that holds the checksum of the others
CHECK_LENGTH = 16  # hex digits of a sha256
LONGEST_LINE = 4_000_000  # bytes; a confusion matrix of 500 classes needs one million
LONGEST_WORD = 500  # characters of a name, which may be a path
LAST_SEED = 2**32  # one above it

Status = Literal["ok", "unavailable", "failed"]


@dataclass(frozen=True)
class Record:
    """One cell's result, with everything that is needed to get it again."""

    cell: Cell
    status: Status
    values: dict[str, float] = field(default_factory=dict)
    arrays: dict[str, list[Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    digest: str = ""  # sha256 of the predictions
    split: str = ""  # hash of the contacts that were used
    error: str = ""
    seconds: float = 0.0
    simulated: bool = False
    scale: float = 1.0
    versions: dict[str, str] = field(default_factory=dict)
    commit: str = ""
    engine: str = ""  # "local", or "ray, 2 nodes"

    def line(self) -> str:
        """The record as a line of the file, without its end; refuses numbers that are not finite."""
        content = asdict(self)
        text = _text(content)
        return f"{text[:-1]}, {json.dumps(CHECK)}: {json.dumps(_checksum(text))}}}"


@dataclass(frozen=True)
class Log:
    """The content of a records file."""

    records: dict[Cell, Record]  # last good record of every cell
    damaged: tuple[int, ...] = ()  # numbers of lines that fail their checksum, from 1
    torn: bool = False  # the last line has no end: its writer was killed
    whole: int = 0  # bytes up to the end of the last whole line
    damaged_packed: tuple[int, ...] = ()  # lines of the packed records, which ``read_run`` alone reads


def read_records(folder: str | Path) -> list[Record]:
    """The last good record of every cell, sorted by cell; warns of damaged lines."""
    log = read_run(Path(folder))
    damage = describe_damage(Path(folder), log)
    if damage:
        warnings.warn(damage, stacklevel=2)
    return [log.records[cell] for cell in sorted(log.records)]


def read_run(folder: Path) -> Log:
    """The packed records of a folder, and what was measured since."""
    packed = _log(_unpacked(folder / PACKED), {})
    since = _log(_content(folder / FILE), packed.records)
    return replace(since, damaged_packed=packed.damaged)


def read_log(path: Path) -> Log:
    """Everything that can be read; a file that does not exist is an empty one."""
    return _log(_content(path), {})


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _unpacked(path: Path) -> bytes:
    if not path.is_file():
        return b""
    try:
        with lzma.open(path) as file:
            content = file.read(LARGEST + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError(f"{path} is damaged: {error}; expected what xz makes of {FILE}") from None
    if len(content) > LARGEST:
        raise ValueError(
            f"{path} holds more than {LARGEST:,} bytes of records; split them into several folders"
        )
    return content


def _log(content: bytes, before: Mapping[Cell, Record]) -> Log:
    whole = content.rfind(b"\n") + 1
    records, damaged = dict(before), []
    for number, line in enumerate(content[:whole].splitlines(), 1):
        record = parse(line)
        if record is None:
            damaged.append(number)
        elif (
            record.status != "failed" or record.cell not in records or records[record.cell].status == "failed"
        ):
            records[record.cell] = record
    return Log(records, tuple(damaged), torn=whole < len(content), whole=whole)


def parse(line: bytes) -> Record | None:
    """The record of a line, or None where the line is damaged or holds other kinds than a record does."""
    if len(line) > LONGEST_LINE:
        return None
    try:
        content = json.loads(line)
        check = content.pop(CHECK)
        if check != _checksum(_text(content)):
            return None
        record = Record(**{**content, "cell": Cell(**content["cell"])})
        return record if _is_sound(record) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None


def _is_sound(record: Record) -> bool:
    """Whether everything in the record is of its kind: a line may come from a stranger, checksum and all."""
    cell = asdict(record.cell)
    seed = cell.pop("seed")
    words = *cell.values(), record.status, record.digest, record.commit, record.engine, *record.versions
    numbers = *record.values.values(), record.seconds, record.scale
    return (
        type(seed) is int
        and 0 <= seed < LAST_SEED
        and all(isinstance(word, str) and len(word) <= LONGEST_WORD for word in words)
        and all(isinstance(text, str) for text in (record.split, record.error, *record.versions.values()))
        and all(type(number) in (int, float) and math.isfinite(number) for number in numbers)
        and record.status in get_args(Status)
        and isinstance(record.simulated, bool)
        and isinstance(record.arrays, dict)
        and isinstance(record.settings, dict)
    )


def describe_damage(folder: Path, log: Log) -> str:
    """One line that says which lines of which file cannot be used; empty where all can."""
    parts = []
    for name, lines in ((PACKED, log.damaged_packed), (FILE, log.damaged)):
        if lines:
            numbers = ", ".join(map(str, lines[:10])) + (" …" if len(lines) > 10 else "")
            parts.append(f"{folder / name}: {len(lines)} damaged lines ({numbers})")
    if not parts:
        return ""
    return f"{'; '.join(parts)} are ignored; bideta bench with the same folder measures their cells again"


class Writer:
    """Appends records; each is on disk when ``add`` returns."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        whole = read_log(self.path).whole
        self._file = self.path.open("ab")
        self._file.truncate(whole)  # a torn last line; nothing where the file is whole
        os.fsync(self._file.fileno())
        if hasattr(os, "O_DIRECTORY"):  # the file's name must survive a power cut too
            folder = os.open(self.path.parent, os.O_DIRECTORY)
            os.fsync(folder)
            os.close(folder)
        return self

    def add(self, records: Iterable[Record]) -> None:
        """Write the records and wait until the disk has them."""
        if self._file is None:
            raise ValueError("the writer is not open; use it in a with statement")
        self._file.write("".join(f"{record.line()}\n" for record in records).encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, allow_nan=False, ensure_ascii=True)


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:CHECK_LENGTH]
