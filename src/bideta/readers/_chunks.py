"""An array in chunks of one size, each a file or a part of a shard: zarr's layout, read without the library.

The library makes any codec that a file names (``pickle`` executes what it reads) and unpacks without a limit.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.reading import shown
from bideta.readers._unpacking import CHECKSUM, check_size, most_packed, unpacked

NOTHING = 2**64 - 1  # offset and size of a chunk that a shard does not hold
LONGEST = 1024  # bytes of a text; a longer one is no name
TEXTS = 2**25  # bytes of the texts of a chunk

Index = tuple[int, ...]


@dataclass(frozen=True)
class Shards:
    """Files that hold several chunks each, and an index of where they are."""

    chunks: Index  # shape of a shard, in chunks
    at_end: bool
    checksums: int  # behind the index

    def place(self, file: Any, index: Index, length: int) -> tuple[int, int] | None:
        """Offset and size of a chunk; None: never written."""
        table = 16 * prod(self.chunks) + 4 * self.checksums
        inner = [i % n for i, n in zip(index, self.chunks, strict=True)]
        number = int(np.ravel_multi_index(inner, self.chunks))
        file.seek((length - table if self.at_end else 0) + 16 * number)
        offset, size = struct.unpack("<QQ", file.read(16))
        return None if offset == size == NOTHING else (offset, size)


@dataclass(frozen=True)
class Chunked:
    """The array. Arrays of a folder share ``last``, the chunk that was read last: most rows lie in the same one."""

    root: Path  # nothing outside of it is read
    home: Path
    shape: Index
    chunks: Index
    dtype: np.dtype[Any]
    fill: Any
    order: Any  # "C" or "F"
    prefix: str  # of the name of a chunk's file
    separator: str
    codecs: tuple[str, ...]  # in the order of writing, behind the one that makes bytes
    shards: Shards | None
    last: dict[tuple[Path, Index], NDArray[Any] | None]

    def __getitem__(self, rows: int | slice) -> NDArray[Any]:
        start, stop, _ = rows.indices(self.shape[0]) if isinstance(rows, slice) else (rows, rows + 1, 1)
        begin, end = (start, *(0 for _ in self.shape[1:])), (stop, *self.shape[1:])
        sides = list(zip(begin, end, self.chunks, strict=True))
        made = np.full([e - b for b, e, _ in sides], self.fill, self.dtype)
        for index in product(*(range(b // c, -(-e // c)) for b, e, c in sides)):
            chunk = self._chunk(index)
            if chunk is not None:
                both = [
                    (max(i * c, b), min(i * c + c, e), b, i * c)
                    for i, (b, e, c) in zip(index, sides, strict=True)
                ]
                here = tuple(slice(low - offset, high - offset) for low, high, _, offset in both)
                made[tuple(slice(low - b, high - b) for low, high, b, _ in both)] = chunk[here]
        return made if isinstance(rows, slice) else made[0]

    def _chunk(self, index: Index) -> NDArray[Any] | None:
        key = self.home, index
        with suppress(KeyError):
            return self.last[key]
        packed = self._packed(index)
        self.last.clear()
        chunk = None if packed is None else self._plain(packed)
        self.last[key] = chunk
        return chunk  # ``last`` may be another thread's by now

    def _packed(self, index: Index) -> bytes | None:
        """The chunk as it lies on disk; None: it was never written."""
        of = self.shards.chunks if self.shards else (1,) * len(index)
        name = self.separator.join(str(i // n) for i, n in zip(index, of, strict=True))
        file = self.home / f"{self.prefix}{name}"
        if not file.is_file():
            return None
        if not file.resolve().is_relative_to(self.root.resolve()):
            raise ValueError(f"{shown(file)} is a link that leads out of its folder")
        length = file.stat().st_size
        with file.open("rb") as stream:
            place = self.shards.place(stream, index, length) if self.shards else (0, length)
            if place is None:
                return None
            offset, size = place
            if offset + size > length or size > most_packed(self._most):
                raise ValueError(
                    f"{shown(file)} holds a chunk of {size:,} bytes at {offset:,}, expected at most "
                    f"{most_packed(self._most):,} within the {length:,} of the file"
                )
            stream.seek(offset)
            return stream.read(size)

    @property
    def _most(self) -> int:
        return TEXTS if self.dtype.hasobject else prod(self.chunks) * self.dtype.itemsize

    def _plain(self, packed: bytes | bytearray) -> NDArray[Any]:
        most = self._most
        least = 0 if self.dtype.hasobject else most
        for number, codec in reversed(list(enumerate(self.codecs))):
            rest = 4 * self.codecs[:number].count(CHECKSUM)
            packed = packed[:-4] if codec == CHECKSUM else unpacked(codec, packed, least + rest, most + rest)
        check_size(len(packed), least, most)
        plain = (
            _texts(packed, prod(self.chunks)) if self.dtype.hasobject else np.frombuffer(packed, self.dtype)
        )
        return plain.reshape(self.chunks, order=self.order)


def _texts(content: bytes | bytearray, count: int) -> NDArray[Any]:
    """Texts with their lengths before them (``vlen-utf8``)."""
    if struct.unpack_from("<I", content) != (count,):
        raise ValueError(f"a chunk of other than {count:,} texts")
    texts, offset = np.empty(count, object), 4
    for number in range(count):
        (length,) = struct.unpack_from("<I", content, offset)
        offset += 4 + length
        if length > LONGEST or offset > len(content):
            raise ValueError(f"a text of {length:,} bytes")
        texts[number] = content[offset - length : offset].decode("utf-8", "replace")
    return texts
