"""Section "stages": where the time goes, and how near the neighbour stage is to this machine's GEMM rate."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measuring.clock import fastest, timed
from benchmarks.measuring.features import batch
from benchmarks.measuring.task import Task
from benchmarks.method import calls, shapes
from benchmarks.method.composition import composition
from benchmarks.method.watch import watched
from bideta import Bideta
from bideta.method.readout import Directions, unit_rows
from bideta.neighbors.blocked import BLOCK_COLUMNS, BLOCK_ROWS
from bideta.neighbors.search import nearest

STAGES = (
    "standardise",
    "decomposition",
    "memory",
    "transform",
    "neighbours",
    "graph",
    "gate",
    "recurrence",
    "other",
)
# The composition's names, where they differ.
RENAMED = {"Ledoit-Wolf": "decomposition", "eigendecomposition": "decomposition"}
SQUARE = 3072  # size of the product that measures the GEMM rate: far beyond the caches, half a second
D, K = 384, 40


def tasks(*, quick: bool = False, complete: bool = False) -> list[Task]:
    """Stage times of three shapes, then the neighbour stage alone at growing sizes."""
    listed = []
    table = shapes.QUICK if quick else shapes.SHAPES
    for name in table:
        arguments = {"shape": asdict(table[name]), "repeats": (2, 2) if quick else (7, 4)}
        arguments["square"] = 256 if quick else SQUARE
        listed.append(Task(name, stage_times, arguments, 1 if quick else 14))
    for m, repeats in ((500, 2), (1000, 2)) if quick else ((3_200, 7), (10_000, 5), (30_000, 3)):
        arguments = {"m": m, "d": 64 if quick else D, "repeats": repeats, "square": 256 if quick else SQUARE}
        expected = 1 if quick else 4 + repeats * (m / 10_000) ** 2
        listed.append(Task(f"neighbours of {m:,}", neighbour_rate, arguments, expected))
    return listed


def gemm_rate(dtype: str, square: int, repeats: int = 3) -> float:
    """Floating-point operations a CPU second of a large square product, the best of a few."""
    A = np.random.default_rng(0).standard_normal((square, square), dtype=np.dtype(dtype).type)
    B, product = A.copy(), np.empty_like(A)
    return 2 * square**3 / fastest(lambda: np.matmul(A, B, out=product), repeats)["cpu"]


def stage_times(shape: dict[str, Any], repeats: tuple[int, int], square: int) -> dict[str, Any]:
    """CPU seconds of every stage, ours and the composition's, one thread, float32; and the arithmetic needed."""
    features, preset = shapes.draw(shape, "float32")
    letters = {letter: preset[name] for letter, name in shapes.LETTERS.items()}
    with threadpool_limits(1):
        rates = {dtype: gemm_rate(dtype, square) for dtype in ("float32", "float64")}
        runs: dict[str, list[dict[str, float]]] = {"ours": [], "composition": []}
        for turn in range(max(repeats)):
            if turn < repeats[0]:
                with watched() as stages:
                    _, cpu, _ = timed(lambda: shapes.ours(features, preset))
                runs["ours"].append({**stages, "other": cpu - sum(stages.values()), "total": cpu})
            if turn < repeats[1]:
                (_, watch), cpu, _ = timed(
                    lambda: composition(features.support, features.y, features.queries, **letters)
                )
                runs["composition"].append({**_renamed(watch.cpu), "total": cpu})
        alone = calls.times(features, repeats[0])
    fitted = Bideta(**preset).fit(features.support, features.y)
    ranks = [readout.covariance.vectors.shape[1] for readout in fitted.sensor_.readouts]
    work = minimal_work(shape["n"], shape["m"], shape["C"], shape["dims"], ranks)
    return {
        name: {stage: min(run.get(stage, 0.0) for run in listed) for stage in (*STAGES, "total")}
        for name, listed in runs.items()
    } | {"calls": alone, "rates": rates, "work": work, "repeats": list(repeats)}


def minimal_work(n: int, m: int, C: int, dims: tuple[int, ...], ranks: list[int]) -> dict[str, float]:
    """Floating-point operations that the stages cannot do without, a multiply-add counting as two.

    Symmetric products count half. An eigendecomposition of order q counts 4q³/3 for the reduction and 2q³ for
    the vectors. Graph, gate and recurrence touch a few numbers per edge and are left out, as is every pass over
    memory.
    """
    work = dict.fromkeys(("decomposition", "memory", "transform", "neighbours"), 0.0)
    for d, r in zip(dims, ranks, strict=True):
        q = min(max(n - C, 1), d)
        lift = (
            2 * d * r * q if n - C < d else 0
        )  # from the small Gram matrix's vectors to those of d features
        work["decomposition"] += q * q * max(n - C, d) + 10 * q**3 / 3 + lift
        work["memory"] += 2 * m * d * C
        work["transform"] += 2 * m * d * (d if r == d else 2 * r)
        work["neighbours"] += m * m * d
    return work


def neighbour_rate(m: int, d: int, repeats: int, square: int) -> dict[str, Any]:
    """Seconds of the exact neighbour stage, one thread, float32, beside the GEMM rate of the same minute."""
    Q = unit_rows(batch("whitened", 2, m, 2, d, readouts=1).queries[0])
    block = np.empty((BLOCK_ROWS, BLOCK_COLUMNS), np.float32)
    left, right = Q[:BLOCK_ROWS], np.resize(Q, (BLOCK_COLUMNS, d))
    block = block[: len(left)]
    with threadpool_limits(1):
        before = gemm_rate("float32", square)
        times = fastest(lambda: nearest(Directions(Q), K), repeats)
        shaped = fastest(lambda: np.matmul(left, right.T, out=block), 20)["cpu"]
        rate = max(before, gemm_rate("float32", square))
    return {
        **times,
        "m": m,
        "rate": rate,
        "rate_in_blocks": 2 * block.size * d / shaped,
        "whole_matrix": 2 * m * m * d / times["cpu"] / rate,
        "multiplied": m * m * d / times["cpu"] / rate,
    }


def _renamed(stages: dict[str, float]) -> dict[str, float]:
    total: dict[str, float] = {}
    for name, seconds in stages.items():
        name = RENAMED.get(name, name)
        total[name] = total.get(name, 0.0) + seconds
    return total
