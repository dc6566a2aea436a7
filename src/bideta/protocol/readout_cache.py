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
from bideta.protocol import shards
from bideta.service.encoding import encode_frames, joined, stacks_frames

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
    readouts = shards.checked(folder)
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
    stacked = stacks_frames(encoder) and frames.previous is not None
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
