"""Messages of a bag in the order of their times: MCAP (extra ``mcap``) and SQLite storage, without ROS.

Neither ``metadata.yaml`` nor an index is believed: the files are read from their beginning, chunk by chunk.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from bideta.images.reading import ImageError
from bideta.readers._extra import need
from bideta.readers._recordings import broken_off

MCAP_MAGIC, SQLITE_MAGIC = b"\x89MCAP0\r\n", b"SQLite format 3\0"
MESSAGE = 2**28  # bytes of a message or a chunk
REFUSALS = (EOFError, ValueError, LookupError, MemoryError, OverflowError, RuntimeError, OSError)


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
    need("mcap", "mcap", "MCAP files")
    from mcap.exceptions import McapError
    from mcap.records import Channel, Schema
    from mcap.records import Message as Record
    from mcap.stream_reader import StreamReader

    zstandard = need("zstandard", "mcap", "MCAP files")
    schemas: dict[int, str] = {}
    channels: dict[int, tuple[str, str]] = {}
    try:
        with path.open("rb") as file:
            for record in _unpacked(StreamReader(file, emit_chunks=True, record_size_limit=MESSAGE).records):
                if isinstance(record, Schema):
                    schemas[record.id] = record.name
                elif isinstance(record, Channel):
                    channels[record.id] = record.topic, schemas.get(record.schema_id, "")
                    if found is not None and record.message_encoding == "cdr":
                        found[record.topic] = channels[record.id][1]
                elif isinstance(record, Record) and record.channel_id in channels:
                    topic, kind = channels[record.channel_id]
                    if topics is None or topic in topics:
                        yield Message(topic, kind, record.log_time, record.data)
    except (McapError, zstandard.ZstdError, struct.error, *REFUSALS) as error:
        raise broken_off(path, str(error) or type(error).__name__) from error


def _unpacked(records: Any) -> Iterator[Any]:
    """Records, those inside chunks too; a chunk never unpacks to more than it says, and that is bounded."""
    from mcap.records import Chunk
    from mcap.stream_reader import breakup_chunk

    for record in records:
        if not isinstance(record, Chunk):
            yield record
            continue
        if record.uncompressed_size > MESSAGE:
            raise ValueError(f"a chunk that unpacks to {record.uncompressed_size:,} bytes")
        yield from breakup_chunk(_plain(record))


def _plain(chunk: Any) -> Any:
    """The chunk without compression."""
    size = chunk.uncompressed_size
    if chunk.compression == "zstd":
        import zstandard

        # A size that the frame names is believed by the decompressor, so it must be ours.
        if zstandard.frame_content_size(chunk.data) not in (-1, size):
            raise ValueError("a chunk that unpacks to another size than it says")
        unpacked = zstandard.ZstdDecompressor().decompress(chunk.data, max_output_size=size)
    elif chunk.compression == "lz4":
        import lz4.frame

        unpacked = lz4.frame.LZ4FrameDecompressor().decompress(chunk.data, size + 1)
    else:
        return chunk
    if len(unpacked) != size:
        raise ValueError("a chunk that unpacks to another size than it says")
    return replace(chunk, compression="", data=unpacked)


def _connect(path: Path) -> sqlite3.Connection:
    """The database, for reading tables only: no view, no trigger, no function of the file is run."""
    place = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    bag = sqlite3.connect(
        place, uri=True, check_same_thread=False
    )  # frames may be read ahead, by another thread
    bag.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MESSAGE)
    bag.execute("PRAGMA trusted_schema=OFF")
    allowed = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
    bag.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)
    return bag


def _topics(bag: sqlite3.Connection) -> list[tuple[int, str, str]]:
    tables = dict(bag.execute("SELECT name, type FROM sqlite_master WHERE name IN ('topics', 'messages')"))
    if tables != {"topics": "table", "messages": "table"}:
        raise ValueError("no bag: it has no tables topics and messages")
    rows = bag.execute("SELECT id, name, type FROM topics WHERE serialization_format = 'cdr' LIMIT 10000")
    return [(int(number), str(topic), str(kind)) for number, topic, kind in rows]


def _in_sqlite(path: Path, topics: set[str] | None) -> Iterator[Message]:
    try:
        with closing(_connect(path)) as bag:
            known = {
                number: (topic, kind)
                for number, topic, kind in _topics(bag)
                if topics is None or topic in topics
            }
            for number, nanoseconds, data in bag.execute(
                "SELECT topic_id, timestamp, data FROM messages ORDER BY id"
            ):
                if number in known and isinstance(data, bytes):
                    yield Message(*known[number], int(nanoseconds), data)
    except (sqlite3.Error, ValueError, TypeError, OverflowError, MemoryError) as error:
        raise broken_off(path, error) from error
