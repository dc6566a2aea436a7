"""Section "growth": time, memory and recall from a thousand queries to a million."""

from __future__ import annotations

import importlib.util

from benchmarks.growth.batches import on_ray, some_rows, whole
from benchmarks.measuring.task import Task

D = 384
EXACT = {  # queries → repeats
    "clustered": {1_000: 5, 3_200: 5, 10_000: 3, 30_000: 1},
    "whitened": {1_000: 5, 3_200: 5, 10_000: 3, 30_000: 1, 100_000: 1},
}
COMPLETE = 200_000  # measured in full with --complete
SOME_ROWS = {30_000: 12, 100_000: 12, 200_000: 8, 1_000_000: 4}  # queries → blocks of 512 rows
APPROXIMATE = (10_000, 30_000, 100_000, 300_000, 1_000_000)
HARD = 30_000  # where an index meets features without structure, and the exact search takes over
RAY = 20_000


def tasks(*, quick: bool = False, complete: bool = False) -> list[Task]:
    """Exact in full, on a share of the rows and on Ray; then approximate, the largest last."""
    if quick:
        return _quick()
    listed = [
        _exact(distribution, m, repeats)
        for distribution in EXACT
        for m, repeats in EXACT[distribution].items()
    ]
    listed.append(_exact("whitened", COMPLETE, 1, "" if complete else "in full only with --complete"))
    for m, blocks in SOME_ROWS.items():
        arguments = {"distribution": "whitened", "m": m, "d": D, "blocks": blocks}
        expected = 5 + m / 1e5 * (1 + 0.5 * blocks)
        listed.append(
            Task(f"exact, some rows | whitened | {m:,}", some_rows, arguments, expected, gigabytes=4)
        )
    listed.append(
        Task(
            f"Ray | whitened | {RAY:,}",
            on_ray,
            {"m": RAY, "d": D, "n_jobs": 2},
            30,
            fresh=True,
            skip=_missing("ray"),
        )
    )
    missing = _missing("pynndescent")
    for distribution, m in [("whitened", HARD)] + [("clustered", m) for m in APPROXIMATE]:
        arguments = {"distribution": distribution, "m": m, "d": D, "neighbors": "approximate"}
        listed.append(
            Task(
                f"approximate | {distribution} | {m:,}",
                whole,
                arguments,
                15 + 50 * m / 1e5 * (m / 1e5) ** 0.1,
                gigabytes=14 * m / 1e6,
                skip=missing,
            )
        )
    return listed


def _exact(distribution: str, m: int, repeats: int, skip: str = "") -> Task:
    arguments = {"distribution": distribution, "m": m, "d": D, "neighbors": "exact", "repeats": repeats}
    return Task(
        f"exact | {distribution} | {m:,}",
        whole,
        arguments,
        seconds=3 + repeats * (m / 1e4 + 0.8 * (m / 1e4) ** 2),
        fresh=True,
        gigabytes=4 * m / 1e5,
        skip=skip,
    )


def _quick() -> list[Task]:
    """Tiny sizes in one process, without the minute that pynndescent's compilation and Ray's start take."""
    listed = []
    for distribution, m in (("clustered", 300), ("clustered", 900), ("whitened", 300), ("whitened", 900)):
        arguments = {"distribution": distribution, "m": m, "d": 32, "neighbors": "exact", "repeats": 2}
        listed.append(Task(f"exact | {distribution} | {m:,}", whole, arguments, 1))
    arguments = {"distribution": "whitened", "m": 2000, "d": 32, "blocks": 2}
    listed.append(Task("exact, some rows | whitened | 2,000", some_rows, arguments, 1))
    left_out = "left out of the quick version: it takes a minute to"
    arguments = {"distribution": "clustered", "m": 2000, "d": 32, "neighbors": "approximate"}
    listed.append(
        Task("approximate | clustered | 2,000", whole, arguments, 1, skip=f"{left_out} compile pynndescent")
    )
    listed.append(
        Task(
            "Ray | whitened | 900", on_ray, {"m": 900, "d": 32, "n_jobs": 2}, 1, skip=f"{left_out} start Ray"
        )
    )
    return listed


def _missing(library: str) -> str:
    return "" if importlib.util.find_spec(library) else f"{library} is not installed"
