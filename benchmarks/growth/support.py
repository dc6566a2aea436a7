"""Section "support": time to adapt, from 16 labelled contacts to 20,000 and from 64 features to 4,096."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.measuring.clock import fastest, repeats_for, timed
from benchmarks.measuring.features import batch
from benchmarks.measuring.task import Task
from bideta import Bideta

C = 16
CONTACTS = (16, 64, 256, 1_024, 2_048, 4_096, 20_000)
FEATURES = (64, 256, 512, 1_024, 2_048, 4_096)
EDGE = 512  # features around which the switch between the two decompositions is looked at closely
# The covariance switches where n − C = d; the eye looks for a cliff where n = d.
AROUND = tuple(EDGE + step for step in (-64, -16, -4, -1, 0, 1, 4, 12, 15, 16, 17, 20, 32, 64))
BUDGET = 2.0  # seconds of repetition for each point


def tasks(*, quick: bool = False, complete: bool = False) -> list[Task]:
    """One task for each number of features."""
    if quick:
        return [
            Task(f"d = {d}", fits, {"d": d, "contacts": contacts, "budget": 0.1}, 1)
            for d, contacts in ((24, [16, 40, 100]), (48, [16, 47, 48, 49, 100]))
        ]
    listed = []
    for d in FEATURES:
        contacts = sorted({*CONTACTS, *(AROUND if d == EDGE else ())})
        expected = len(contacts) * BUDGET + 90 * (d / 4096) ** 3
        arguments = {"d": d, "contacts": contacts, "budget": BUDGET}
        listed.append(Task(f"d = {d:,}", fits, arguments, expected, gigabytes=6 * d / 4096))
    return listed


def fits(d: int, contacts: list[int], budget: float) -> dict[str, Any]:
    """CPU seconds of ``fit`` for each number of contacts; one readout, float32 features, one thread."""
    drawn = batch("whitened", max(contacts), 1, C, d, readouts=1)
    H, y = drawn.support[0], np.arange(max(contacts)) % C
    points = []
    with threadpool_limits(1):
        for n in contacts:
            data, labels = H[:n], y[:n]

            def fit(data: NDArray[Any] = data, labels: NDArray[Any] = labels) -> Bideta:
                return Bideta().fit((data,), labels)

            _, cpu, wall = timed(fit)
            repeats = repeats_for(wall, budget, 20)
            if repeats > 1:  # what takes longer than the budget is measured once
                cpu = min(cpu, fastest(fit, repeats - 1)["cpu"])
            points.append({"n": n, "cpu": cpu, "repeats": repeats})
    return {"d": d, "points": points}
