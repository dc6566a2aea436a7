"""The sweeps of both sensitivity studies as rows of tables: one parameter each, values as the paper lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bideta.protocol.sweep import Sweep
from bideta.report import wording
from bideta.report.grids import Grid
from bideta.report.tables import Table

TITLES = {  # parameters → words
    ("n_neighbors",): "number of neighbours k",
    ("graph_temperature",): "graph temperature τ",
    ("gamma",): "spectral exponent γ",
    ("disagreement_weight",): "disagreement weight λ",
    ("gate_exponent",): "gate exponent p",
    ("r_min", "r_max"): "recurrence range",
    ("n_iter",): "iterations T",
}


def title(sweep: Sweep) -> str:
    """The parameter in words."""
    return TITLES.get(sweep.parameters, ":".join(sweep.parameters))


def numbers(sweep: Sweep, label: str) -> tuple[float, ...]:
    """The values behind a row label: ``0.20:0.40`` → (0.2, 0.4)."""
    return tuple(float(value) for value in sweep.settings(label).values())


def default_label(sweep: Sweep, preset: Mapping[str, Any]) -> str | None:
    """The row of the preset, or None where the paper does not list it."""
    wanted = tuple(float(preset[name]) for name in sweep.parameters)
    return next((label for label in sweep.labels if numbers(sweep, label) == wanted), None)


def rows(sweep: Sweep, grid: Grid) -> dict[str, str]:
    """Row label → variant of the records (``n_neighbors=40``): the paper's values first, then others by size."""
    recorded = {}
    for _, variant in grid.methods:
        label = sweep.label(variant)
        if label is not None:
            recorded[numbers(sweep, label)] = (label, variant)
    paper = {
        label: recorded.pop(numbers(sweep, label))[1]
        for label in sweep.labels
        if numbers(sweep, label) in recorded
    }
    return paper | {recorded[key][0]: recorded[key][1] for key in sorted(recorded)}


def measured(sweeps: Sequence[Sweep], grid: Grid) -> list[tuple[Sweep, dict[str, str]]]:
    """The sweeps that have records, with their rows."""
    return [(sweep, labels) for sweep in sweeps if (labels := rows(sweep, grid))]


def sweep_table(
    grid: Grid,
    sweep: Sweep,
    variants: Mapping[str, str],
    columns: Mapping[str, tuple[str, str]],
    *,
    value: str,
    preset: Mapping[str, Any],
    role: str,
    caption: str,
    targets: Sequence[str] = (),
) -> Table:
    """Values of one parameter (row label → variant) × columns (label → encoder and budget).

    ``role`` is the paper's dataset of the sweep; ``targets`` are the sensors that should have been run.
    """
    default = default_label(sweep, preset)
    paper = grid.role == role
    return grid.table(
        sweep.table if paper else f"ours:{sweep.table.removeprefix('tab:')}:{grid.dataset}",
        f"{grid.title}: {title(sweep)}",
        f"{wording.METRICS[value]}, {caption}",
        variants,
        columns,
        lambda variant, place: grid.entry(value, place[0], "bideta", variant, place[1]),
        extra=[row for row in variants if row not in sweep.labels],
        notes=grid.notes(targets),
        detail=True,
        stub=("Value",),
        starred=[row for row in variants if row == default],
    )
