"""Arrays in a numpy archive (``numpy.savez``): ``X``, ``y``, ``press``, or readouts; see ``_arrays``.

Arrays that are stored without compression are read row by row from the file; a compressed one is unpacked once, and
only where it is not too large.
"""

from __future__ import annotations

import ast
import struct
import zipfile
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from bideta.images.reading import shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._arrays import contacts_of

INFO = ReaderInfo(
    name="npz", title="numpy archive: X, y, press, or readouts", reference="bideta help bring-your-data"
)
UNPACKED = 2**30  # bytes of all compressed arrays together; larger ones: numpy.savez without compression
HEADER = 10_000  # bytes of an array's header
MEMBERS = 1000
REFUSALS = (
    zipfile.BadZipFile,
    EOFError,
    KeyError,
    OSError,
    ValueError,
    SyntaxError,
    struct.error,
    RuntimeError,
)


def sniff(path: Path) -> bool:
    """A zip archive that holds ``.npy`` files."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            inside = archive.namelist()
    except REFUSALS:
        return False
    return any(name.endswith(".npy") for name in inside)


def load(path: Path, x: str = "X", y: str = "y", press: str = "press") -> Contacts:
    """The contacts; the settings say what the arrays are called."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
            if len(entries) > MEMBERS:
                raise ValueError(f"{len(entries)} arrays, at most {MEMBERS} are read")
            left = UNPACKED
            arrays: dict[str, Any] = {}
            for entry in entries:
                stored = entry.compress_type == zipfile.ZIP_STORED
                if not stored and entry.file_size > left:
                    raise ValueError(
                        f"{shown(entry.filename)} unpacks to {entry.file_size:,} bytes, at most {UNPACKED:,} are "
                        "unpacked; save it with numpy.savez, which does not compress"
                    )
                left -= 0 if stored else entry.file_size
                arrays[entry.filename.removesuffix(".npy")] = _array(path, archive, entry)
    except REFUSALS as error:
        raise ValueError(f"cannot read {shown(path)} as a numpy archive: {error}") from error
    return contacts_of(arrays, path, x, y, press)


@dataclass(frozen=True)
class _Header:
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int  # bytes before the numbers


def _array(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Any:
    with archive.open(entry) as stream:
        header = _header(stream, entry)
        if entry.compress_type != zipfile.ZIP_STORED:
            content = stream.read(entry.file_size + 1)
            if len(content) + header.offset != entry.file_size:
                raise ValueError(f"{shown(entry.filename)} unpacks to another size than it says")
            return np.frombuffer(content, header.dtype).reshape(header.shape)
    with path.open("rb") as file:  # where the member's bytes begin is said by its own header alone
        file.seek(entry.header_offset)
        local = file.read(30)
        if local[:4] != b"PK\3\4":
            raise zipfile.BadZipFile("an entry has no header")
        name, extra = struct.unpack("<HH", local[26:30])
        start = entry.header_offset + 30 + name + extra + header.offset
        if start + prod(header.shape) * header.dtype.itemsize > path.stat().st_size:
            raise ValueError(f"{shown(entry.filename)} reaches beyond the end of the file")
    return np.memmap(path, header.dtype, "r", start, header.shape)


def _header(stream: Any, entry: zipfile.ZipInfo) -> _Header:
    """Shape and dtype, read without numpy's own reader, which would evaluate pickled objects if it were asked to."""
    version = npy.read_magic(stream)
    size = 2 if version[0] == 1 else 4
    length = int.from_bytes(stream.read(size), "little")
    if length > HEADER:
        raise ValueError(f"{shown(entry.filename)} has a header of {length:,} bytes")
    facts = ast.literal_eval(stream.read(length).decode("latin1" if version[0] < 3 else "utf-8"))
    shape, dtype = facts["shape"], np.dtype(facts["descr"])
    if facts["fortran_order"] and len(shape) > 1:
        raise ValueError(f"{shown(entry.filename)} is in Fortran order; save numpy.ascontiguousarray of it")
    if dtype.hasobject or dtype.names or not all(type(side) is int and side >= 0 for side in shape):
        hint = "; save labels as text: y.astype(str)" if dtype.hasobject else ""
        raise ValueError(f"{shown(entry.filename)} is {dtype} {shape}; expected plain numbers or text{hint}")
    offset = 6 + 2 + size + length
    if prod(shape) * dtype.itemsize + offset != entry.file_size:
        raise ValueError(
            f"{shown(entry.filename)} says {shape} of {dtype}, which is not what the archive holds"
        )
    return _Header(tuple(shape), dtype, offset)
