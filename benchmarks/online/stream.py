"""``python -m benchmarks.online [--quick]``: how long one contact takes in a stream, on one core.

Writes results/online.json. Wall times say what a robot waits for; CPU times say what the code costs, whatever else
the machine was doing.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.measuring import machine, results
from benchmarks.measuring.clock import timed
from benchmarks.measuring.features import episode
from benchmarks.online.latency import DIMS, SUPPORTS, WARM_UP, C
from bideta import Bideta, presets
from bideta.deploy.online import OnlineBideta

PRESETS = {"paper": presets.CLASSIFICATION, "robot": presets.ROBOT}
WINDOW = 256
PREDICTIONS, LABELS, REVISIONS = 1500, 25, 100  # timed calls of each kind
QUICK = 20


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure both presets after a small and a large support, and write the results."""
    options = _options(arguments)
    supports = {64: 0.2} if options.quick else SUPPORTS
    content: dict[str, Any] = {
        "machine": machine.facts(),
        "circumstances": machine.circumstances(),
        "tasks": {},
    }
    table = Table("", "call", "p50 ms", "p99 ms", "CPU p50 ms", "CPU p99 ms")
    with threadpool_limits(1):
        for n, separation in supports.items():
            for name in PRESETS:
                took = measure(n, name, separation, quick=options.quick)
                content["tasks"][f"n = {n:,} | {name}"] = {"result": took}
                results.write(options.results, "online", content)
                for call, times in took["calls"].items():
                    figures = (f"{times[key]:.2f}" for key in ("p50", "p99", "cpu_p50", "cpu_p99"))
                    table.add_row(f"n = {n:,}, {name}", call, *figures)
    Console(highlight=False).print(table)


def measure(n: int, preset: str, separation: float, *, quick: bool = False) -> dict[str, Any]:
    """Milliseconds of ``predict_one``, of ``revise``, of ``learn_one`` and of the answer after it; full window."""
    window, dims = (32, (32, 48)) if quick else (WINDOW, DIMS)
    predictions, labels, revisions = (QUICK,) * 3 if quick else (PREDICTIONS, LABELS, REVISIONS)
    m = window + WARM_UP + predictions + 2 * labels
    features = episode(n, m, C, dims, separation, "float32")
    online = OnlineBideta(Bideta(**PRESETS[preset]).fit(features.support, features.y), window)
    contacts = iter(zip(*features.queries, strict=True))
    for _ in range(window + WARM_UP):
        online.predict_one(next(contacts))
    calls = {
        "predict_one": [timed(lambda: online.predict_one(next(contacts))) for _ in range(predictions)],
        "revise": [timed(online.revise) for _ in range(revisions)],
    }
    learned, after = [], []
    for _ in range(labels):
        contact = next(contacts)
        answer = online.predict_one(contact)
        learned.append(timed(lambda contact=contact, answer=answer: online.learn_one(contact, answer.label)))
        after.append(timed(online.revise))
    calls |= {"learn_one": learned[1:], "revise after learn_one": after[1:]}  # the first also sets up
    return {
        "n": n,
        "window": window,
        "C": C,
        "dims": list(dims),
        "preset": preset,
        "calls": {call: _percentiles(times) for call, times in calls.items()},
    }


def _percentiles(times: list[tuple[Any, float, float]]) -> dict[str, float]:
    _, cpu, wall = zip(*times, strict=True)
    milliseconds = {"": 1e3 * np.array(wall), "cpu_": 1e3 * np.array(cpu)}
    percentiles = {
        f"{kind}p{q}": round(float(np.percentile(times, q)), 3)
        for kind, times in milliseconds.items()
        for q in (50, 99)
    }
    return {"repeats": len(wall), **percentiles}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.online", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="tiny sizes, seconds; written to build/benchmarks"
    )
    parser.add_argument("--results", type=Path, help="folder of the JSON results")
    options = parser.parse_args(arguments)
    options.results = options.results or results.folder_of(options.quick)
    return options
