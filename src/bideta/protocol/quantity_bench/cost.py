"""How long adapting and answering take, and how that grows with labels, queries and readouts."""

from __future__ import annotations

import time

import numpy as np

from bideta.quantities.targets import Target
from bideta.quantity_sensor import QuantitySensor

FEATURES, TARGETS = 512, 3  # of each readout; of a contact
SIZES = (
    (50, 400, 9),
    (100, 400, 9),
    (300, 400, 9),
    (600, 400, 9),
    (300, 100, 9),
    (300, 1600, 9),
    (300, 400, 3),
    (300, 400, 6),
)  # labels, queries, readouts
REPEATS = 3  # the fastest counts: other work on the machine only ever adds


def measure(n: int, m: int, V: int) -> dict[str, float]:
    """Seconds of one core that adapting, a batch and one contact take; waiting for other programs does not count."""
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(0)
    Y = rng.normal(size=(n + m, TARGETS))
    H = [
        (Y @ rng.normal(size=(TARGETS, FEATURES)) + rng.normal(size=(n + m, FEATURES))).astype(np.float32)
        for _ in range(V)
    ]
    support, queries = tuple(h[:n] for h in H), tuple(h[n:] for h in H)
    one = tuple(h[:1] for h in queries)
    times = []
    with threadpool_limits(1):
        for _ in range(REPEATS):
            start = time.process_time()
            sensor = QuantitySensor.adapt(
                [Target(f"y{t}") for t in range(TARGETS)], support, Y[:n], np.arange(n)
            )
            adapted = time.process_time()
            sensor.infer(queries)
            answered = time.process_time()
            sensor.infer(one)
            times.append((adapted - start, answered - adapted, time.process_time() - answered))
    fit, batch, single = np.min(times, axis=0).tolist()
    return {"fit": fit, "batch": batch, "one": single, "both": fit + batch}
