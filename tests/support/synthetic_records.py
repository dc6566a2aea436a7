"""Plausible records of a whole run, without running anything."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from functools import cache

import numpy as np

from bideta.presets import ABLATIONS
from bideta.protocol.experiment import Cell
from bideta.protocol.experiments import sensitivity_sitr, sensitivity_tacquad
from bideta.protocol.records import Record, Writer
from bideta.report.wording import dataset_info

PAPER = (
    "frozen",
    "tip-adapter",
    "simpleshot",
    "laplacianshot",
    "sitr-calib",
    "anytouch-match",
    "ctsrl-csm",
    "bideta",
)
RANKERS = tuple("sitr-support" if name == "sitr-calib" else name for name in PAPER)
LEVEL = {
    "frozen": 0.08,
    "tip-adapter": 0.2,
    "simpleshot": 0.4,
    "laplacianshot": 0.41,
    "bideta": 0.7,
    "lda": 0.6,
}
SEEDS = (0, 1, 2)
BUDGETS = {"sitr": ("1%", "5%", "10%"), "tacverse": ("1%", "5%", "10%"), "tacquad": ("10%", "20%", "30%")}


def run(
    *,
    simulated: bool = True,
    extra: Iterable[str] = (),
    seeds: Iterable[int] = SEEDS,
    experiments: Iterable[str] | None = None,
) -> list[Record]:
    """Every cell of the paper's experiments; numbers depend on the cell alone."""
    found = _all(simulated, tuple(extra), tuple(seeds))
    return [record for record in found if experiments is None or record.cell.experiment in experiments]


@cache
def _all(simulated: bool, extra: tuple[str, ...], seeds: tuple[int, ...]) -> tuple[Record, ...]:
    prefix, twin = ("simulated-", "twin-") if simulated else ("", "")
    cells = (
        replace(cell, dataset=prefix + cell.dataset, encoder=twin + cell.encoder)
        for cell in _cells(extra, seeds)
    )
    return tuple(record(cell, simulated) for cell in cells)


def record(cell: Cell, simulated: bool = True, status: str = "ok") -> Record:
    """A record of one cell."""
    facts = {"simulated": simulated, "versions": {"bideta": "0.1.0", "numpy": "2.0"}, "commit": "abc1234"}
    if (cell.dataset.removeprefix("simulated-"), cell.method) == ("tacverse", "sitr-calib"):
        return Record(cell, "unavailable", error="not available: no calibration images", **facts)
    if status != "ok":
        return Record(cell, status, error="ValueError: <script>alert(1)</script> | broken", **facts)
    return Record(
        cell, "ok", values=_values(cell), arrays=_arrays(cell), seconds=0.1, digest="0" * 64, **facts
    )


def write(folder, records: Iterable[Record]) -> None:
    """A folder as ``bideta bench`` leaves it."""
    with Writer(folder) as writer:
        writer.add(records)


def _cells(extra: tuple[str, ...], seeds: tuple[int, ...]) -> Iterator[Cell]:
    for dataset, budgets in BUDGETS.items():
        info = dataset_info(dataset)
        ranking = dataset == "tacquad"
        methods = (*(RANKERS if ranking else PAPER), *extra)
        for encoder in ("tvl", "sparsh"):
            for target in () if ranking else (info.source, *info.targets):
                yield Cell("motivation", dataset, encoder, target, "frozen", "", "0%", seeds[0])
            for seed in seeds:
                for target in info.targets:
                    for method in methods:
                        for budget in ("0%",) if method == "frozen" else budgets:
                            name = "ranking" if ranking else "budgets"
                            yield Cell(name, dataset, encoder, target, method, "", budget, seed)
                        yield Cell("cost", dataset, encoder, target, method, "", budgets[-1], seed)
                        if not ranking and target not in ("Mini_3",):
                            for budget in ("0%",) if method == "frozen" else ("2-shot", "5-shot", "10-shot"):
                                yield Cell("shots", dataset, encoder, target, method, "", budget, seed)
                    if dataset == "sitr":
                        for variant in ABLATIONS:
                            for budget in budgets:
                                yield Cell(
                                    "ablation", dataset, encoder, target, "bideta", variant, budget, seed
                                )
                    if ranking:
                        for variant in sensitivity_tacquad.CHANGES:
                            for budget in budgets:
                                yield Cell(
                                    "sensitivity-tacquad",
                                    dataset,
                                    encoder,
                                    target,
                                    "bideta",
                                    variant,
                                    budget,
                                    seed,
                                )
                if dataset == "sitr":
                    for variant in sensitivity_sitr.CHANGES:
                        yield Cell(
                            "sensitivity-sitr", dataset, encoder, "Mini_3", "bideta", variant, "5%", seed
                        )


def _rng(cell: Cell) -> np.random.Generator:
    return np.random.default_rng(
        zlib.crc32(json.dumps(asdict(cell), sort_keys=True, ensure_ascii=False).encode())
    )


def _values(cell: Cell) -> dict[str, float]:
    rng = _rng(cell)
    digits = cell.budget.removesuffix("%").removesuffix("-shot")
    level = LEVEL.get(cell.method, 0.42) + 0.01 * float(digits or 0) * (cell.method != "frozen")
    if cell.experiment == "motivation" and cell.target in ("DIGIT", "GelSightNoMarker"):
        level = 0.72
    if cell.variant:
        level -= 0.02 * (len(cell.variant) % 5)
    own = float(np.clip(level + rng.normal(scale=0.02), 0, 1))
    if cell.experiment == "cost":
        return {"adapt_seconds": abs(own) / 10, "queries_per_second": 1000 * own}
    return {"accuracy": own, "macro_f1": 0.98 * own, "mrr": own, "r1": 0.9 * own}


def _arrays(cell: Cell) -> dict[str, list]:
    if cell.experiment != "budgets" or cell.method not in ("simpleshot", "bideta"):
        return {}
    C = len(dataset_info(cell.dataset).classes)
    counts = _rng(cell).integers(0, 3, (C, C)) + np.diag(np.full(C, 30 if cell.method == "bideta" else 8))
    return {"confusion": counts.tolist()}
