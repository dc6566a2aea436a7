"""What adaptation costs: seconds to adapt, and queries answered per second with the encoder included.

Cells run alone on one thread. What belongs to the source sensor (its linear head) is learned before the clock
starts, as is the import of torch. The encoder is timed on real queries of the target.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bideta.plugins import find, load_method
from bideta.protocol.experiments import Cell, Outcome, Scope
from bideta.protocol.experiments._scoring import CLASSIFIERS, RANKERS, digest, fit, method_settings
from bideta.protocol.supply import Bench

PICTURES = 256  # queries whose encoding is timed
REPEATS = 3  # the fastest counts, as other work can only slow a run down
LONG = 2.0  # seconds: what takes longer is timed once


@dataclass(frozen=True)
class Cost:
    """Table "costcomparison": 10 % support on SITR and TacVerse, 30 % on TacQuad."""

    name: str = "cost"
    title: str = "seconds to adapt and queries per second"
    exclusive: bool = True
    roles: tuple[str, ...] = ("sitr", "tacverse", "tacquad")
    rivals: tuple[str, ...] = ("lda", "em-lda")

    def cells(self, scope: Scope) -> list[Cell]:
        """Every dataset, encoder, method and seed, on the first target that is no development sensor."""
        return [
            Cell(self.name, dataset, encoder, target, method, budget=budget, seed=seed)
            for dataset, info in scope.present(*self.roles)
            for encoder in scope.encoders
            for target in scope.pick_targets(info, [s for s in info.targets if s not in info.development])[:1]
            for method in scope.pick_methods(
                (*(RANKERS if info.task == "ranking" else CLASSIFIERS), *self.rivals)
            )
            for budget in scope.pick_budgets(info.budgets)[-1:]
            for seed in scope.seeds
        ]

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """Times in seconds, queries per second."""
        settings = method_settings(cell.method, bench.info(cell.dataset).task, cell.seed, bench.quick)
        data = bench.episode(cell)
        if find("method", cell.method).INFO.needs_torch:
            import torch  # noqa: F401 (loaded before the clock starts)
        if "source head" not in (kept := bench.memory.setdefault((cell.dataset, cell.encoder), {})):
            source = data.source.views, data.source.labels
            kept["source head"] = load_method("frozen").fit(*source, source=source)
        adapt, adapted = fastest(lambda: fit(cell.method, settings, data))
        answer, proba = fastest(lambda: adapted.predict_proba(data.query.views))
        encode = encode_seconds(cell, bench)
        m = len(data.query)
        return Outcome(
            values={
                "adapt_seconds": adapt,
                "queries_per_second": 1 / (encode + answer / m),
                "encode_seconds": encode,  # per query
                "answer_seconds": answer / m,  # per query, of m asked at once
                "queries": float(m),
            },
            settings=settings,
            digest=digest(np.argmax(proba, axis=1)),
        )


def encode_seconds(cell: Cell, bench: Bench) -> float:
    """Time to encode one query of the target, measured once per process on up to 256 of them."""
    key = "encode", cell.dataset, cell.encoder, cell.target
    if key not in bench.memory:
        frames = bench.frames(cell.dataset, cell.target, bench.info(cell.dataset).splits[-1])
        rows = np.linspace(0, len(frames) - 1, min(PICTURES, len(frames))).round().astype(np.int64)
        images = [np.asarray(frames.images[row : row + 1])[0] for row in rows]  # reading is not encoding
        previous = None
        if bench.encoders[cell.encoder].info.channels > 3 and frames.previous is not None:
            previous = [np.asarray(frames.previous[row : row + 1])[0] for row in rows]
        encoder = bench.encoders[cell.encoder]
        encoder.encode(images[:8], None if previous is None else previous[:8])  # loads and warms up
        seconds, _ = fastest(lambda: encoder.encode(images, previous))
        bench.memory[key] = seconds / len(rows)
    return float(bench.memory[key])


def fastest(work: Callable[[], Any]) -> tuple[float, Any]:
    """Least time of a few runs, and the last result."""
    best = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
        if best > LONG:
            break
    return float(best), result


EXPERIMENT = Cost()
