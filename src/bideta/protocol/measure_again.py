"""A cell of somebody's records, measured once more.

The records name what was measured. Which files are opened (recordings, weights, an ONNX file) is said by whoever
checks, as it is with the file of a sensor. A cell that the experiment does not ask is refused first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bideta.encoders import EncoderInfo
from bideta.plugins import find, split
from bideta.protocol.compute import compute_cell
from bideta.protocol.experiment import Cell
from bideta.protocol.plan import Plan, Request, make_plan
from bideta.protocol.quantity_bench import cells as quantity_cells
from bideta.protocol.quantity_bench.run import Readings as QuantityReadings
from bideta.protocol.quantity_bench.run import ask
from bideta.protocol.quantity_bench.sets import TWIN
from bideta.protocol.real import cells as real_cells
from bideta.protocol.real.methods import SOURCE
from bideta.protocol.real.readings import Readings
from bideta.protocol.real.run import measure
from bideta.protocol.real.sets import find_sets
from bideta.protocol.records import Record
from bideta.protocol.stamp import Stamp, commit, versions
from bideta.service.noted_encoder import opens_a_file

LAST_DRAW = 1000  # seeds of bench real and quantities are draws, counted from 0
TWIN_SETTINGS = (
    "scale",
    "difficulty",
    "size",
    "seed",
    "order",
)  # that run.json may say of a simulated dataset
LARGEST_SIZE = 256  # pixels of such a dataset's pictures


@dataclass(frozen=True)
class Given:
    """What the person who checks says: places, and an encoder in the place of one that names a file."""

    root: tuple[str, ...] = ()
    encoder: str | None = None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # plugin → its settings
    cache: Path | None = None


def measure_again(noted: Record, facts: Mapping[str, Any], given: Given) -> Record:
    """The record of the same cell, made here; ``facts`` is what run.json says."""
    cell = replace(noted.cell, encoder=given.encoder or _usable(noted.cell.encoder))
    if cell.experiment == real_cells.EXPERIMENT:
        return _real(cell, noted, facts, given)
    if cell.experiment in (quantity_cells.QUANTITIES, quantity_cells.SLIP):
        return _quantities(cell, noted, facts, given)
    return _of_paper(cell, noted, facts, given)


def _usable(encoder: str) -> str:
    """The name, where it does not decide which file is opened."""
    for part in split("encoder", encoder):
        if opens_a_file(part):
            raise ValueError(
                f"the record's encoder is {encoder!r}. A record does not decide which file is opened here: name yours "
                "with --encoder"
            )
    return encoder


def _check_fingerprint(noted: Record, facts: Mapping[str, Any], name: str, found: str) -> None:
    """Refuse weights or preprocessing that the record was not made with."""
    known = {
        fact["fingerprint"]
        for kind in ("encoders", "readings")
        for key, fact in facts.get(kind, {}).items()
        if "fingerprint" in fact and key in (name, f"{name} on {noted.cell.dataset}")
    }
    if not known:
        raise ValueError(
            f"run.json does not say which weights {name!r} had; the record cannot be checked without it"
        )
    if found not in known:
        raise ValueError(
            f"the encoder {name!r} here is not the record's: its fingerprint is {found[:12]}, noted is "
            f"{' or '.join(sorted(mark[:12] for mark in known))}; install the same weights, or name them with --set"
        )


def _of_paper(cell: Cell, noted: Record, facts: Mapping[str, Any], given: Given) -> Record:
    """Experiments of ``bideta bench paper`` and ``deploy``."""
    plan = _plan(cell, noted, facts, given)
    supply = plan.supply(given.cache)
    _check_fingerprint(
        noted, facts, noted.cell.encoder, supply.encoder(cell.dataset, cell.encoder).fingerprint
    )
    return compute_cell(cell, supply, Stamp(plan.scale, versions(), commit(), "local"))


def _plan(cell: Cell, noted: Record, facts: Mapping[str, Any], given: Given) -> Plan:
    """The plan of the cell's experiment; refuses a cell that is none of it, before anything is opened."""
    settings = {name: dict(values) for name, values in given.settings.items()}
    found = facts.get("datasets", {}).get(cell.dataset, {}).get("settings", {})
    info = find("dataset", cell.dataset).INFO
    if info.simulated:
        kept = {name: value for name, value in found.items() if name in TWIN_SETTINGS}
        kept.setdefault("scale", noted.scale)
        if not isinstance(kept.get("size", 0), int) or kept.get("size", 0) > LARGEST_SIZE:
            raise ValueError(
                f"run.json asks for pictures of {kept['size']!r} pixels, at most {LARGEST_SIZE} are expected"
            )
        settings[cell.dataset] = {**kept, **settings.get(cell.dataset, {})}
    encoder: EncoderInfo = find("encoder", cell.encoder).INFO
    said = facts.get("encoders", {}).get(noted.cell.encoder, {}).get("settings", {})
    family = cell.encoder.partition(":")[0]
    decisive = {name: value for name, value in said.items() if name.rpartition(".")[2] in encoder.decisive}
    if decisive or family in settings:
        settings[family] = {**decisive, **settings.get(family, {})}
    request = Request(
        cell.dataset,
        given.root,
        (cell.encoder,),
        seeds=(cell.seed,),
        targets=(cell.target,),
        quick=facts.get("quick") is True,
        settings=settings,
    )
    for methods in ((), (cell.method,)):
        plan = make_plan([cell.experiment], replace(request, methods=methods, budgets=_budgets(cell)))
        if cell in plan.cells():
            return plan
    raise ValueError(f"{cell} is no cell of the experiment {cell.experiment!r}")


def _budgets(cell: Cell) -> tuple[str, ...]:
    return (cell.budget,) if cell.budget and cell.budget != "0%" else ()


def _real(cell: Cell, noted: Record, facts: Mapping[str, Any], given: Given) -> Record:
    sets = find_sets(_root(given))
    _check_draw(cell)
    leak = cell.target == real_cells.LEAK
    n = cell.budget.removesuffix("-shot")
    labels = (int(n),) if n.isascii() and n.isdigit() and int(n) else ()
    methods = () if leak or cell.method == SOURCE else (cell.method,)
    batches = ("balanced",) if leak else (cell.variant,)
    asked = real_cells.Request((cell.encoder,), methods, labels, cell.seed + 1, batches, (cell.dataset,))
    if cell not in real_cells.make_cells(asked, sets):
        raise ValueError(f"{cell} is no cell of bench real on {given.root[0]}")
    readings = Readings(sets, given.cache, lambda line: None)
    for part in cell.encoder.split("+"):
        _check_fingerprint(noted, facts, part, readings.encoder(part).fingerprint)
    return measure(cell, readings, {"versions": versions(), "commit": commit()})


def _quantities(cell: Cell, noted: Record, facts: Mapping[str, Any], given: Given) -> Record:
    _check_draw(cell)
    root = _root(given) if cell.dataset != TWIN else None
    if not (cell.budget.isascii() and cell.budget.isdigit()):
        raise ValueError(f"{cell}: the labels are {cell.budget!r}, expected a number")
    slip = cell.experiment == quantity_cells.SLIP
    asked = quantity_cells.Request(
        root,
        (cell.encoder,),
        () if slip else (cell.method,),
        (int(cell.budget),),
        cell.seed + 1,
        (cell.target,),
        facts.get("quick") is True,
    )
    if cell not in (quantity_cells.slip_cells(asked) if slip else quantity_cells.quantity_cells(asked)):
        raise ValueError(f"{cell} is no cell of bench {cell.experiment}")
    readings = QuantityReadings(asked, given.cache, lambda line: None)
    for part in cell.encoder.split("+"):
        _check_fingerprint(noted, facts, part, readings.encoder(part).fingerprint)
    values, arrays = ask(cell, readings)
    return Record(cell, "ok", values, arrays, simulated=root is None, versions=versions(), commit=commit())


def _root(given: Given) -> Path:
    if len(given.root) != 1:
        raise ValueError(
            "the record is of recorded sets: name the folder that holds them with one --root DIR"
        )
    return Path(given.root[0])


def _check_draw(cell: Cell) -> None:
    if cell.seed >= LAST_DRAW:
        raise ValueError(f"{cell}: draw {cell.seed}, expected one below {LAST_DRAW}")
