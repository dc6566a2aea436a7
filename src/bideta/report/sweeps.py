"""The sweeps of both sensitivity studies: one parameter each, values as the paper lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bideta.report.grids import Grid

TITLES = {  # parameter of the records → words
    "n_neighbors": "number of neighbours k",
    "graph_temperature": "graph temperature τ",
    "gamma": "spectral exponent γ",
    "disagreement_weight": "disagreement weight λ",
    "gate_exponent": "gate exponent p",
    "r_min:r_max": "recurrence range",
    "n_iter": "iterations T",
}


@dataclass(frozen=True)
class Sweep:
    """One parameter's table in the paper."""

    table: str  # "tab:sens8"
    parameter: str  # of Bideta; two that are moved together have a colon between them
    values: tuple[str, ...]  # the paper's row labels

    @property
    def title(self) -> str:
        """The parameter in words."""
        return TITLES.get(self.parameter, self.parameter)


def sweeps(tables: Mapping[str, tuple[str, tuple[str, ...]]]) -> tuple[Sweep, ...]:
    """The experiment's tables as sweeps."""
    return tuple(Sweep(name, parameter, values) for name, (parameter, values) in tables.items())


def numbers(label: str) -> tuple[float, ...]:
    """The values behind a row label: ``0.20:0.40`` → (0.2, 0.4)."""
    return tuple(float(part) for part in label.split(":"))


def default_label(sweep: Sweep, preset: Mapping[str, Any]) -> str | None:
    """The row of the preset, or None where the paper does not list it."""
    wanted = tuple(float(preset[name]) for name in sweep.parameter.split(":"))
    return next((label for label in sweep.values if numbers(label) == wanted), None)


def rows(sweep: Sweep, grid: Grid) -> dict[str, str]:
    """Row label → variant of the records (``n_neighbors=40``): the paper's values first, then others by size."""
    found = {}
    for _, variant in grid.methods:
        parameter, _, value = variant.partition("=")
        if parameter == sweep.parameter:
            found[numbers(value)] = (value, variant)
    paper = {label: found.pop(numbers(label))[1] for label in sweep.values if numbers(label) in found}
    return paper | {found[key][0]: found[key][1] for key in sorted(found)}


def measured(chosen: Sequence[Sweep], grid: Grid) -> list[tuple[Sweep, dict[str, str]]]:
    """The sweeps that have records, with their rows."""
    return [(sweep, labels) for sweep in chosen if (labels := rows(sweep, grid))]
