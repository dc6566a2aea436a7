"""Messages of a bag in the order in which they were written: MCAP and SQLite storage, without ROS.

Neither ``metadata.yaml`` nor an index is believed: the files are read from their beginning, chunk by chunk.
"""

from __future__ import annotations

import re
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from bideta.images.reading import ImageError
from bideta.readers._extra import need
from bideta.readers._recordings import broken_off

MCAP_MAGIC, SQLITE_MAGIC = b"\x89MCAP0\r\n", b"SQLite format 3\0"
SCHEMA, CHANNEL, MESSAGE, CHUNK, FOOTER = 3, 4, 5, 6, 2  # kinds of MCAP's records
LONGEST = 2**27  # bytes of a message or a chunk
NAME = 2**14  # bytes of a topic or a kind
TOPICS = 10_000
ROW = 4  # bytes that a row of a table takes at least
REFUSALS = (
    EOFError,
    ValueError,
    LookupError,
    MemoryError,
    OverflowError,
    RuntimeError,
    OSError,
    struct.error,
)


class Message(NamedTuple):
    """One message as it lies in the bag."""

    topic: str
    kind: str  # "sensor_msgs/msg/Image"
    nanoseconds: int
    data: bytes


def storage(path: Path) -> str:
    """ "mcap" or "sqlite3" by the first bytes of a file; empty: neither."""
    with path.open("rb") as file:
        head = file.read(16)
    return "mcap" if head.startswith(MCAP_MAGIC) else "sqlite3" if head == SQLITE_MAGIC else ""


def messages(path: Path, topics: set[str] | None = None) -> Iterator[Message]:
    """All messages of some topics; an ImageError where the file breaks off."""
    return _in_mcap(path, topics) if storage(path) == "mcap" else _in_sqlite(path, topics)


def kinds(path: Path) -> dict[str, str]:
    """Topic → kind of its messages. An MCAP file may name them anywhere, so its messages are walked over."""
    if storage(path) == "mcap":
        found: dict[str, str] = {}
        try:
            for _ in _in_mcap(path, set(), found):
                pass
        except ImageError:
            if not found:
                raise  # else the walk over the messages names it once more
        return found
    try:
        with closing(_connect(path)) as bag:
            return {topic: kind for _, topic, kind in _topics(bag)}
    except (sqlite3.Error, ValueError, TypeError, OverflowError, MemoryError) as error:
        raise broken_off(path, error) from error


def _in_mcap(path: Path, topics: set[str] | None, found: dict[str, str] | None = None) -> Iterator[Message]:
    schemas: dict[int, str] = {}
    channels: dict[int, tuple[str, str]] = {}
    try:
        for code, record in _records(path):
            if code == SCHEMA:
                schemas[_number(record, 0, 2)] = _text(record, 2)[0]
            elif code == CHANNEL:
                topic, behind = _text(record, 4)
                channels[_number(record, 0, 2)] = topic, schemas.get(_number(record, 2, 2), "")
                if found is not None and _text(record, behind)[0] == "cdr":
                    found[topic] = channels[_number(record, 0, 2)][1]
                    if len(found) > TOPICS:
                        raise ValueError(f"more than {TOPICS:,} topics")
            elif code == MESSAGE and _number(record, 0, 2) in channels:
                topic, kind = channels[_number(record, 0, 2)]
                if topics is None or topic in topics:
                    yield Message(topic, kind, _number(record, 6, 8), bytes(record[22:]))
            del record  # it holds its chunk
    except REFUSALS as error:
        raise broken_off(path, str(error) or type(error).__name__) from error


def _records(path: Path) -> Iterator[tuple[int, memoryview]]:
    """Schemas, channels and messages, in chunks too, one after the other; other records are passed over."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(len(MCAP_MAGIC))
        while True:
            code, length = struct.unpack("<BQ", file.read(9))
            if code == FOOTER:
                return
            if length > size - file.tell():
                raise ValueError("the file ends in a record")
            if code not in (SCHEMA, CHANNEL, MESSAGE, CHUNK):
                file.seek(length, 1)
                continue
            if length > LONGEST:
                raise ValueError(f"a record of {length:,} bytes")
            if code == CHUNK:  # passed on without a name, which would hold it while the next is read
                yield from _inside(_plain(memoryview(file.read(length))))
            else:
                yield code, memoryview(file.read(length))


def _inside(chunk: Any) -> Iterator[tuple[int, memoryview]]:
    """The records of a chunk."""
    inside, offset = memoryview(chunk), 0
    while offset < len(inside):
        code, length = struct.unpack_from("<BQ", inside, offset)
        offset += 9 + length
        if offset > len(inside):
            raise ValueError("a chunk ends in a record")
        if code in (SCHEMA, CHANNEL, MESSAGE):
            yield code, inside[offset - length : offset]


def _number(record: memoryview, offset: int, size: int) -> int:
    if offset + size > len(record):
        raise ValueError("a record that is too short")
    return int.from_bytes(record[offset : offset + size], "little")


def _text(record: memoryview, offset: int) -> tuple[str, int]:
    """A text behind its length, and where it ends."""
    end = offset + 4 + _number(record, offset, 4)
    if end > len(record) or end - offset > NAME:
        raise ValueError(f"a name of {end - offset - 4:,} bytes")
    return bytes(record[offset + 4 : end]).decode("utf-8", "replace"), end


def _plain(chunk: memoryview) -> Any:
    """The records of a chunk; it never unpacks to more than it says, and that is bounded."""
    size = _number(chunk, 16, 8)
    compression, behind = _text(chunk, 28)
    packed = chunk[behind + 8 : behind + 8 + _number(chunk, behind, 8)]
    if not compression:
        return packed
    if size > LONGEST:
        raise ValueError(f"a chunk that unpacks to {size:,} bytes")
    if compression == "zstd":
        zstandard = need("zstandard", "mcap", "MCAP files packed with zstd")
        # A size that the frame names is believed by the decompressor, so it must be ours.
        if zstandard.frame_content_size(packed) not in (-1, size):
            raise ValueError("a chunk that unpacks to another size than it says")
        try:
            unpacked = zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error
    elif compression == "lz4":
        frame = need("lz4.frame", "mcap", "MCAP files packed with lz4")
        unpacked = frame.LZ4FrameDecompressor().decompress(packed, size + 1)
    else:
        raise ValueError(f"chunks packed with {compression[:20]!r}, expected zstd or lz4")
    if len(unpacked) != size:
        raise ValueError("a chunk that unpacks to another size than it says")
    return unpacked


def _connect(path: Path) -> sqlite3.Connection:
    """The database, for reading tables only: no view, no trigger, no function of the file is run."""
    place = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    # Frames may be read ahead, by another thread.
    bag = sqlite3.connect(place, uri=True, check_same_thread=False)
    bag.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    bag.execute("PRAGMA trusted_schema=OFF")
    bag.execute("PRAGMA cache_size=-8000")  # kB; the file may say another
    allowed = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
    bag.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)
    return bag


def _topics(bag: sqlite3.Connection) -> list[tuple[int, str, str]]:
    # Nothing is computed: a virtual table has no page of its own, and a computed column is something "AS" something.
    found = bag.execute(
        "SELECT name, sql FROM sqlite_master WHERE name IN ('topics', 'messages') AND type = 'table' AND rootpage > 0"
    )
    plain = {name for name, sql in found if len(sql) < NAME and not re.search(r"\bas\b", sql, re.IGNORECASE)}
    if plain != {"topics", "messages"}:
        raise ValueError("no bag: it has no tables topics and messages")
    topics: list[tuple[int, str, str]] = []
    rows = bag.execute("SELECT id, name, type, serialization_format FROM topics")
    for count, (number, topic, kind, encoding) in enumerate(rows):
        if count == TOPICS:
            raise ValueError(f"more than {TOPICS:,} topics")
        if len(str(topic)) + len(str(kind)) > NAME:  # many rows may be the same pages of the file
            raise ValueError("a name that is longer than any topic")
        if encoding == "cdr":
            topics.append((int(number), str(topic), str(kind)))
    return topics


def _in_sqlite(path: Path, topics: set[str] | None) -> Iterator[Message]:
    try:
        with closing(_connect(path)) as bag:
            known = {
                number: (topic, kind)
                for number, topic, kind in _topics(bag)
                if topics is None or topic in topics
            }
            left = path.stat().st_size
            for number, nanoseconds, data in bag.execute(
                "SELECT topic_id, timestamp, data FROM messages ORDER BY rowid"
            ):
                left -= ROW + len(data or b"")
                if left < 0:  # rows may be the same pages of the file, without an end
                    raise ValueError("it has messages of more bytes than the file")
                if number in known and isinstance(data, bytes):
                    yield Message(*known[number], int(nanoseconds), data)
    except (sqlite3.Error, ValueError, TypeError, OverflowError, MemoryError) as error:
        raise broken_off(path, error) from error
