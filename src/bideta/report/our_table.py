"""Tables that the paper does not have: one dataset and encoder, averaged over sensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bideta.report import wording
from bideta.report.grids import Column, Grid, Row, sensor_average
from bideta.report.tables import Entry, Table


def our_table(
    grid: Grid,
    encoder: str,
    name: str,
    title: str,
    what: str,
    rows: Mapping[str, Row],
    columns: Mapping[str, Column],
    entry: Callable[[Row, Column], Entry],
    *,
    budget: str = "",
    notes: Sequence[str] = (),
    stub: Sequence[str] = ("Method",),
    development: bool = False,
) -> Table:
    """``what`` is measured, with ``budget`` labelled; ``development``: the development sensors should have been run."""
    word = grid.encoders[encoder]
    labelled = f", {budget} labelled" if budget else ""
    where = f"{' E' if what.endswith('.') else '; e'}ncoder {word}{labelled}, {sensor_average(grid)}"
    return grid.table(
        ":".join(["ours", name, grid.role, word, *([budget] if budget else [])]),
        f"{grid.title} with {word}: {title}{labelled}",
        what + where,
        rows,
        columns,
        entry,
        extra=list(rows),
        notes=[*notes, *grid.notes(wording.targets(grid.dataset, development=development))],
        stub=stub,
    )
