"""Pictures that are read or made when they are indexed, and a hash that changes with them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bideta.images.reading import read_image

BATCH = 1024  # pictures hashed at a time


@runtime_checkable
class Revised(Protocol):
    """Pictures that know their revision without being read."""

    def revision(self) -> str:
        """Hash of what the pixels depend on."""
        ...


def revision(pictures: Any) -> str:
    """Hash that changes with the pictures: their revision if they know it, else a hash of all pixels."""
    if isinstance(pictures, Revised):
        return pictures.revision()
    digest = hashlib.sha256()
    for start in range(0, len(pictures), BATCH):
        for picture in pictures[start : start + BATCH]:
            digest.update(f"{np.shape(picture)}".encode())
            digest.update(np.ascontiguousarray(picture).tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class ImageFiles:
    """Image files that behave like an array ``(N, H, W, 3)`` uint8; read when they are indexed.

    A slice or an index array gives a stack, or a list if the pictures differ in size.
    """

    paths: Sequence[Path]
    in_files = True  # each is read alone, in any thread

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, int | np.integer):
            return read_image(self.paths[int(rows)])
        chosen = np.arange(len(self.paths))[rows]
        pictures = [read_image(self.paths[row]) for row in chosen]
        if len({picture.shape for picture in pictures}) == 1:
            return np.stack(pictures)
        return pictures if pictures else np.zeros((0, 1, 1, 3), np.uint8)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self[:], dtype=dtype)

    def revision(self) -> str:
        """Hash of the files' names, sizes and times of change: another one after any edit."""
        digest = hashlib.sha256()
        for path in self.paths:
            facts = path.stat()
            name = "/".join(path.parts[-4:])  # enough to tell files apart; the whole tree may be moved
            digest.update(f"{name} {facts.st_size} {facts.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()


@dataclass(frozen=True)
class Chosen:
    """Some rows of other pictures, in a given order; nothing is read or copied until it is asked for."""

    pictures: Any
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, H, W, 3), if the whole knows its shape."""
        return (len(self), *self.pictures.shape[1:])

    def __getitem__(self, rows: Any) -> Any:
        chosen = self.rows[rows]
        if isinstance(self.pictures, list) and np.ndim(chosen):
            return [self.pictures[row] for row in chosen]
        return self.pictures[chosen]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.pictures[self.rows], dtype=dtype)

    def revision(self) -> str:
        """Hash of the revision of the whole and of the rows."""
        rows = np.ascontiguousarray(self.rows, np.int64).tobytes()
        return hashlib.sha256(revision(self.pictures).encode() + rows).hexdigest()
