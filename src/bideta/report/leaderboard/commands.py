"""What to type to measure a line of the leaderboard again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from bideta.protocol.experiment import Cell
from bideta.protocol.quantity_bench.cells import QUANTITIES
from bideta.protocol.real.cells import EXPERIMENT as REAL
from bideta.protocol.real.methods import SOURCE
from bideta.protocol.records import Record

OWN_OPTIONS = ("scale", "difficulty")  # of a twin; other settings are typed as --set
PLACES = ("root", "cache")


def command(cells: Sequence[Cell], record: Record, facts: Mapping[str, Any]) -> str:
    """``bideta bench …`` for the cells, which differ in their seed alone."""
    cell, seeds = cells[0], sorted({cell.seed for cell in cells})
    words = ["bideta", "bench", cell.experiment]
    if cell.experiment in (REAL, QUANTITIES):
        words += ["--root", "DIR"] if not record.simulated else []
        words += ["--encoder", cell.encoder]
        if cell.method != SOURCE:  # which is asked anyway
            words += ["--method", cell.method, "--labels", cell.budget.removesuffix("-shot")]
        words += ["--draws", str(seeds[-1] + 1)]
        words += ["--target", cell.dataset if cell.experiment == REAL else cell.target]
        words += ["--batch", cell.variant] if cell.experiment == REAL else []
    else:
        words += ["--dataset", cell.dataset, *_settings(cell, record, facts)]
        words += ["--encoder", cell.encoder, "--method", cell.method, "--target", cell.target]
        words += ["--budget", cell.budget, *(word for seed in seeds for word in ("--seed", str(seed)))]
    words += ["--quick"] if facts.get("quick") is True else []
    return shlex.join([*words, "--out", "RUN"])


def _settings(cell: Cell, record: Record, facts: Mapping[str, Any]) -> list[str]:
    settings = facts.get("datasets", {}).get(cell.dataset, {}).get("settings", {})
    words = [] if record.simulated else ["--root", "DIR"]
    if record.simulated and record.scale != 1:
        words += ["--scale", f"{record.scale:g}"]
    for name, value in sorted(settings.items()):
        if name == "difficulty":
            words += ["--difficulty", str(value)]
        elif name not in (*OWN_OPTIONS, *PLACES):
            words += ["--set", f"{cell.dataset}.{name}={json.dumps(value)}"]
    return words
