"""Section "latency": how soon one new contact is answered after the fit, on one core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measuring.clock import timed
from benchmarks.measuring.features import Features, episode
from benchmarks.measuring.task import Task
from bideta import Bideta, presets
from bideta.deploy.online import OnlineBideta

DIMS, C, WINDOW = (384, 768), 16, 256
SUPPORTS = {128: 0.12, 1280: 0.08}  # labelled contacts → separation of the classes
WARM_UP = 20  # answers before the clock counts


def tasks(*, quick: bool = False, complete: bool = False) -> list[Task]:
    """One contact alone, in a stream, and with its window computed anew; after a small and a large support."""
    supports, window = ({64: 0.2}, 32) if quick else (SUPPORTS, WINDOW)
    ways = {
        "alone": (anew, 0, 2000),
        f"window of {window}": (in_a_stream, window, 600),
        f"window of {window}, all computed anew": (anew, window, 600),
    }
    return [
        Task(
            f"n = {n:,} | {name}",
            way,
            {
                "n": n,
                "window": before,
                "dims": (32, 48) if quick else DIMS,
                "separation": separation,
                "repeats": 20 if quick else repeats,
            },
            1 if quick else 8,
        )
        for n, separation in supports.items()
        for name, (way, before, repeats) in ways.items()
    ]


def anew(n: int, window: int, dims: tuple[int, ...], separation: float, repeats: int) -> dict[str, Any]:
    """Percentiles where ``predict_proba`` gets the contact with the ``window`` before it, each time all of them."""
    features, fitted = _sensor(n, window + WARM_UP + repeats, dims, separation)

    def answer(last: int) -> Any:
        return fitted.predict_proba(tuple(H[last - window : last + 1] for H in features.queries))[-1]

    return {"n": n, "m": window + 1, **_percentiles(answer, window, repeats)}


def in_a_stream(
    n: int, window: int, dims: tuple[int, ...], separation: float, repeats: int
) -> dict[str, Any]:
    """Percentiles of ``OnlineBideta.predict_one`` on the same batches; what did not change is kept."""
    features, fitted = _sensor(n, window + WARM_UP + repeats, dims, separation)
    online = OnlineBideta(fitted, window + 1, reservoir=0)
    contacts = list(zip(*features.queries, strict=True))
    for contact in contacts[:window]:
        online.predict_one(contact)
    took = _percentiles(lambda last: online.predict_one(contacts[last]).proba, window, repeats)
    return {"n": n, "m": window + 1, **took}


def _sensor(n: int, m: int, dims: tuple[int, ...], separation: float) -> tuple[Features, Bideta]:
    features = episode(n, m, C, tuple(dims), separation, "float32")
    return features, Bideta(**presets.CLASSIFICATION).fit(features.support, features.y)


def _percentiles(answer: Callable[[int], Any], first: int, repeats: int) -> dict[str, Any]:
    """Milliseconds from a contact's two readouts to its probabilities, for one contact after the other."""
    with threadpool_limits(1):
        times = [
            timed(lambda last=last: answer(last))[1:] for last in range(first, first + WARM_UP + repeats)
        ]
    worked, waited = 1e3 * np.array(times[WARM_UP:]).T
    return {
        "repeats": repeats,
        "p50": float(np.percentile(waited, 50)),
        "p99": float(np.percentile(waited, 99)),
        "most": float(waited.max()),
        "cpu_p50": float(np.percentile(worked, 50)),
        "cpu_p99": float(np.percentile(worked, 99)),
        "percentiles": np.percentile(waited, np.arange(101)).round(4).tolist(),
    }
