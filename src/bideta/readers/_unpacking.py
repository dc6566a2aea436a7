"""Packed bytes → as many bytes as they should be, never more. Codecs that are not listed here are refused by name.

Libraries unpack whatever a stream holds: 62 kB of zeros become 1.8 GB. Here the size is known before, from the shape
of a chunk. Streams are asked for one byte more than it; other codecs say their size, and get room for just that.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable
from math import ceil, prod
from typing import Any

from bideta.readers._extra import need

CHUNK = 2**27  # bytes of what is unpacked at once; a picture of 25 million pixels has 75 MB
COUNT = 2**16  # chunks of labels, which are all read
LOOKUP = 2**14  # bytes that a chunk counts at least: finding it takes time and memory, however small it is
SLACK = 2**16  # bytes, and an eighth, that packing may add to what cannot be packed
CHECKSUM = "crc32c"  # of zarr: four bytes behind what it is of; not compared
STREAMS: dict[str, Callable[[], Any]] = {
    "zlib": lambda: zlib.decompressobj(zlib.MAX_WBITS),
    "gzip": lambda: zlib.decompressobj(16 + zlib.MAX_WBITS),
    "bz2": bz2.BZ2Decompressor,
    "lzma": lambda: lzma.LZMADecompressor(memlimit=CHUNK),
}
ERRORS = (zlib.error, lzma.LZMAError, EOFError, struct.error, OSError, RuntimeError)  # of damaged streams


def check_chunks(shape: tuple[int, ...], chunks: tuple[int, ...], itemsize: int) -> None:
    """An error where a row of an array cannot be read in bounded memory: all chunks that hold a part of it."""
    if len(shape) == 1 and shape[0] > COUNT * chunks[0]:
        raise ValueError(
            f"it has {shape[0]:,} values in chunks of {chunks[0]:,}, at most {COUNT:,} chunks are read; write it "
            "again with many in a chunk"
        )
    size = prod(chunks) * itemsize
    count = prod(ceil(side / step) for side, step in zip(shape[1:], chunks[1:], strict=True))
    if count * max(size, LOOKUP) > CHUNK:
        raise ValueError(
            f"it has rows in {count:,} chunks of {size:,} bytes, together at most {CHUNK:,} are read; write it "
            f"again with a few rows in a chunk: chunks={(1, *shape[1:])}"
        )


def check_codecs(codecs: tuple[str, ...]) -> None:
    """An error for codecs that nobody here can bound, and for more than one: its inner size is not known."""
    packing = [codec for codec in codecs if codec != CHECKSUM]
    if len(packing) > 1 or not {*packing} <= {*STREAMS, *SIZES}:
        raise ValueError(
            f"it is packed with {', then '.join(packing)[:80]}; expected one of {', '.join((*STREAMS, *SIZES))}: "
            "write it again with that"
        )


def check_size(size: int, least: int, most: int) -> None:
    """An error where a chunk does not have the bytes that its shape asks for."""
    if not least <= size <= most:
        raise ValueError(
            f"a chunk that unpacks to {size:,} bytes or more, expected {most:,}: damaged, or made to fill the memory"
        )


def most_packed(size: int) -> int:
    """Bytes that a chunk of ``size`` may have on disk."""
    return size + size // 8 + SLACK


def unpacked(codec: str, packed: bytes | bytearray, least: int, most: int) -> bytes | bytearray:
    """What a codec gives, from ``least`` to ``most`` bytes; else an error."""
    try:
        if codec in STREAMS:
            content = STREAMS[codec]().decompress(packed, most + 1)
            check_size(len(content), least, most)
            return bytes(content)
        size = SIZES[codec](packed)
        if size is None and least < most:
            raise ValueError("texts in zstd that does not say its size; write them again with gzip")
        size = most if size is None else size
        check_size(size, least, most)
        room = bytearray(size)
        need(f"numcodecs.{codec}", "arrays", f"chunks packed with {codec}").decompress(packed, room)
        return room
    except ERRORS as error:
        raise ValueError(f"damaged {codec}: {error}") from error


def lzf_size(packed: Any, most: int) -> int:
    """How many bytes LZF gives, not followed beyond ``most``. Below 32: that many and one follow; else a repetition."""
    content, place, size = bytes(packed), 0, 0
    try:
        while place < len(content) and size <= most:
            control = content[place]
            if control < 32:
                place, size = place + control + 2, size + control + 1
            elif control < 224:
                place, size = place + 2, size + (control >> 5) + 2
            else:
                place, size = place + 3, size + content[place + 1] + 9
    except IndexError as error:
        raise ValueError("a chunk that breaks off") from error
    return size


def _zstd(packed: bytes | bytearray) -> int | None:
    """The size in the header of a frame (RFC 8878, 3.1.1.1); it may be left out."""
    if packed[:4] != b"\x28\xb5\x2f\xfd" or len(packed) < 5:
        raise ValueError("no zstd frame")
    flags = packed[4]
    single = flags >> 5 & 1
    start = 5 + (1 - single) + (0, 1, 2, 4)[flags & 3]
    length = (single, 2, 4, 8)[flags >> 6]
    size = int.from_bytes(packed[start : start + length], "little") + 256 * (length == 2)
    return size if length else None


def _blosc(packed: bytes | bytearray) -> int:
    size, block, length = struct.unpack_from("<III", packed, 4)
    if length != len(packed) or block > max(size, LOOKUP):
        raise ValueError("a blosc header that does not fit its bytes")
    return int(size)


def _lz4(packed: bytes | bytearray) -> int:
    return int(struct.unpack_from("<I", packed)[0])


SIZES: dict[str, Callable[[bytes | bytearray], int | None]] = {"zstd": _zstd, "blosc": _blosc, "lz4": _lz4}
