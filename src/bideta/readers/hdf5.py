"""Arrays in an HDF5 file: ``X``, ``y``, ``press``, or readouts; see ``_arrays``. Rows are read when they are needed.

A chunk is looked at before the library unpacks it: the library gives whatever a stream holds, and where a chunk is too
short, what happens to lie in memory behind it.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from bideta.images.reading import shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._arrays import TEXT_BYTES, UNREADABLE, contacts_of
from bideta.readers._extra import need
from bideta.readers._unpacking import check_chunks, check_size, lzf_size, most_packed, unpacked

INFO = ReaderInfo(
    name="hdf5",
    title="HDF5: X, y, press, or readouts",
    extra="arrays",
    reference="bideta help bring-your-data",
)
MAGIC = b"\x89HDF\r\n\x1a\n"
DEFLATE, SHUFFLE, FLETCHER32, LZF = 1, 2, 3, 32000  # HDF5's numbers of filters
FILTERS = {DEFLATE: "gzip", SHUFFLE: "shuffle", FLETCHER32: "fletcher32", LZF: "lzf"}


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
    return contacts_of(*datasets(path), path, x, y, press)


def datasets(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Datasets by their name, and why others cannot be read; links to other files are not followed."""
    h5py = need("h5py", "arrays", "HDF5 files")
    found: dict[str, Any] = {}
    refused: dict[str, str] = {}

    def see(name: str, item: Any) -> None:
        try:
            if isinstance(item, h5py.Dataset) and item.shape is not None:
                found[name] = Checked(item)
        except UNREADABLE as error:
            refused[name] = str(error)

    try:
        file = h5py.File(path, "r")
        file.visititems(see)  # visits neither soft nor external links
    except UNREADABLE as error:
        raise ValueError(f"cannot read {shown(path)} as HDF5: {error}") from error
    return found, refused


class Checked:
    """A dataset, whose chunks are looked at before the library reads rows of them."""

    def __init__(self, dataset: Any) -> None:
        if dataset.external or dataset.is_virtual:
            raise ValueError("it lies in another file")
        self.dataset = dataset
        self.shape, self.dtype = tuple(dataset.shape), dataset.dtype
        vlen = (self.dtype.metadata or {}).get("vlen")
        self.lists = vlen is not None  # texts and lists: a length and a place each
        place = 8 + dataset.file.id.get_create_plist().get_sizes()[0]
        self.itemsize = place if self.lists else dataset.id.get_type().get_size()
        if self.dtype.hasobject and not self.lists:  # lists in records, references
            raise ValueError("it holds objects, expected numbers or text")
        if vlen in (str, bytes) and len(dataset.fillvalue or "") > TEXT_BYTES:
            raise ValueError("a long text for all that was never written")
        if dataset.chunks:
            check_chunks(self.shape, dataset.chunks, self.itemsize)
        made = dataset.id.get_create_plist()
        self._filters = [made.get_filter(i)[0] for i in range(made.get_nfilters())]
        self._seen: set[tuple[int, ...]] = set()  # chunks of the rows that were read last

    def __getitem__(self, rows: Any) -> Any:
        """Rows by their number or as a slice; with ``()`` the value of a dataset that has no rows."""
        self._check_filters()
        # Texts come many at a time; a single row may be a list, which is not longer than its file.
        longest = TEXT_BYTES if isinstance(rows, slice) else Path(self.dataset.file.filename).stat().st_size
        sides = [] if rows == () else [slice(0, side) for side in self.shape]
        if sides:
            sides[0] = (
                slice(*rows.indices(self.shape[0])) if isinstance(rows, slice) else slice(rows, rows + 1)
            )
        if self.dataset.chunks and not self._written:
            pass  # nothing is read, and the library says any size of chunks where there is none
        elif self.dataset.chunks:
            steps = zip(sides, self.dataset.chunks, strict=True)
            touched = set(product(*(range(side.start // c * c, side.stop, c) for side, c in steps)))
            for offset in touched - self._seen:
                self._check(offset, longest)
            self._seen = touched
        elif self.lists:
            self._check_lengths(self._plain(sides[0] if sides else slice(0, 1)), longest)
        return self.dataset[rows]

    @cached_property
    def _written(self) -> bool:
        return bool(self.dataset.id.get_storage_size())

    def _check_filters(self) -> None:
        """An error for filters that are not known, and where the one that packs is followed by more than a checksum."""
        growing = [i for i, code in enumerate(self._filters) if code in (DEFLATE, LZF)]
        behind = set(self._filters[growing[0] + 1 :]) if growing else set()
        if (
            not {*self._filters} <= {*FILTERS}
            or behind - {FLETCHER32}
            or (self.lists and LZF in self._filters)
        ):
            names = ", ".join(FILTERS.get(code, f"number {code}") for code in self._filters)
            raise ValueError(
                f"its filters are {names}; expected gzip or lzf (not of texts), shuffle, fletcher32: write it again "
                "with compression='gzip'"
            )

    def _check(self, offset: tuple[int, ...], longest: int) -> None:
        """An error where a chunk does not unpack to just its size, or a text or list in it is longer."""
        size = prod(self.dataset.chunks) * self.itemsize
        stored = self.dataset.id.get_chunk_info_by_coord(offset)
        if stored.byte_offset is None:  # never written
            return
        most = most_packed(size) if self._filters else size
        if stored.size > most:
            raise ValueError(f"a chunk of {size:,} bytes that is stored in more than {most:,}")
        if not self._filters and not self.lists:
            check_size(stored.size, size, size)
            return
        mask, content = self.dataset.id.read_direct_chunk(offset)
        for number, code in reversed(list(enumerate(self._filters))):
            if mask >> number & 1:
                continue
            if code == FLETCHER32:
                content = content[:-4]
            elif code == DEFLATE:
                content = unpacked("zlib", content, 0, size + 4 * len(self._filters))
            elif code == LZF:
                check_size(lzf_size(content, size), size, size)
                return
            elif len(content) == size:  # shuffled: first bytes first
                content = np.frombuffer(content, np.uint8).reshape(self.itemsize, -1).T.tobytes()
        check_size(len(content), size, size)
        if self.lists:
            self._check_lengths(content, longest)

    def _plain(self, rows: slice) -> bytes:
        """The bytes of rows that lie in the file as they are; none where they were never written."""
        offset = self.dataset.id.get_offset()
        if offset is None and self.dataset.id.get_storage_size():
            raise ValueError("texts that lie in the header; write it again with chunks")
        if offset is None:
            return b""
        with Path(self.dataset.file.filename).open("rb") as file:
            file.seek(offset + rows.start * self.itemsize)
            return file.read((rows.stop - rows.start) * self.itemsize)

    def _check_lengths(self, content: bytes, longest: int) -> None:
        """An error for names, or one list, of more bytes than can be: the library takes memory for what they say."""
        lengths = np.frombuffer(content[: len(content) // self.itemsize * self.itemsize], np.uint8)
        found = lengths.reshape(-1, self.itemsize)[:, :4].copy().view("<u4").max(initial=0)
        if found > longest:
            raise ValueError(f"a text or list of {found:,} bytes, at most {longest:,} are read")
