"""A few arrays of many rows in a folder: shards while the work goes on, one memory-mapped file at the end.

Every file appears by a rename, so a reader never sees a part of one, even where the writer was killed. Two writers of
the same folder write the same rows; the slower one finds the other's shards, or the finished file. A shard has a
checksum, the finished file one for its header and each megabyte: what a disk changed later is noticed (``checked``).
"""

from __future__ import annotations

import json
import os
import time
import uuid
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bideta import artifact

FILE = "features.safetensors"
FLOAT = np.dtype("<f4")
BLOCK = 1 << 20  # bytes under one checksum
DIGITS = 8  # of a checksum (CRC-32: finds every flipped bit)
MAX_HEADER = 1 << 22  # bytes; ours are below 2,000 and eight for each megabyte: enough for half a terabyte
ABANDONED = 24 * 3600  # seconds after which an unfinished file belongs to a process that died

Arrays = tuple[NDArray[np.float32], ...]


def read(folder: Path) -> Arrays | None:
    """The arrays of a finished folder, mapped from disk; None where it is unfinished or the file was cut short."""
    opened = _open(folder / FILE)
    return None if opened is None else opened[0]


def checked(folder: Path) -> Arrays | None:
    """The same after every block was compared with its checksum; a damaged file is removed, with a warning."""
    path = folder / FILE
    opened = _open(path)
    if opened is None:
        return None
    arrays, base, sums = opened
    with path.open("rb") as file:
        file.seek(base)
        if _sums(file) == sums:
            return arrays
    warnings.warn(
        f"{path} was changed on the disk after it was written; its readouts are computed again", stacklevel=3
    )
    path.unlink(missing_ok=True)
    return None


def _open(path: Path) -> tuple[Arrays, int, str] | None:
    """Arrays of a finished file, where their bytes begin, and the checksums of their blocks; None: not one of ours."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 0 < length < MAX_HEADER:
                return None
            table = json.loads(file.read(length))
        entries, base = _in_order(table), 8 + length
        if path.stat().st_size != base + entries[-1]["data_offsets"][1]:
            return None
        notes = table["__metadata__"]
        sums = str(notes.pop("blocks"))
        if not sums.startswith(_sum(_header(table))):
            return None
        return tuple(_mapped(path, entry, base) for entry in entries), base, sums[DIGITS:]
    except FileNotFoundError:
        return None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):  # not a file of ours
        return None


def _sums(file: BinaryIO) -> str:
    """Checksums of the blocks from here to the end."""
    return "".join(map(_sum, iter(lambda: file.read(BLOCK), b"")))


def _sum(content: bytes) -> str:
    return f"{zlib.crc32(content):0{DIGITS}x}"


def has(folder: Path, start: int, chunk: int) -> bool:
    """Whether the rows from ``start`` need no work: their shard is whole, or another writer has finished."""
    return _shard(folder, start, chunk) is not None or read(folder) is not None


def add(folder: Path, start: int, chunk: int, rows: Arrays) -> None:
    """Store the rows from ``start`` on."""
    folder.mkdir(parents=True, exist_ok=True)
    artifact.write(_place(folder, start, chunk), {"start": start}, {_name(v): H for v, H in enumerate(rows)})


def finish(folder: Path, starts: Sequence[int], chunk: int, header: dict[str, Any]) -> Arrays:
    """All rows as one file, in place of the shards."""
    done = read(folder)
    if done is None:
        unfinished = folder / f".{FILE}-{uuid.uuid4().hex}"
        try:
            if _join(folder, starts, chunk, header, unfinished):
                os.replace(unfinished, folder / FILE)
        finally:
            unfinished.unlink(missing_ok=True)
        done = read(folder)
    if done is None:
        raise OSError(f"the cache {folder} was changed while it was written; start again, or remove it")
    return done


def clean(folder: Path) -> None:
    """Remove the shards of a finished folder, and what killed writers left behind a day ago."""
    for path in folder.iterdir():
        if path.name.startswith("."):
            try:
                abandoned = time.time() - path.stat().st_mtime > ABANDONED
            except FileNotFoundError:  # its writer was done just now
                continue
            if not abandoned:
                continue
        if path.name != FILE:
            path.unlink(missing_ok=True)


def _join(folder: Path, starts: Sequence[int], chunk: int, header: dict[str, Any], target: Path) -> bool:
    """Write the shards as one safetensors file, one at a time; False where another writer removed them first."""
    first = _shard(folder, starts[0], chunk)
    if first is None:
        return False
    rows, offsets = header["rows"], [0]
    notes = {"bideta": json.dumps(header)}
    table: dict[str, Any] = {"__metadata__": notes}
    for v, part in enumerate(first):
        offsets.append(offsets[-1] + rows * part.shape[1] * FLOAT.itemsize)
        table[_name(v)] = {"dtype": "F32", "shape": [rows, part.shape[1]], "data_offsets": offsets[-2:]}
    facts = _sum(_header(table))
    notes["blocks"] = "0" * (
        DIGITS * (1 + -(-offsets[-1] // BLOCK))
    )  # their place; the numbers follow the data
    base = 8 + len(_header(table))
    with target.open("x+b") as file:
        for start in starts:
            shard = _shard(folder, start, chunk)
            if shard is None:
                return False
            for offset, part in zip(offsets, shard, strict=False):
                file.seek(base + offset + start * part.shape[1] * FLOAT.itemsize)
                file.write(np.ascontiguousarray(part, FLOAT).tobytes())
        file.flush()
        file.seek(base)
        notes["blocks"] = facts + _sums(file)
        file.seek(0)
        file.write((base - 8).to_bytes(8, "little") + _header(table))
        file.flush()
        os.fsync(file.fileno())
    return True


def _header(table: dict[str, Any]) -> bytes:
    text = json.dumps(table).encode()
    return text + b" " * (-len(text) % 8)  # the format asks for aligned data


def _shard(folder: Path, start: int, chunk: int) -> Arrays | None:
    """A shard's rows; None where it is absent or its checksum is wrong."""
    try:
        arrays = artifact.read(_place(folder, start, chunk))[1]
    except (FileNotFoundError, artifact.ArtifactError):
        return None
    return tuple(_in_order(arrays))


def _name(v: int) -> str:
    return f"readout{v + 1}"


def _in_order(named: dict[str, Any]) -> list[Any]:
    """What is called readout1, readout2, …, in that order."""
    return [named[_name(v)] for v in range(len(named)) if _name(v) in named]


def _place(folder: Path, start: int, chunk: int) -> Path:
    return folder / f"{start:09d}-{chunk}.safetensors"


def _mapped(path: Path, entry: dict[str, Any], base: int) -> NDArray[np.float32]:
    shape = tuple(entry["shape"])
    if 0 in shape:
        return np.zeros(shape, np.float32)  # an empty stretch cannot be mapped
    return np.memmap(path, FLOAT, "r", base + entry["data_offsets"][0], shape)
