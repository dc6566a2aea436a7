"""Section "latency": how soon one new contact is answered after the fit, on one core."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.clock import timed
from benchmarks.features import episode
from benchmarks.task import Task
from bideta import Bideta, presets

DIMS, C, WINDOW = (384, 768), 16, 256
SUPPORTS = {128: 0.12, 1280: 0.08}  # labelled contacts → separation of the classes
WARM_UP = 20  # answers before the clock counts


def tasks(*, quick: bool = False, complete: bool = False) -> list[Task]:
    """One contact alone, and with the window that came before it; after a small and a large support."""
    supports = {64: 0.2} if quick else SUPPORTS
    return [
        Task(
            f"n = {n:,} | {'alone' if not window else f'window of {window}'}",
            answer_times,
            {
                "n": n,
                "window": window,
                "dims": (32, 48) if quick else DIMS,
                "separation": separation,
                "repeats": 20 if quick else 2000 if not window else 600,
            },
            1 if quick else 8,
        )
        for n, separation in supports.items()
        for window in (0, 32 if quick else WINDOW)
    ]


def answer_times(
    n: int, window: int, dims: tuple[int, ...], separation: float, repeats: int
) -> dict[str, Any]:
    """Wall milliseconds from the contact's two readouts to its probabilities; the window is computed anew."""
    features = episode(n, window + repeats + WARM_UP, C, tuple(dims), separation, "float32")
    fitted = Bideta(**presets.CLASSIFICATION).fit(features.support, features.y)
    milliseconds, worked = [], []
    with threadpool_limits(1):
        for last in range(window, window + repeats + WARM_UP):
            joined = tuple(H[last - window : last + 1] for H in features.queries)
            _, cpu, wall = timed(lambda joined=joined: fitted.predict_proba(joined)[-1])
            milliseconds.append(1e3 * wall)
            worked.append(1e3 * cpu)
    kept = np.array(milliseconds[WARM_UP:])
    return {
        "m": window + 1,
        "n": n,
        "repeats": repeats,
        "p50": float(np.percentile(kept, 50)),
        "p99": float(np.percentile(kept, 99)),
        "most": float(kept.max()),
        "cpu_p50": float(np.percentile(worked[WARM_UP:], 50)),
        "percentiles": np.percentile(kept, np.arange(101)).round(4).tolist(),
    }
