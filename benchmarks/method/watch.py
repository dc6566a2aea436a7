"""Time of each stage, taken by wrapping the method's functions while it runs; its code stays as it is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import process_time
from typing import Any
from unittest import mock

import numpy as np
from bideta.method.projection import Projection
from numpy.typing import NDArray

from bideta import search
from bideta.method import algorithm, gate, graph, memory, recurrence, spectrum
from bideta.method.readout import Standardizer
from bideta.neighbors.search import Neighbors

# Where Algorithm 1 looks each function up → the stage that it belongs to.
WRAPPED: tuple[tuple[Any, str, str], ...] = (
    (algorithm, "standardize", "standardise"),
    (Standardizer, "__call__", "standardise"),
    (Projection, "centered", "standardise"),
    (algorithm, "class_means", "decomposition"),
    (algorithm, "within_class", "decomposition"),
    (memory, "fit_memory", "memory"),
    (Projection, "scores", "memory"),
    (memory, "posterior", "memory"),
    (memory, "fuse", "memory"),
    (spectrum, "transform", "transform"),
    (algorithm, "fold", "transform"),
    (Projection, "unit_rows", "transform"),
    (graph, "unit_rows", "transform"),
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

    choose = search.choose
    with ExitStack() as stack:
        for owner, name, stage in WRAPPED:
            stack.enter_context(mock.patch.object(owner, name, wrapped(getattr(owner, name), stage)))
        stack.enter_context(
            mock.patch.object(search, "choose", lambda *which: wrapped(choose(*which), "neighbours"))
        )
        yield stages


@contextmanager
def neighbours_seen(rows: NDArray[np.intp]) -> Iterator[list[NDArray[np.int32]]]:
    """What ``Bideta`` finds inside for some of the queries: (rows, k) indices, one entry for each readout."""
    seen: list[NDArray[np.int32]] = []
    choose = search.choose

    def chosen(*which: Any) -> Callable[..., Neighbors]:
        find = choose(*which)

        def remembered(*args: Any) -> Neighbors:
            neighbours = find(*args)
            seen.append(neighbours.indices[rows])
            return neighbours

        return remembered

    with mock.patch.object(search, "choose", chosen):
        yield seen
