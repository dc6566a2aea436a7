"""One cell's question: a method is taught by the labelled contacts of a draw, and asked about batches of others."""

from __future__ import annotations

import zlib
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.baselines import NotAvailableError
from bideta.extensions.presses import pool_presses
from bideta.protocol.experiment import Cell
from bideta.protocol.real import batches, methods
from bideta.protocol.real.cells import find_split
from bideta.protocol.real.readings import Readings
from bideta.protocol.real.splits import Split, draw_labelled


def accuracies(cell: Cell, readings: Readings) -> dict[str, float]:
    """Accuracy per frame and per press; the leak of the asked set stands beside them."""
    split = find_split(cell, readings.sets)
    asked, rows = split.asked, split.pools(cell.seed)[1]
    queries = readings.of(cell.encoder, asked.name, split.minus_untouched)
    adapted, labelled = teach(readings, replace(cell, variant=""))
    rng = np.random.default_rng((*_seed(cell, split), zlib.crc32(cell.variant.encode())))
    frames: list[NDArray[np.bool_]] = []
    presses: list[NDArray[np.bool_]] = []
    for batch in batches.draw_batches(cell.variant, asked.labels[rows], asked.presses[rows], rng):
        chosen = rows[batch]
        H = tuple(Q[chosen] for Q in queries)
        if cell.variant == batches.ONE_AT_A_TIME:
            P = methods.answer_in_turn(cell.method, adapted, H)
        else:
            P = adapted.predict_proba(H)
        classes = np.asarray(adapted.classes_)
        truth = asked.labels[chosen]
        frames.append(classes[P.argmax(axis=1)] == truth)
        first, pooled = pool_presses(P, asked.presses[chosen])
        presses.append(classes[pooled.argmax(axis=1)] == truth[first])
    if not frames:
        raise NotAvailableError("too few queries for a batch of this size")
    values = {
        "accuracy": float(np.concatenate(frames).mean()),
        "by_press": float(np.concatenate(presses).mean()),
        "queries": float(np.mean([len(part) for part in frames])),
        "labelled": float(labelled),
    }
    measured = None if split.minus_untouched else readings.leak(cell.encoder, asked.name)
    return values if measured is None else {**values, "leak": measured.accuracy, "chance": measured.chance}


@lru_cache(maxsize=1)  # cells that differ in their batch alone follow each other
def teach(readings: Readings, cell: Cell) -> tuple[Any, int]:
    """The method of a cell, taught, and by how many labelled contacts."""
    split = find_split(cell, readings.sets)
    unchanged = cell.method == methods.SOURCE
    taught = split.taught if unchanged else split.labelled
    if unchanged:
        rows = np.arange(len(taught.labels))
    else:
        # The same contacts whatever the encoder, method and number of labels: differences are paired.
        rng = np.random.default_rng(_seed(cell, split))
        n = int(cell.budget.removesuffix("-shot"))
        rows = draw_labelled(taught, split.pools(cell.seed)[0], n, rng)
    known = readings.of(cell.encoder, taught.name, split.minus_untouched)
    source = readings.source(cell.encoder, split.taught.name) if split.source and not unchanged else None
    readouts = tuple(H[rows] for H in known)
    adapted = methods.adapt(cell.method, readouts, taught.labels[rows], taught.presses[rows], source)
    return adapted, len(rows)


def _seed(cell: Cell, split: Split) -> tuple[int, int]:
    return cell.seed, zlib.crc32(f"{cell.dataset}/{split.drawn_as}".encode())
