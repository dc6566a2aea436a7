"""Time of each stage, taken by wrapping the method's functions while it runs; its code stays as it is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import process_time
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from bideta import sensor
from bideta.method import gate, graph, memory, readout, recurrence
from bideta.method.graph import Neighbors
from bideta.method.readout import AdaptedReadout

# Where the method looks each function up → the stage that it belongs to.
WRAPPED: tuple[tuple[Any, str, str], ...] = (
    (readout, "standardize", "standardise"),
    (readout, "class_means", "decomposition"),
    (readout, "within_class", "decomposition"),
    (memory, "fit_memory", "memory"),
    (AdaptedReadout, "scores", "memory"),
    (memory, "posterior", "memory"),
    (memory, "fuse", "memory"),
    (AdaptedReadout, "_fold", "transform"),
    (AdaptedReadout, "directions", "transform"),
    (sensor, "nearest", "neighbours"),
    (graph, "directed", "graph"),
    (graph, "symmetrize", "graph"),
    (graph, "consensus", "graph"),
    (gate, "ambiguity", "gate"),
    (gate, "disagreement", "gate"),
    (gate, "recurrence_weight", "gate"),
    (recurrence, "recur", "recurrence"),
)


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """CPU seconds by stage of what runs inside; a wrapped function inside another counts for the outer one."""
    stages: dict[str, float] = {}
    depth = 0

    def wrapped(function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            nonlocal depth
            if depth:
                return function(*args, **kwargs)
            depth, start = 1, process_time()
            try:
                return function(*args, **kwargs)
            finally:
                depth = 0
                stages[stage] = stages.get(stage, 0.0) + process_time() - start

        return timed

    with ExitStack() as stack:
        for owner, name, stage in WRAPPED:
            stack.enter_context(mock.patch.object(owner, name, wrapped(getattr(owner, name), stage)))
        yield stages


@contextmanager
def neighbours_seen(rows: NDArray[np.intp]) -> Iterator[list[NDArray[np.int32]]]:
    """What ``Bideta`` finds inside for some of the queries: (rows, k) indices, one entry for each readout."""
    seen: list[NDArray[np.int32]] = []
    nearest = sensor.nearest

    def remembered(*args: Any, **settings: Any) -> Neighbors:
        neighbours = nearest(*args, **settings)
        seen.append(neighbours.indices[rows])
        return neighbours

    with mock.patch.object(sensor, "nearest", remembered):
        yield seen
