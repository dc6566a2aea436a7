"""How large the pages of a Parquet file are, by their own headers: the library takes memory for what these say.

What the end of the file says about them is another number, which nobody compares with anything.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

from bideta.images.reading import shown

HEADER = 2**14  # bytes of a page's header, with its smallest and largest value
# Kinds of fields in Thrift's compact protocol: all that a header needs.
FLAGS, NUMBERS, BYTES, STRUCT = (1, 2), (4, 5, 6), 8, 12
UNPACKED, PACKED = 2, 3  # fields of a header


def largest_page(file: Path, metadata: Any, columns: set[str], most: int) -> int:
    """Bytes of the largest page of some columns, unpacked; an error above ``most``."""
    largest = 0
    with file.open("rb") as stream:
        end = file.stat().st_size
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            for chunk in map(group.column, range(group.num_columns)):
                if chunk.path_in_schema.split(".")[0] in columns:
                    starts = [chunk.dictionary_page_offset, chunk.data_page_offset]
                    start = min((offset for offset in starts if offset), default=0)
                    stop = start + chunk.total_compressed_size
                    if not 0 < start <= stop <= end:
                        raise ValueError(f"{shown(file)} has a column outside of the file")
                    try:
                        largest = max(largest, _largest(stream, start, stop))
                    except ValueError as error:
                        raise ValueError(f"cannot read {shown(file)} as Parquet: {error}") from error
    if largest > most:
        raise ValueError(
            f"{shown(file)} has a page of {largest:,} bytes, at most {most:,} are unpacked; write it "
            "again with smaller row groups"
        )
    return largest


def _largest(stream: BinaryIO, start: int, stop: int) -> int:
    largest = 0
    while start < stop:
        stream.seek(start)
        try:
            fields, length = _struct(stream.read(HEADER), 0)
            largest = max(largest, fields[UNPACKED])
            start += length + fields[PACKED]
        except LookupError as error:
            raise ValueError("a page without a header") from error
        if min(fields[UNPACKED], fields[PACKED]) < 0:
            raise ValueError("a page of less than no bytes")
    return largest


def _struct(content: bytes, place: int, depth: int = 0) -> tuple[dict[int, int], int]:
    """The numbers of a struct, by their fields, and where it ends; structs in it are passed over."""
    fields: dict[int, int] = {}
    field = 0
    while content[place]:
        step, kind = content[place] >> 4, content[place] & 15
        place += 1
        if step:
            field += step
        else:
            field, place = _number(content, place)
        if kind in NUMBERS:
            fields[field], place = _number(content, place)
        elif kind == BYTES:
            length, place = _varint(content, place)
            place += length
        elif kind == STRUCT and depth < 4:
            place = _struct(content, place, depth + 1)[1]
        elif kind not in FLAGS:
            raise ValueError("a page whose header is none")
    return fields, place + 1


def _number(content: bytes, place: int) -> tuple[int, int]:
    value, place = _varint(content, place)
    return value >> 1 ^ -(value & 1), place


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value, shift = 0, 0
    while content[place] & 128:
        value |= (content[place] & 127) << shift
        place, shift = place + 1, shift + 7
    return value | content[place] << shift, place + 1
