"""Tables of methods: the rows that they have in common, the paper's in its order, then ours."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.report import wording
from bideta.report.grids import Grid, sensor_average
from bideta.report.tables import UNAVAILABLE, Entry, Table, mark_best, row_label

UNCALIBRATED = {("tacverse", "sitr-calib")}  # rows of the paper that are – throughout


def listed_methods(dataset: str) -> list[str]:
    """The methods of the paper's tables of this dataset; each has its own way to condition on a sensor (SITR-…)."""
    other = "sitr-calib" if wording.role(dataset) == "tacquad" else "sitr-support"
    return [method for method in wording.METHODS if method != other]


def paper_methods(grid: Grid) -> list[tuple[str, str]]:
    """The paper's methods that were run, and those it lists although they cannot run."""
    run = {method for method, variant in grid.methods if not variant}
    run |= {method for name, method in UNCALIBRATED if name == grid.role}
    return [(method, "") for method in listed_methods(grid.dataset) if method in run]


def extra_methods(grid: Grid) -> list[tuple[str, str]]:
    """Methods and variants that the paper does not have here, and that can run here."""
    possible = {(r.cell.method, r.cell.variant) for r in grid.records if r.status != "unavailable"}
    others = possible.difference(paper_methods(grid))
    return sorted(others, key=lambda pair: (wording.method_title(*pair).lower(), pair))


def method_entry(
    grid: Grid,
    value: str,
    encoder: str,
    method: str,
    variant: str,
    budget: str,
    sensors: Sequence[str] | None = None,
) -> Entry:
    """The cell, – where the paper's method cannot run and nothing was recorded."""
    entry = grid.entry(value, encoder, method, variant, budget, sensors=sensors)
    known = (grid.role, method) in UNCALIBRATED
    return UNAVAILABLE if known and entry.mean is None else entry


def notes(grid: Grid, *, development: bool = True) -> list[str]:
    """What is missing: sensors, scale, methods of the paper."""
    run = paper_methods(grid)
    absent = [method for method in listed_methods(grid.dataset) if (method, "") not in run]
    said = grid.notes(wording.targets(grid.dataset, development=development))
    if absent:
        said.append(f"Incomplete: no records of {wording.listed([wording.method_title(m) for m in absent])}.")
    return said


def method_table(grid: Grid, value: str, experiment: str, title: str) -> Table:
    """Methods × (encoder, budget), averaged over the sensors; rows as in "BIDETA | T"."""
    extra = extra_methods(grid)
    rows = {
        row_label(wording.method_title(*pair), wording.method_mode(pair[0])): pair
        for pair in (*paper_methods(grid), *extra)
    }
    table = grid.table(
        f"tab:{grid.role}" if grid.role in wording.DATASETS else f"ours:{experiment}:{grid.role}",
        f"{grid.title}: {title}",
        f"{wording.METRICS[value]}, {sensor_average(grid)}",
        rows,
        grid.columns(),
        lambda pair, place: method_entry(grid, value, place[0], *pair, place[1]),
        extra=[row for row, pair in rows.items() if pair in extra],
        notes=notes(grid),
        stub=("Method", "Mode"),
    )
    return mark_best(table)
