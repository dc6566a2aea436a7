"""What adaptation costs: seconds to adapt, and queries answered per second with the encoder included.

Table "costcomparison": 10 % support on SITR and TacVerse, 30 % on TacQuad.

Cells run alone on one thread, on every target and seed, for the methods that the paper's table lists. The clock starts
at the labelled readouts of the target: what belongs to the source sensor (checking and copying its contacts, its linear
head, its units) is done before it starts, for every method alike, and so is the import of torch. A trained head is
begun once (one epoch) for the same reason. The encoder is timed on real queries of the target.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bideta.datasets import DatasetInfo
from bideta.plugins import find
from bideta.protocol.experiment import Cell, Experiment, Outcome, Question, Scope
from bideta.protocol.experiments._methods import CLASSIFIERS, RANKERS, method_settings
from bideta.protocol.experiments._scoring import digest, fit, notes
from bideta.protocol.supply import Supply

PICTURES = 256  # queries whose encoding is timed
REPEATS = 3  # the fastest counts, as other work can only slow a run down
LONG = 2.0  # seconds: what takes longer is timed once


def questions(scope: Scope, info: DatasetInfo) -> list[Question]:
    """Every method at the largest budget."""
    methods = scope.pick_methods(RANKERS if info.task == "ranking" else CLASSIFIERS)
    return [(method, "", budget) for method in methods for budget in scope.pick_budgets(info.budgets)[-1:]]


def answer(cell: Cell, supply: Supply) -> Outcome:
    """Times in seconds, queries per second."""
    settings = method_settings(cell.method, supply.info(cell.dataset).task, cell.seed, supply.quick)
    episode = supply.episode(cell)
    trained = find("method", cell.method).INFO.needs_torch
    fit(cell.method, {**settings, "epochs": 1} if trained else settings, episode)
    adapt, adapted = fastest(lambda: fit(cell.method, settings, episode))
    answering, proba = fastest(lambda: adapted.predict_proba(episode.query.readouts))
    encode = encode_seconds(cell, supply)
    m = len(episode.query)
    return Outcome(
        values={
            "adapt_seconds": adapt,
            "queries_per_second": 1 / (encode + answering / m),
            "encode_seconds": encode,  # per query
            "answer_seconds": answering / m,  # per query, of m asked at once
            "queries": float(m),
            **episode.shares,
            **notes(adapted),
        },
        settings=settings,
        digest=digest(np.argmax(proba, axis=1)),
    )


def encode_seconds(cell: Cell, supply: Supply) -> float:
    """Time to encode one query of the target, measured once per process on up to 256 of them."""
    key = "encode", cell.dataset, cell.encoder, cell.target
    if key not in supply.kept:
        frames = supply.frames(cell.dataset, cell.target, supply.info(cell.dataset).splits[-1])
        rows = np.linspace(0, len(frames) - 1, min(PICTURES, len(frames))).round().astype(np.int64)
        images = [np.asarray(frames.images[row : row + 1])[0] for row in rows]  # reading is not encoding
        encoder, previous = supply.encoder(cell.dataset, cell.encoder), None
        if encoder.info.channels > 3 and frames.previous is not None:
            previous = [np.asarray(frames.previous[row : row + 1])[0] for row in rows]
        encoder.encode(images[:8], None if previous is None else previous[:8])  # loads and warms up
        seconds, _ = fastest(lambda: encoder.encode(images, previous))
        supply.kept[key] = seconds / len(rows)
    return float(supply.kept[key])


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


EXPERIMENT = Experiment(
    name="cost",
    roles=("sitr", "tacverse", "tacquad"),
    questions=questions,
    answer=answer,
    alone=True,
)
