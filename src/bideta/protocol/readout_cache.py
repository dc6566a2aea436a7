"""Readouts of a dataset, kept on disk: computed once, resumed where it stopped, memory-mapped on read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from bideta.datasets import Frames
from bideta.datasets._pictures import Chosen, Pictures
from bideta.encoders import Encoder, Readouts
from bideta.protocol import shards

CHUNK = 1024  # rows per shard: no more work than this is lost

Step = Callable[[int, int], None]  # rows done, rows in all


def read_or_encode(
    encoder: Encoder,
    frames: Frames,
    cache: str | Path | None = None,
    *,
    title: str = "",
    batch_size: int = 64,
    chunk: int = CHUNK,
    step: Step | None = None,
) -> Readouts:
    """Both readouts of all frames, float32; with ``cache`` (a folder) they are computed only once.

    The key is what the numbers depend on: the encoder's fingerprint (weights and preprocessing), the pictures, and
    the version of this library. ``title`` is noted in the file for people.
    """
    total = len(frames)
    starts = range(0, max(total, 1), chunk)

    def compute(start: int) -> Readouts:
        previous = frames.previous if encoder.info.channels > 3 else None
        stop = min(start + chunk, total)
        before = None if previous is None else Stretch(previous, start, stop)
        return encoder.encode(Stretch(frames.images, start, stop), before, batch_size)

    def report(start: int) -> None:
        if step is not None:
            step(min(start + chunk, total), total)

    if cache is None:
        parts = []
        for start in starts:
            parts.append(compute(start))
            report(start)
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    header = describe(encoder, frames, title)
    folder = Path(cache) / key(header)
    readouts = shards.read(folder)
    if readouts is None:
        for start in starts:
            if not shards.has(folder, start, chunk):
                shards.add(folder, start, chunk, compute(start))
            report(start)
        readouts = shards.finish(folder, starts, chunk, header)
    shards.clean(folder)
    return readouts


def is_cached(encoder: Encoder, frames: Frames, cache: str | Path) -> bool:
    """Whether everything is on disk; reads no picture that knows its revision."""
    return shards.read(Path(cache) / key(describe(encoder, frames))) is not None


def describe(encoder: Encoder, frames: Frames, title: str = "") -> dict[str, Any]:
    """What the readouts depend on; ``title`` is for people."""
    stacked = encoder.info.channels > 3 and frames.previous is not None
    return {
        "bideta": version("bideta"),
        "encoder": encoder.info.name,
        "fingerprint": encoder.fingerprint,
        "rows": len(frames),
        "images": revision(frames.images),
        "previous": revision(frames.previous) if stacked else None,
        "title": title,
    }


def key(header: dict[str, Any]) -> str:
    """Name of the cache folder; the title is not part of it."""
    facts = {name: value for name, value in header.items() if name != "title"}
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:32]


@runtime_checkable
class Revised(Protocol):
    """Pictures that know when they change."""

    def revision(self) -> str:
        """Hash that changes with the pictures."""
        ...


def revision(images: Any) -> str:
    """Hash that changes with the pictures: files by name, size and time of change, others by their pixels."""
    if isinstance(images, Revised):
        return images.revision()
    if isinstance(images, Pictures):
        return images.key()  # known before anything is rendered
    if isinstance(images, Chosen):
        rows = np.ascontiguousarray(images.rows, np.int64).tobytes()
        return hashlib.sha256(revision(images.pictures).encode() + rows).hexdigest()
    digest = hashlib.sha256()
    for start in range(0, len(images), CHUNK):
        for picture in images[start : start + CHUNK]:
            digest.update(f"{np.shape(picture)}".encode())
            digest.update(np.ascontiguousarray(picture).tobytes())
    return digest.hexdigest()


class Stretch:
    """Images ``start`` to ``stop`` of others; read batch by batch, when they are indexed."""

    def __init__(self, images: Any, start: int, stop: int) -> None:
        self.images, self.rows = images, range(start, stop)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice) -> Any:
        part = self.rows[rows]
        return self.images[part.start : part.stop]
