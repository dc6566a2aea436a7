"""Arrays in an HDF5 file: ``X``, ``y``, ``press``, or readouts; see ``_arrays``. Rows are read when they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bideta.images.reading import shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._arrays import contacts_of
from bideta.readers._extra import need

INFO = ReaderInfo(
    name="hdf5",
    title="HDF5: X, y, press, or readouts",
    extra="arrays",
    reference="bideta help bring-your-data",
)
MAGIC = b"\x89HDF\r\n\x1a\n"
CHUNK = 2**28  # bytes of a chunk, which is unpacked whole


def sniff(path: Path) -> bool:
    """An HDF5 file that is not opentouch's."""
    return is_hdf5(path) and path.suffix != ".touch"


def is_hdf5(path: Path) -> bool:
    """Whether the file begins as HDF5 does."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(8) == MAGIC


def load(path: Path, x: str = "X", y: str = "y", press: str = "press") -> Contacts:
    """The contacts; the settings say what the datasets are called (``group/X`` for one inside a group)."""
    return contacts_of(datasets(path), path, x, y, press)


def datasets(path: Path) -> dict[str, Any]:
    """Every dataset of the file by its name; links to other files are not followed."""
    h5py = need("h5py", "arrays", "HDF5 files")
    found: dict[str, Any] = {}

    def see(name: str, item: Any) -> None:
        if not isinstance(item, h5py.Dataset) or item.shape is None:
            return
        if item.external or item.is_virtual:
            raise ValueError(f"the dataset {shown(name)} lies in another file")
        chunk = 1
        for side in item.chunks or ():
            chunk *= side
        if chunk * item.dtype.itemsize > CHUNK:
            raise ValueError(f"the dataset {shown(name)} has chunks of {chunk * item.dtype.itemsize:,} bytes")
        found[name] = item

    try:
        file = h5py.File(path, "r")
        file.visititems(see)  # visits neither soft nor external links
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        raise ValueError(f"cannot read {shown(path)} as HDF5: {error}") from error
    return found
