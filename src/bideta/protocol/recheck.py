"""Does a record hold? One of its cells is measured again here, and both results are set side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bideta.protocol import experiments
from bideta.protocol.experiment import Cell
from bideta.protocol.measure_again import Given, measure_again
from bideta.protocol.quantity_bench.cells import QUANTITIES, SLIP
from bideta.protocol.real.cells import EXPERIMENT as REAL
from bideta.protocol.records import Record

TIMES = ("seconds", "per_second")  # values with these words are times: they differ on every machine
CLOSE = 0.01  # a hundredth of a fraction, or of the value where it is above one: another processor rounds differently
EXACT = 1e-9  # sums in another order

Finding = Literal["same", "close", "different"]


@dataclass(frozen=True)
class Verdict:
    """Both results of one cell."""

    noted: Record
    again: Record
    finding: Finding
    differences: tuple[str, ...] = ()  # what is not the same, in words


def pick(records: Sequence[Record], seed: int) -> Record:
    """One measured cell by chance, the same for the same seed; cells that only time something are left out."""
    good = sorted((r for r in records if r.status == "ok" and _is_checkable(r.cell)), key=lambda r: r.cell)
    if not good:
        raise ValueError("no record is a measured cell that can be measured again (times cannot)")
    return good[int(np.random.default_rng(seed).integers(len(good)))]


def recheck(noted: Record, facts: Mapping[str, Any], given: Given) -> Verdict:
    """Measure the record's cell again and compare; an error where it cannot be measured here."""
    again = measure_again(noted, facts, given)
    if again.status != "ok":
        raise ValueError(f"{noted.cell} could not be measured again: {again.error}")
    return compare(noted, again)


def compare(noted: Record, again: Record) -> Verdict:
    """Same predictions, values that are close, or others."""
    differences = []
    if noted.split and again.split and noted.split != again.split:
        differences.append("the contacts are others: labelled ones and queries are not those of the record")
    names = [name for name in {**noted.values, **again.values} if not any(word in name for word in TIMES)]
    for name in names:
        before, now = noted.values.get(name), again.values.get(name)
        if before is None or now is None or abs(before - now) > CLOSE * max(1.0, abs(now)):
            differences.append(f"{name}: {_number(before)} in the record, {_number(now)} here")
    if differences:
        return Verdict(noted, again, "different", tuple(differences))
    moved = [name for name in names if abs(noted.values[name] - again.values[name]) > EXACT]
    if noted.digest and noted.digest == again.digest and moved:
        said = f"the answers are the same, and yet {moved[0]} is not: the record's values are not those of its answers"
        return Verdict(noted, again, "different", (said,))
    same = not moved and noted.digest == again.digest
    return Verdict(noted, again, "same" if same else "close")


def _number(value: float | None) -> str:
    return "missing" if value is None else f"{value:.4f}"


def _is_checkable(cell: Cell) -> bool:
    if cell.experiment in (REAL, QUANTITIES, SLIP):
        return True
    return cell.experiment in experiments.names() and not experiments.find(cell.experiment).alone
