"""What a file says about itself, looked at before a decoder believes it: a few bytes can promise gigabytes or minutes.

Pillow checks the size of a picture; it does not check how a file cuts it up. Every scan of a JPEG is a walk over the
whole picture. A TIFF may claim tiles larger than its picture, or a million of them, or the same bytes a thousand times.
EXIF is a small TIFF inside another file, and Pillow makes an object of every number in it.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

SCANS = 64  # of a JPEG; progressive ones have about ten
EXIF_PARTS = 2  # of a JPEG, one for each picture in it; Pillow joins those of the first
EXIF_BYTES = EXIF_PARTS * 2**16  # a part of a JPEG is no longer; other formats have one of any length
EXIF_NAMES = ("exif", "Raw profile type exif")  # what Pillow calls it
BLOCK = 2**20  # bytes of a file read at a time
VALUES = 100_000  # of one entry of a TIFF, and entries: 16 × 16 tiles of the largest picture
# None, fax, LZW, JPEG, deflate (two numbers), PackBits. Others bring decoders of their own, and no camera writes them.
COMPRESSIONS = (1, 2, 3, 4, 5, 7, 8, 32773, 32946)
COMPRESSION, TILE_WIDTH, TILE_LENGTH = 259, 322, 323  # numbers of TIFF entries
BYTES = (1, 2, 6, 7)  # types of TIFF entries that hold text and bytes: nothing is made of them
NUMBERS = {3: "H", 4: "L"}  # types that hold a size


class HeaderError(ValueError):
    """The header promises what no picture needs; the message says what."""


def check_header(stream: BinaryIO, max_pixels: int) -> None:
    """Raise ``HeaderError`` where decoding would take far more than a picture of ``max_pixels`` needs."""
    start = stream.tell()
    magic = stream.read(4)
    if magic.startswith(b"\xff\xd8"):
        _check_jpeg(stream)
    elif magic in (b"II*\0", b"MM\0*"):
        _check_tiff(stream, "<" if magic[:1] == b"I" else ">", max_pixels)
    elif magic in (b"II+\0", b"MM\0+"):
        raise HeaderError("a BigTIFF, which is for files of gigabytes; save it as plain TIFF")
    stream.seek(start)


def _check_jpeg(stream: BinaryIO) -> None:
    """Count what looks like the beginning of a scan, or of EXIF; inside compressed data nothing does."""
    stream.seek(-2, io.SEEK_CUR)
    for mark, most, what in ((b"\xff\xda", SCANS, "scans"), (b"Exif\0\0", EXIF_PARTS, "parts of EXIF")):
        start, count, last = stream.tell(), 0, b""
        while block := stream.read(BLOCK):
            count += (last + block).count(mark)
            last = (last + block)[1 - len(mark) :]
            if count > most:
                raise HeaderError(f"more than {most} {what}; save it again as a plain JPEG")
        stream.seek(start)


def check_exif(info: Mapping[Any, Any]) -> None:
    """Raise ``HeaderError`` where the EXIF that Pillow has found is longer than any camera's."""
    for name in EXIF_NAMES:
        if len(info.get(name) or b"") > EXIF_BYTES:
            raise HeaderError(f"EXIF of more than {EXIF_BYTES:,} bytes; save the picture without it")


def _check_tiff(stream: BinaryIO, order: str, max_pixels: int) -> None:
    sides, values = {TILE_WIDTH: 1, TILE_LENGTH: 1}, 0
    entries = list(_entries(stream, order))
    size = stream.seek(0, io.SEEK_END)
    for number, kind, count, value in entries:
        values += count
        if kind not in BYTES and count > VALUES:
            raise HeaderError(
                f"entry {number} of the TIFF holds {count:,} values, at most {VALUES:,} are read"
            )
        if values > size:
            raise HeaderError("entries of the TIFF that lie over each other, or beyond its end")
        if number == COMPRESSION and value not in COMPRESSIONS:
            raise HeaderError(f"TIFF compression {value}; save it with LZW, deflate, or none")
        if number in sides:
            sides[number] = value
    width, length = sides.values()
    if width * length > max_pixels:
        raise HeaderError(f"tiles of {width:,} × {length:,} pixels, at most {max_pixels:,} are allowed")


def _entries(stream: BinaryIO, order: str) -> Iterator[tuple[int, int, int, int]]:
    """Number, type, count and value (or offset) of every entry of a TIFF's first picture, as far as they go."""
    try:
        (offset,) = struct.unpack(f"{order}L", stream.read(4))
        stream.seek(offset)
        (entries,) = struct.unpack(f"{order}H", stream.read(2))
        for _ in range(entries):
            number, kind, count, value = struct.unpack(f"{order}HHL4s", stream.read(12))
            yield number, kind, count, *struct.unpack_from(f"{order}{NUMBERS.get(kind, 'L')}", value)
    except struct.error:  # the file ends here; Pillow says so in its own words
        return
