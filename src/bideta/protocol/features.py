"""Readouts of a dataset, kept on disk: computed once, resumed where it stopped, memory-mapped on read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from bideta.datasets import Frames
from bideta.encoders import Encoder, Readouts
from bideta.images.lazy import revision
from bideta.protocol import _store
from bideta.service.encoding import encode_frames, joined

CHUNK = 1024  # rows per shard: at most so much work is lost

Step = Callable[[int, int], None]  # rows done, rows in all


def features(
    encoder: Encoder,
    frames: Frames,
    cache: str | Path | None = None,
    *,
    title: str = "",
    batch_size: int = 64,
    chunk: int = CHUNK,
    step: Step | None = None,
) -> Readouts:
    """The readouts of all frames, float32; with ``cache`` (a folder) they are computed only once.

    The key is what the numbers depend on: the encoder's fingerprint (weights and preprocessing), the pictures, and
    the version of this library. ``title`` is noted in the file for people.
    """
    total = len(frames)
    starts = range(0, max(total, 1), chunk)

    def compute(start: int) -> Readouts:
        return encode_frames(encoder, frames, np.arange(start, min(start + chunk, total)), batch_size)

    def report(start: int) -> None:
        if step is not None:
            step(min(start + chunk, total), total)

    if cache is None:
        parts = []
        for start in starts:
            parts.append(compute(start))
            report(start)
        return joined(parts)
    header = describe(encoder, frames, title)
    folder = Path(cache) / key(header)
    found = _store.read(folder)
    if found is None:
        for start in starts:
            if not _store.has(folder, start, chunk):
                _store.add(folder, start, chunk, compute(start))
            report(start)
        found = _store.finish(folder, starts, chunk, header)
    _store.clean(folder)
    return found


def is_cached(encoder: Encoder, frames: Frames, cache: str | Path) -> bool:
    """Whether ``features`` would find everything on disk; reads no picture that knows its revision."""
    return _store.read(Path(cache) / key(describe(encoder, frames))) is not None


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


class Stretch:
    """Images ``start`` to ``stop`` of others; read batch by batch, when they are indexed."""

    def __init__(self, images: Any, start: int, stop: int) -> None:
        self.images, self.rows = images, range(start, stop)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice) -> Any:
        part = self.rows[rows]
        return self.images[part.start : part.stop]
