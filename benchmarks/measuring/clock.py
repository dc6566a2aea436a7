"""CPU and wall seconds, minimum of several; contestants take turns so that a slow minute hits both."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any


def timed(function: Callable[[], Any]) -> tuple[Any, float, float]:
    """(what the function returns, CPU seconds of all threads, wall seconds)."""
    cpu, wall = process_time(), perf_counter()
    answer = function()
    return answer, process_time() - cpu, perf_counter() - wall


def in_turns(contestants: dict[str, tuple[Callable[[], Any], int]]) -> dict[str, dict[str, Any]]:
    """{name: {"cpu": minimum, "wall": minimum, "repeats": …}}; each contestant runs its number of times."""
    cpu: dict[str, list[float]] = {name: [] for name in contestants}
    wall: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(max(repeats for _, repeats in contestants.values())):
        for name, (function, repeats) in contestants.items():
            if turn < repeats:
                _, seconds, elapsed = timed(function)
                cpu[name].append(seconds)
                wall[name].append(elapsed)
    return {
        name: {"cpu": min(cpu[name]), "wall": min(wall[name]), "repeats": len(cpu[name])}
        for name in contestants
    }


def fastest(function: Callable[[], Any], repeats: int) -> dict[str, Any]:
    """{"cpu": minimum, "wall": minimum, "repeats": …} of one function."""
    return in_turns({"it": (function, repeats)})["it"]


def repeats_for(seconds: float, budget: float, most: int) -> int:
    """How often something that takes ``seconds`` is repeated within a budget: at least once."""
    return max(1, min(most, int(budget / max(seconds, 1e-9))))
