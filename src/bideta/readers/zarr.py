"""Arrays in a zarr folder, format 2 or 3: ``X``, ``y``, ``press``, or readouts; see ``_arrays`` and ``_chunks``."""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from bideta.images.reading import shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._arrays import MAX_ROWS, UNREADABLE, contacts_of
from bideta.readers._chunks import Chunked, Shards
from bideta.readers._unpacking import CHECKSUM, check_chunks, check_codecs

INFO = ReaderInfo(
    name="zarr",
    title="zarr folder: X, y, press, or readouts",
    extra="arrays",
    reference="bideta help bring-your-data",
)
MARKS = ("zarr.json", ".zgroup", ".zarray")
DEPTH = 8  # of groups in groups
METADATA = 2**24  # bytes of all files that describe arrays
SIDES = 8  # dimensions
NUMBERS = "bool|u?int(8|16|32|64)|float(16|32|64)"  # names of dtypes in format 3


def sniff(path: Path) -> bool:
    """A folder with zarr's metadata."""
    return path.is_dir() and any((path / mark).is_file() for mark in MARKS)


def load(path: Path, x: str = "X", y: str = "y", press: str = "press") -> Contacts:
    """The contacts; the settings say what the arrays are called (``group/X`` for one inside a group)."""
    arrays: dict[str, Chunked] = {}
    refused: dict[str, str] = {}
    last: Any = {}
    try:
        if not sniff(path):
            raise ValueError(f"expected a folder with {', '.join(MARKS)}")
        for home, facts in _described(path):
            name = home.relative_to(path).as_posix() if home != path else x
            try:
                arrays[name] = _array(path, home, facts, last)
            except UNREADABLE as error:
                refused[name] = f"{type(error).__name__} {error}"
    except UNREADABLE as error:
        raise ValueError(f"cannot read {shown(path)} as zarr: {error}") from error
    return contacts_of(arrays, refused, path, x, y, press)


def _described(path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every array, those in inner groups too (``data/img``), and what its file says."""
    left = METADATA
    for parent, folders, names in os.walk(path):
        home = Path(parent)
        mark = next((mark for mark in (".zarray", "zarr.json") if mark in names), "")
        if mark:
            file = home / mark
            left -= file.stat().st_size
            if not file.is_file() or left < 0:
                raise ValueError(f"{shown(file)} is longer than any description of arrays")
            facts = json.loads(file.read_text(encoding="utf-8"))
            if mark == ".zarray" or facts["node_type"] == "array":
                folders.clear()
                yield home, facts
        if len(home.relative_to(path).parts) == DEPTH:
            folders.clear()


def _array(root: Path, home: Path, facts: dict[str, Any], last: Any) -> Chunked:
    """An array by its description; what it does not name has the format's default."""
    shape, shards = _sides(facts["shape"], 0), None
    if facts["zarr_format"] == 2:
        chunks, order = _sides(facts["chunks"], 1), str(facts["order"])
        steps = [_named(step, "id") for step in (facts.get("filters") or [])]
        text = facts["dtype"] == "|O" and steps[:1] == ["vlen-utf8"]
        kind = "|O" if text else re.fullmatch(r"[<>|][biufSU]\d{1,4}", facts["dtype"])[0]  # type: ignore[index]
        packing = facts.get("compressor")
        codecs = (*steps[int(text) :], *([_named(packing, "id")] if packing else []))
        prefix, separator = "", facts.get("dimension_separator", ".")
    else:
        chunks, order = _sides(facts["chunk_grid"]["configuration"]["chunk_shape"], 1), "C"
        steps = facts["codecs"]
        if steps[0]["name"] == "sharding_indexed":
            if len(steps) > 1:
                raise ValueError("whole shards that are packed once more; write it again without that")
            inside = steps[0]["configuration"]
            shard, chunks, steps = chunks, _sides(inside["chunk_shape"], 1), inside["codecs"]
            shards = _shards(inside, shard, chunks)
        first, *others = (_named(step, "name") for step in steps)
        text = facts["data_type"] == "string" and first == "vlen-utf8"
        if not text and first != "bytes":
            raise ValueError(f"codec {first[:40]!r}, expected bytes; write it again without that")
        little = (steps[0].get("configuration") or {}).get("endian", "little") == "little"
        kind = "|O" if text else ("<" if little else ">") + _kind(facts["data_type"])
        codecs = tuple(others)
        keys = facts["chunk_key_encoding"]
        separator = (keys.get("configuration") or {}).get(
            "separator", "/" if keys["name"] == "default" else "."
        )
        prefix = f"c{separator}" if keys["name"] == "default" else ""
    if separator not in ("/", ".") or order not in ("C", "F") or len(chunks) != len(shape):
        raise ValueError(f"shape {shape}, chunks {chunks}, order {order!r}, separator {separator!r}")
    dtype = np.dtype(kind)
    check_chunks(shape, chunks, dtype.itemsize)
    if text and prod(chunks) > MAX_ROWS:  # each text takes time, whether anybody asks for it or not
        raise ValueError(f"it has {prod(chunks):,} texts in a chunk, at most {MAX_ROWS:,} are read")
    check_codecs(codecs)
    fill = _fill(facts.get("fill_value"), dtype)
    return Chunked(root, home, shape, chunks, dtype, fill, order, prefix, separator, codecs, shards, last)


def _shards(inside: dict[str, Any], shard: tuple[int, ...], chunks: tuple[int, ...]) -> Shards:
    index = [_named(step, "name") for step in inside["index_codecs"]]
    whole = len(shard) == len(chunks) and not any(a % b for a, b in zip(shard, chunks, strict=True))
    little = (inside["index_codecs"][0].get("configuration") or {}).get("endian", "little") == "little"
    if not whole or not little or index not in (["bytes"], ["bytes", CHECKSUM]):
        raise ValueError(f"shards {shard} of chunks {chunks} with an index of {index}")
    per_shard = tuple(a // b for a, b in zip(shard, chunks, strict=True))
    return Shards(per_shard, inside.get("index_location", "end") == "end", len(index) - 1)


def _sides(values: Any, least: int) -> tuple[int, ...]:
    if len(values) > SIDES or not all(type(side) is int and least <= side < 2**53 for side in values):
        raise ValueError(f"a shape of {len(values)} sides, expected at most {SIDES} whole numbers")
    return tuple(values)


def _named(step: Any, key: str) -> str:
    return str(step[key]).removeprefix("numcodecs.")


def _kind(name: Any) -> str:
    """numpy's letters of a dtype of format 3."""
    if isinstance(name, dict) and name["name"] in ("fixed_length_utf32", "null_terminated_bytes"):
        length = int(name["configuration"]["length_bytes"])
        return f"U{length // 4}" if name["name"] == "fixed_length_utf32" else f"S{length}"
    if not isinstance(name, str) or not re.fullmatch(NUMBERS, name):
        raise ValueError(f"data of type {str(name)[:40]!r}, expected numbers or text")
    return np.dtype(name).str[1:]


def _fill(value: Any, dtype: np.dtype[Any]) -> Any:
    """What chunks hold that were never written."""
    if dtype.kind in "OU":
        return str(value or "")
    if dtype.kind == "S":
        return b64decode(value or "")
    if isinstance(value, list):
        raise ValueError("a fill value of several")
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= (value or 0) <= np.iinfo(dtype).max:
        raise ValueError(f"a fill value that does not fit {dtype}")  # numpy before 2 would take another one
    with np.errstate(over="ignore"):  # as the library
        return dtype.type(value or 0)
