"""One cell → its record, whatever happens in it."""

from __future__ import annotations

import time
import traceback
from pathlib import Path
from typing import Any

from bideta.baselines import NotAvailableError
from bideta.protocol.experiment import Cell
from bideta.protocol.experiments import find
from bideta.protocol.records import Record
from bideta.protocol.stamp import Stamp
from bideta.protocol.supply import Supply

ERROR_LINES = 3  # innermost places of a traceback that a record keeps


def compute_cell(cell: Cell, supply: Supply, stamp: Stamp) -> Record:
    """The record of one cell; an error becomes part of it, so that the other cells go on."""
    facts = stamp.facts(supply.info(cell.dataset))
    supply.begin()
    start = time.perf_counter()
    try:
        outcome = find(cell.experiment).answer(cell, supply)
        record = Record(
            cell,
            "ok",
            {name: float(value) for name, value in outcome.values.items()},
            outcome.arrays,
            outcome.settings,
            outcome.digest,
            split=" ".join(dict.fromkeys(supply.used)),
            seconds=round(time.perf_counter() - start, 6),
            **facts,
        )
        record.line()  # what cannot be written (NaN, objects) is this cell's failure, not the run's
    except NotAvailableError as error:
        record = Record(cell, "unavailable", error=str(error), **facts)
    except Exception as error:  # noqa: BLE001 (recorded, and the exit code says so)
        record = failure(cell, error, facts)
    return record


def failure(cell: Cell, error: Exception | str, facts: dict[str, Any]) -> Record:
    """A record of what went wrong and where."""
    if isinstance(error, Exception):
        places = traceback.extract_tb(error.__traceback__)[-ERROR_LINES:]
        where = " < ".join(f"{Path(place.filename).name}:{place.lineno}" for place in reversed(places))
        error = f"{type(error).__name__}: {error} ({where})"
    return Record(cell, "failed", error=error, **facts)
