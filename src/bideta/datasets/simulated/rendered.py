"""Rendered pictures: made on first use, shown as they progress, kept in a file that two writers may share."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bideta.sim
from bideta.images.files import replacing
from bideta.sim import Conditions, Contacts, SensorDesign, render
from bideta.sim.session import Session

BATCH = 640  # frames rendered between two steps of the progress bar
QUIET_BELOW = 2000  # frames: shorter work shows no progress bar
DIGEST_BYTES = 32  # sha256 at the end of a cached file


@dataclass
class Pictures:
    """Frames of one recording, indexable like an array ``(N, size, size, 3)`` uint8; rendered on first use."""

    contacts: Contacts
    sensor: SensorDesign
    conditions: Conditions
    size: int  # px
    seed: tuple[int, ...]
    title: str = ""
    cache: str | Path | None = None  # folder
    session: Session | None = None  # what wandered while they were recorded
    _made: NDArray[np.uint8] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.contacts)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """(N, size, size, 3), known before anything is rendered."""
        return (len(self), self.size, self.size, 3)

    def __getitem__(self, rows: Any) -> NDArray[np.uint8]:
        return np.asarray(self._all()[rows])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is None:  # which numpy 1 does not know
            return np.asarray(self._all(), dtype=dtype)
        return np.array(self._all(), dtype=dtype, copy=copy)

    def revision(self) -> str:
        """Hash of everything that determines the pixels: contacts, sensor, conditions, size, seed, our code."""
        digest = hashlib.sha256(_code().encode())
        facts = (self.sensor, self.conditions, self.size, self.seed, self.contacts.geometries)
        digest.update(repr(facts if self.session is None else (*facts, self.session)).encode())
        for column in self.contacts.columns():
            digest.update(np.ascontiguousarray(column).tobytes())
        return digest.hexdigest()[:32]

    def _all(self) -> NDArray[np.uint8]:
        if self._made is None:
            self._made = self._render() if self.cache is None else self._cached(Path(self.cache))
        return self._made

    def _cached(self, folder: Path) -> NDArray[np.uint8]:
        path = folder / f"{self.title.replace(' ', '-')}-{self.revision()}.npy"
        pictures = read_checked(path, self.shape)
        if pictures is None:
            write_checked(path, self._render())
            pictures = read_checked(path, self.shape)
        if pictures is None:
            raise OSError(f"{path} cannot be read back after writing; is the disk full or failing?")
        return pictures

    def stream(self) -> Iterator[NDArray[np.uint8]]:
        """The same pictures batch by batch, kept nowhere: for recordings that do not fit into memory."""
        rng = np.random.default_rng(self.seed)
        for start in range(0, len(self), BATCH):
            batch = self.contacts[start : start + BATCH]
            pictures = render(batch, self.sensor, size=self.size, seed=rng, conditions=self.conditions)
            yield pictures if self.session is None else self.session(pictures, batch.press)

    def _render(self) -> NDArray[np.uint8]:
        made = np.empty(self.shape, np.uint8)
        done = 0
        for batch in _progress(self.title, len(self), self.stream()):
            made[done : done + len(batch)] = batch
            done += len(batch)
        return made


def write_checked(path: Path, pictures: NDArray[np.uint8]) -> None:
    """Write pictures and their sha256 in one step: a reader sees the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        np.save(file, pictures, allow_pickle=False)
        file.write(hashlib.sha256(pictures.tobytes()).digest())


def read_checked(path: Path, shape: tuple[int, ...]) -> NDArray[np.uint8] | None:
    """The pictures of a cached file, mapped from disk, or None where it is absent, torn or altered."""
    if not path.is_file():
        return None
    try:
        pictures: NDArray[np.uint8] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError):  # not an array file, or cut short
        return None
    if pictures.shape != shape or pictures.dtype != np.uint8:
        return None
    with path.open("rb") as file:
        file.seek(-DIGEST_BYTES, os.SEEK_END)
        stored = file.read()
    return pictures if hashlib.sha256(pictures.tobytes()).digest() == stored else None


@lru_cache(maxsize=1)
def _code() -> str:
    """Hash of the simulator's source: a changed renderer never meets an old cache."""
    digest = hashlib.sha256()
    for path in sorted(Path(bideta.sim.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _progress(title: str, frames: int, batches: Iterator[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
    """The batches, with a progress bar if the work is long and stderr is a terminal."""
    if frames < QUIET_BELOW or not sys.stderr.isatty():
        yield from batches
        return
    from rich.console import Console
    from rich.progress import track

    total = -(-frames // BATCH)
    yield from track(batches, f"render {title}", total, console=Console(stderr=True), transient=True)
