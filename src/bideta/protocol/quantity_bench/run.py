"""Cells of quantities and of slip → records: readouts are computed once and kept."""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bideta.encoders import Encoder, Readouts
from bideta.protocol import records
from bideta.protocol.compute import failure
from bideta.protocol.experiment import Cell
from bideta.protocol.quantity_bench import cost, rivals, slip
from bideta.protocol.quantity_bench.cells import COST, SLIP, Request
from bideta.protocol.quantity_bench.sets import TWIN, QuantitySet, read_recorded, recorded, twin
from bideta.protocol.quantity_metrics import errors, measure
from bideta.protocol.readout_cache import read_or_encode
from bideta.protocol.records import Record
from bideta.protocol.stamp import commit, versions
from bideta.quantities.targets import parse_column
from bideta.quantity_sensor import QuantitySensor
from bideta.service.plugins import load_plugin

COVERAGES = (0.8, 0.9)
FARTHEST = 200  # pairs of truth and answer that a record keeps for the picture


class Readings:
    """Sets and their readouts; the last ones are kept."""

    def __init__(self, request: Request, cache: Path | None, say: Callable[[str], None]) -> None:
        self.request, self.cache, self.say = request, cache, say
        self.encoder = lru_cache(maxsize=None)(self._encoder)
        self.set = lru_cache(maxsize=4)(self._set)
        self.readouts = lru_cache(maxsize=4)(self._readouts)
        self.pairs = lru_cache(maxsize=1)(self._pairs)
        self.pair_readouts = lru_cache(maxsize=len(slip.INPUTS))(self._pair_readouts)

    def _encoder(self, name: str) -> Encoder:
        loaded: Encoder = load_plugin("encoder", name, {})
        return loaded

    def _set(self, dataset: str, sensor: str) -> QuantitySet:
        if dataset == TWIN:
            return twin(sensor, self.request.quick)
        if self.request.root is None:
            raise ValueError(f"{dataset} is a recorded set; name its folder with --root")
        folders = recorded(self.request.root)
        name = f"{dataset}/{sensor}" if f"{dataset}/{sensor}" in folders else dataset
        return read_recorded(name, folders[name])

    def _readouts(self, encoder: str, dataset: str, sensor: str) -> Readouts:
        parts: list[Any] = []
        for part in encoder.split("+"):
            self.say(f"{dataset} {sensor}, {part}")
            frames = self.set(dataset, sensor).frames
            parts += read_or_encode(self.encoder(part), frames, self.cache, title=f"{dataset} {sensor}")
        return tuple(parts)

    def _pairs(self, sensor: str) -> slip.SlipSet:
        return slip.SlipSet(sensor, self.request.quick)

    def _pair_readouts(self, encoder: str, sensor: str, what: str) -> Readouts:
        return self.pairs(sensor).readouts(self.encoder(encoder), what)


def run(
    cells: Sequence[Cell],
    request: Request,
    folder: Path,
    cache: Path,
    done: Callable[[Record], None],
    say: Callable[[str], None] = lambda line: None,
) -> None:
    """One record per cell in the folder's log; an error becomes part of its record."""
    readings = Readings(request, cache, say)
    facts: dict[str, Any] = {"versions": versions(), "commit": commit()}
    with records.Writer(folder) as log:
        for cell in cells:
            start = time.perf_counter()
            try:
                values, arrays = ask(cell, readings)
                record = Record(
                    cell,
                    "ok",
                    values,
                    arrays,
                    seconds=round(time.perf_counter() - start, 6),
                    simulated=cell.dataset == TWIN,
                    **facts,
                )
                record.line()
            except Exception as error:  # noqa: BLE001 (recorded, and the exit code says so)
                record = failure(cell, error, facts)
            log.add([record])
            done(record)


def ask(cell: Cell, readings: Readings) -> tuple[dict[str, float], dict[str, list[Any]]]:
    """Values and arrays of one cell."""
    if cell.experiment == COST:
        n, m, V = (int(number) for number in re.findall(r"[0-9]+", cell.variant))
        return cost.measure(n, m, V), {}
    if cell.experiment == SLIP:
        readouts = readings.pair_readouts(cell.encoder, cell.target, cell.variant)
        pairs = readings.pairs(cell.target)
        return slip.accuracy(pairs, readouts, cell.method, int(cell.budget), cell.seed), {}
    return quantities(cell, readings.set(cell.dataset, cell.target), readings)


def quantities(
    cell: Cell, contacts: QuantitySet, readings: Readings
) -> tuple[dict[str, float], dict[str, list[Any]]]:
    """Errors of every target; for ours also coverage and width of the intervals, and how many look foreign."""
    n = int(cell.budget)
    if n > len(contacts.pool):
        raise ValueError(f"{n} labels of {len(contacts.pool)} contacts")
    H = readings.readouts(cell.encoder, cell.dataset, cell.target)
    rng = np.random.default_rng((cell.seed, zlib.crc32(f"{cell.dataset}/{cell.target}".encode())))
    rows = rng.permutation(contacts.pool)[:n]  # the same for all methods; 5 of 10 of 20 …
    support, queries = (tuple(np.asarray(h[part]) for h in H) for part in (rows, contacts.queries))
    Y, truth = contacts.values[rows], contacts.values[contacts.queries]
    targets = [parse_column(column) for column in contacts.columns]
    values: dict[str, float] = {}
    arrays: dict[str, list[Any]] = {}
    if cell.method == rivals.OURS:
        sensor = QuantitySensor.adapt(targets, support, Y, np.arange(n))
        result = sensor.infer(queries)
        answers = result.value
        values["foreign"] = float(result.foreign.mean())
        for coverage in COVERAGES:
            found = measure(sensor.infer(queries, coverage), truth)
            for column, one in zip(contacts.columns, found, strict=True):
                values[f"{column} covered {coverage:g}"] = one["covered"]
                values[f"{column} width {coverage:g}"] = one["width"]
            values[f"covered {coverage:g}"] = float(np.mean([one["covered"] for one in found]))
        if cell.seed == 0:
            some = slice(0, FARTHEST)
            arrays = {
                "truth": np.round(truth[some], 4).tolist(),
                "value": np.round(answers[some], 4).tolist(),
            }
    else:
        answers = rivals.answer(cell.method, support, Y, queries)
    for t, target in enumerate(targets):
        for name, value in errors(answers[:, t], truth[:, t], target).items():
            values[f"{target.column} {name}"] = value
    values["normalised"] = float(np.mean([values[f"{one.column} normalised"] for one in targets]))
    arrays["targets"] = list(contacts.columns)
    return values, arrays
