"""Measurements of one large batch: end to end, on a share of its rows, and shared among Ray workers."""

from __future__ import annotations

import logging
import re
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring.clock import timed
from benchmarks.measuring.features import Features, batch
from benchmarks.measuring.peak import peak
from benchmarks.method.watch import neighbours_seen
from bideta import Bideta, presets
from bideta.method.readout import AdaptedReadout, Directions, unit_rows
from bideta.neighbors.blocked import BLOCK_ROWS, nearest_of
from bideta.neighbors.engines import approximate

N, C, K = 1280, 16, 40  # support contacts, classes, neighbours
CHECKED = 100  # queries whose neighbours are checked against float64 similarities to the whole batch
ROWS = 8192  # queries projected at a time where the benchmark checks


def whole(distribution: str, m: int, d: int, neighbors: str, repeats: int = 1) -> dict[str, Any]:
    """Seconds, peak memory and recall of ``Bideta.infer`` on two readouts, all cores; the fit is not counted."""
    if neighbors == "approximate":
        _compile()
    features = batch(distribution, N, m, C, d)
    fitted = Bideta(**presets.CLASSIFICATION, neighbors=neighbors).fit(features.support, features.y)
    rows = np.sort(np.random.default_rng(1).choice(m, min(CHECKED, m), replace=False))
    cpu, wall = [], []
    result = None
    with peak() as memory:
        for _ in range(repeats):
            result = None  # the last answer must not count as memory of this one
            with neighbours_seen(rows) as seen, warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                result, seconds, elapsed = timed(lambda: fitted.infer(features.queries))
            cpu.append(seconds)
            wall.append(elapsed)
    return {
        "m": m,
        "cpu": min(cpu),
        "wall": min(wall),
        "repeats": repeats,
        "memory_mb": memory.added / 1e6,
        "inputs_and_before_mb": memory.before / 1e6,
        "memory_exact": memory.exact,
        "recall_reported": min(result.recall),
        "recall_checked": _recall(fitted, features, rows, seen),
        "edges": int(result.graph.nnz),
        "accuracy": float((result.proba.argmax(axis=1) == features.truth).mean()),
        "recall_refused": _refused([str(warning.message) for warning in said]),
        "warnings": [str(warning.message) for warning in said],
    }


def some_rows(distribution: str, m: int, d: int, blocks: int) -> dict[str, Any]:
    """Seconds of the exact search for a few blocks of rows against all m queries, one readout, all cores."""
    features = batch(distribution, N, m, C, d, readouts=1)
    readout = Bideta().fit(features.support, features.y).sensor_.readouts[0]
    Q = features.queries[0]
    for start in range(0, m, ROWS):  # in place: a million queries are there once
        Q[start : start + ROWS] = project(readout, Q[start : start + ROWS])
    first = np.linspace(0, m - BLOCK_ROWS, blocks).astype(np.intp)
    queries = (first[:, None] + np.arange(BLOCK_ROWS)).ravel()
    with peak() as memory:
        _, cpu, wall = timed(lambda: nearest_of(Q, queries, K))
    share = len(queries) / m
    return {
        "m": m,
        "share": share,
        "cpu": cpu,
        "wall": wall,
        "all_rows_two_readouts_cpu": 2 * cpu / share,
        "all_rows_two_readouts_wall": 2 * wall / share,
        "memory_mb": memory.added / 1e6,
    }


def on_ray(m: int, d: int, n_jobs: int) -> dict[str, Any]:
    """The exact search in this process and on Ray workers: seconds of each and the difference of the answers."""
    import ray

    features = batch("whitened", N, m, C, d)
    local = Bideta(**presets.CLASSIFICATION).fit(features.support, features.y)
    shared = Bideta(**presets.CLASSIFICATION, n_jobs=n_jobs).fit(features.support, features.y)
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}
    _, _, start = timed(lambda: ray.init(num_cpus=n_jobs, **quiet))
    try:
        shared.infer(tuple(H[: 2 * K] for H in features.queries))  # the workers import what they need
        there, _, remote = timed(lambda: shared.infer(features.queries))
    finally:
        ray.shutdown()
    here, _, inside = timed(lambda: local.infer(features.queries))
    return {
        "m": m,
        "n_jobs": n_jobs,
        "start_wall": start,
        "ray_wall": remote,
        "local_wall": inside,
        "difference": float(np.abs(there.proba - here.proba).max()),
        "agreement": float((there.proba.argmax(axis=1) == here.proba.argmax(axis=1)).mean()),
        "different_edges": int(abs(there.graph != here.graph).nnz),
    }


def project(readout: AdaptedReadout, H: NDArray[Any]) -> NDArray[np.float64]:
    """Unit-length features of the graph, as Algorithm 1 makes them."""
    return readout.precise_directions(H)


def _recall(
    fitted: Bideta, features: Features, rows: NDArray[np.intp], seen: list[NDArray[np.int32]]
) -> float:
    """Share of the true neighbours among those found, in float64 and without any of the search's code."""
    shares = []
    for readout, H, neighbours in zip(fitted.sensor_.readouts, features.queries, seen, strict=True):
        Q = project(readout, H[rows])
        values, indices = np.empty((len(rows), 0)), np.empty((len(rows), 0), np.intp)
        for start in range(0, len(H), ROWS):
            S = Q @ project(readout, H[start : start + ROWS]).T
            itself = (rows >= start) & (rows < start + ROWS)
            S[itself, rows[itself] - start] = -np.inf
            values = np.hstack([values, S])
            indices = np.hstack([indices, np.broadcast_to(np.arange(start, start + S.shape[1]), S.shape)])
            best = np.argsort(-values, axis=1)[:, : neighbours.shape[1]]
            values, indices = (np.take_along_axis(part, best, axis=1) for part in (values, indices))
        shares.append(np.mean([np.isin(t, f).mean() for t, f in zip(indices, neighbours, strict=True)]))
    return float(min(shares))


def _refused(said: list[str]) -> float | None:
    """Recall of an approximate answer that was thrown away, as its warning says; None where none was."""
    matches = [re.search(r"find only (\d+)%", text) for text in said]
    return min((int(match[1]) / 100 for match in matches if match), default=None)


def _compile() -> None:
    """Let pynndescent compile itself on a small batch: a minute that is paid once, not per batch."""
    Q = unit_rows(batch("clustered", 2, 2000, 2, 64, readouts=1).queries[0])
    approximate(Directions(Q), K)
