"""Where the work is done: processes of this machine, or a Ray cluster."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Engine:
    """Which engine, and how many cells at a time."""

    kind: str = "local"  # or "ray"
    jobs: int = 1
    address: str | None = None  # of a Ray cluster
