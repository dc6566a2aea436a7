"""Cells of real sets → records: readouts are computed once and kept, a run goes on where it stopped."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.baselines import NotAvailableError
from bideta.deploy.trust.leak import Leak, leak
from bideta.encoders import Encoder, Readouts
from bideta.extensions.presses import pool_presses
from bideta.protocol import records
from bideta.protocol.compute import failure
from bideta.protocol.experiment import Cell
from bideta.protocol.readout_cache import read_or_encode
from bideta.protocol.real import batches, methods
from bideta.protocol.real.cells import LEAK, find_split
from bideta.protocol.real.sets import RealSet
from bideta.protocol.real.splits import draw_labelled
from bideta.protocol.records import Record
from bideta.protocol.stamp import commit, versions
from bideta.service.plugins import load_plugin

Done = Callable[[Record], None]


class Readings:
    """Readouts of sets by encoder; ``a+b`` are the readouts of both side by side."""

    def __init__(self, sets: Mapping[str, RealSet], cache: Path | None, say: Callable[[str], None]) -> None:
        self.sets, self.cache, self.say = sets, cache, say
        self.encoder = lru_cache(maxsize=None)(self._encoder)
        self.of = lru_cache(maxsize=8)(self._of)
        self.leak = lru_cache(maxsize=None)(self._leak)

    def _encoder(self, name: str) -> Encoder:
        loaded: Encoder = load_plugin("encoder", name, {})
        return loaded

    def _of(self, name: str, recording: str, minus_untouched: bool) -> Readouts:
        frames = self.sets[recording].frames(minus_untouched)
        title = f"{recording}{' minus untouched' if minus_untouched else ''}"
        return self._read(name, frames, title)

    def _leak(self, name: str, recording: str) -> Leak | None:
        frames = self.sets[recording].backgrounds()
        if frames is None:
            return None
        return leak(self._read(name, frames, f"{recording} backgrounds"), frames.labels)

    def _read(self, name: str, frames: Any, title: str) -> Readouts:
        parts: list[NDArray[np.float32]] = []
        for part in name.split("+"):
            self.say(f"{title}, {part}")
            parts += read_or_encode(self.encoder(part), frames, self.cache, title=title)
        return tuple(parts)


def run(
    cells: Sequence[Cell],
    sets: Mapping[str, RealSet],
    folder: Path,
    cache: Path,
    done: Done,
    say: Callable[[str], None] = lambda line: None,
) -> None:
    """One record per cell in the folder's log; an error becomes part of its record."""
    readings = Readings(sets, cache, say)
    facts = {"versions": versions(), "commit": commit()}
    with records.Writer(folder) as log:
        for cell in cells:
            record = measure(cell, readings, facts)
            log.add([record])
            done(record)


def measure(cell: Cell, readings: Readings, facts: dict[str, Any]) -> Record:
    """The record of one cell, whatever happens in it."""
    start = time.perf_counter()
    try:
        values = (
            leak_values(readings.leak(cell.encoder, cell.dataset))
            if cell.target == LEAK
            else accuracies(cell, readings)
        )
        settings = methods.settings_of(cell.method)
        seconds = round(time.perf_counter() - start, 6)
        record = Record(cell, "ok", values, settings=settings, seconds=seconds, **facts)
        record.line()
    except NotAvailableError as error:
        record = Record(cell, "unavailable", error=str(error), **facts)
    except Exception as error:  # noqa: BLE001 (recorded, and the exit code says so)
        record = failure(cell, error, facts)
    return record


def leak_values(measured: Leak | None) -> dict[str, float]:
    """What a record keeps of a leak."""
    if measured is None:
        raise NotAvailableError("no background frames of two presses in two classes")
    return {
        "accuracy": measured.accuracy,
        "late": measured.late,
        "chance": measured.chance,
        "bound": measured.bound,
        "presses": measured.presses,
    }


def accuracies(cell: Cell, readings: Readings) -> dict[str, float]:
    """Accuracy per frame and per press; the leak of the asked set stands beside them."""
    split = find_split(cell, readings.sets)
    taught, asked = split.taught, split.asked
    known = readings.of(cell.encoder, taught.name, split.minus_untouched)
    queries = readings.of(cell.encoder, asked.name, split.minus_untouched)
    # The same contacts whatever the encoder, method and number of labels: differences are paired.
    seed = cell.seed, zlib.crc32(f"{cell.dataset}/{cell.target}".encode())
    pool, rows = split.pools(cell.seed)
    n = int(cell.budget.removesuffix("-shot"))
    support = draw_labelled(taught, pool, n, np.random.default_rng(seed)) if n else pool
    adapted = methods.adapt(
        cell.method, tuple(H[support] for H in known), taught.labels[support], taught.presses[support]
    )
    rng = np.random.default_rng((*seed, zlib.crc32(cell.variant.encode())))
    frames: list[NDArray[np.bool_]] = []
    presses: list[NDArray[np.bool_]] = []
    for batch in batches.draw_batches(cell.variant, asked.labels[rows], asked.presses[rows], rng):
        chosen = rows[batch]
        H = tuple(Q[chosen] for Q in queries)
        in_turn = cell.variant == batches.ONE_AT_A_TIME
        P = methods.answer_in_turn(adapted, H) if in_turn else adapted.predict_proba(H)
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
        "labelled": float(len(support)),
    }
    measured = None if split.minus_untouched else readings.leak(cell.encoder, asked.name)
    return values if measured is None else {**values, "leak": measured.accuracy, "chance": measured.chance}
