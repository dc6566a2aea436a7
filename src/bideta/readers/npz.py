"""Arrays in a numpy archive (``numpy.savez``): ``X``, ``y``, ``press``, or readouts; see ``_arrays``.

Arrays that are stored without compression are read row by row from the file; a compressed one is unpacked once, and
only where it is not too large.
"""

from __future__ import annotations

import ast
import io
import struct
import zipfile
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.lib import format as npy

from bideta.images.reading import shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._arrays import UNREADABLE, contacts_of

INFO = ReaderInfo(
    name="npz", title="numpy archive: X, y, press, or readouts", reference="bideta help bring-your-data"
)
UNPACKED = 2**29  # bytes of all compressed arrays together; larger ones: numpy.savez without compression
PIECE = 2**20  # bytes that are unpacked at a time
HEADER = 10_000  # bytes of an array's header
DIRECTORY = 2**20  # bytes of the list of members
MEMBERS = 1000
REFUSALS = (*UNREADABLE, zipfile.BadZipFile, SyntaxError)


def sniff(path: Path) -> bool:
    """A zip archive that holds ``.npy`` files."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    try:
        with _Bounded(io.FileIO(path)) as file, zipfile.ZipFile(file) as archive:
            inside = archive.namelist()
    except REFUSALS:
        return False
    return any(name.endswith(".npy") for name in inside)


def load(path: Path, x: str = "X", y: str = "y", press: str = "press") -> Contacts:
    """The contacts; the settings say what the arrays are called."""
    arrays: dict[str, Any] = {}
    refused: dict[str, str] = {}
    left = UNPACKED
    try:
        with _Bounded(io.FileIO(path)) as file, zipfile.ZipFile(file) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
            if len(entries) > MEMBERS:
                raise ValueError(f"{len(entries)} arrays, at most {MEMBERS} are read")
            for entry in entries:
                name = entry.filename.removesuffix(".npy")
                try:
                    arrays[name] = _array(path, archive, entry, left)
                    left -= entry.file_size if entry.compress_type else 0
                except REFUSALS as error:
                    refused[name] = str(error) or type(error).__name__
    except REFUSALS as error:
        raise ValueError(f"cannot read {shown(path)} as a numpy archive: {error}") from error
    return contacts_of(arrays, refused, path, x, y, press)


class _Bounded(io.BufferedReader):
    """A file that refuses to read more at once than the list of members of any numpy archive takes."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > DIRECTORY:
            raise ValueError(f"a list of members of {size:,} bytes")
        return super().read(size)


@dataclass(frozen=True)
class _Header:
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int  # bytes before the numbers
    order: Literal["C", "F"]


def _array(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> Any:
    stored = entry.compress_type == zipfile.ZIP_STORED
    if not stored and entry.compress_type != zipfile.ZIP_DEFLATED:  # zipfile unpacks others at once
        raise ValueError("not packed as numpy does; save it with numpy.savez")
    if not stored and entry.file_size > left:
        raise ValueError(
            f"unpacks to {entry.file_size:,} bytes, at most {UNPACKED:,} are unpacked in all; save it with "
            "numpy.savez, which does not compress"
        )
    stream: Any
    with archive.open(entry) as stream:
        header = _header(stream, entry)
        if not stored:
            content = bytearray(entry.file_size - header.offset)  # read() would hold it twice
            room, got = memoryview(content), 0
            while piece := stream.readinto(room[got : got + PIECE]):
                got += piece
            if got < len(content) or stream.read(1):
                raise ValueError("unpacks to another size than it says")
            return np.frombuffer(content, header.dtype).reshape(header.shape, order=header.order)
    with path.open("rb") as file:  # where the member's bytes begin is said by its own header alone
        file.seek(entry.header_offset)
        local = file.read(30)
        if local[:4] != b"PK\3\4":
            raise zipfile.BadZipFile("an entry has no header")
        name, extra = struct.unpack("<HH", local[26:30])
        start = entry.header_offset + 30 + name + extra + header.offset
        if start + prod(header.shape) * header.dtype.itemsize > path.stat().st_size:
            raise ValueError("reaches beyond the end of the file")
    return np.memmap(path, header.dtype, "r", start, header.shape, header.order)


def _header(stream: Any, entry: zipfile.ZipInfo) -> _Header:
    """Shape and dtype, read without numpy's own reader, which would evaluate pickled objects if it were asked to."""
    version = npy.read_magic(stream)
    size = 2 if version[0] == 1 else 4
    length = int.from_bytes(stream.read(size), "little")
    if length > HEADER:
        raise ValueError(f"a header of {length:,} bytes")
    facts = ast.literal_eval(stream.read(length).decode("latin1" if version[0] < 3 else "utf-8"))
    shape, dtype = tuple(facts["shape"]), np.dtype(facts["descr"])
    if dtype.hasobject or dtype.names or not all(type(side) is int and side >= 0 for side in shape):
        hint = "; save labels as text: y.astype(str)" if dtype.hasobject else ""
        raise ValueError(f"it is {dtype} {str(shape)[:80]}; expected plain numbers or text{hint}")
    offset = 6 + 2 + size + length
    if prod(shape) * dtype.itemsize + offset != entry.file_size:
        raise ValueError(f"it says {str(shape)[:80]} of {dtype}, which is not what the archive holds")
    columns = bool(facts["fortran_order"]) and len(shape) > 1
    if columns and entry.file_size > UNPACKED:  # a row lies all over the file
        raise ValueError("in Fortran order; save numpy.ascontiguousarray of it")
    return _Header(shape, dtype, offset, "F" if columns else "C")
