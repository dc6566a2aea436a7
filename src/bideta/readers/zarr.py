"""Arrays in a zarr folder: ``X``, ``y``, ``press``, or readouts; see ``_arrays``. Chunks are read when needed."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from bideta.images.reading import shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._arrays import contacts_of
from bideta.readers._extra import need

INFO = ReaderInfo(
    name="zarr",
    title="zarr folder: X, y, press, or readouts",
    extra="arrays",
    reference="bideta help bring-your-data",
)
MARKS = ("zarr.json", ".zgroup", ".zarray")
CHUNK = 2**28  # bytes of a chunk, which is unpacked whole
DEPTH = 8  # of groups in groups
METADATA = 2**24  # bytes of a file that describes arrays


def sniff(path: Path) -> bool:
    """A folder with zarr's metadata."""
    return path.is_dir() and any((path / mark).is_file() for mark in MARKS)


def load(path: Path, x: str = "X", y: str = "y", press: str = "press") -> Contacts:
    """The contacts; the settings say what the arrays are called (``group/X`` for one inside a group)."""
    zarr = need("zarr", "arrays", "zarr folders")
    try:
        for name in ("", x, y, press):
            for mark in (*MARKS, ".zmetadata"):
                file = path / name / mark
                if file.is_file() and file.stat().st_size > METADATA:
                    raise ValueError(f"{shown(file)} is longer than any description of arrays")
        opened = zarr.open(path, mode="r")
        arrays: dict[str, Any] = {x: opened} if isinstance(opened, zarr.Array) else _inside(opened)
        for name, array in arrays.items():
            size = prod(array.chunks) * np.dtype(array.dtype).itemsize
            if size > CHUNK:
                raise ValueError(f"the array {shown(name)} has chunks of {size:,} bytes")
    except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"cannot read {shown(path)} as zarr: {error}") from error
    return contacts_of(arrays, path, x, y, press)


def _inside(group: Any) -> dict[str, Any]:
    """Every array of the group by its name, those in inner groups too (``data/img``)."""
    zarr = need("zarr", "arrays", "zarr folders")
    members = group.members(max_depth=DEPTH)
    return {name: item for name, item in members if isinstance(item, zarr.Array)}
