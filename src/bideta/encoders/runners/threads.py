"""Pieces of a batch, worked on side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def as_many(threads: int | None) -> int:
    """The setting ``threads``; as many as cores where it is None."""
    if threads is None:
        return cores()
    if threads < 1:
        raise ValueError(f"threads is {threads}, expected at least 1 or None")
    return threads


def by_threads(work: Callable[[Piece], Result], pieces: Sequence[Piece], threads: int) -> list[Result]:
    """``work`` of every piece, in order, by so many threads at once: for work that releases the interpreter's lock."""
    if threads == 1 or len(pieces) < 2:
        return [work(piece) for piece in pieces]
    with ThreadPoolExecutor(min(threads, len(pieces))) as pool:
        return list(pool.map(work, pieces))


def equal_pieces(items: Sequence[Piece], most: int) -> list[Sequence[Piece]]:
    """As few pieces of at most ``most`` items as there can be, of sizes that differ by one at most."""
    if not items:
        return []
    count = -(-len(items) // most)
    edges = [len(items) * i // count for i in range(count + 1)]
    return [items[start:end] for start, end in pairwise(edges)]
