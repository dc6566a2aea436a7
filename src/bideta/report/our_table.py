"""Tables that the paper does not have: one dataset and encoder, averaged over sensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bideta.report import wording
from bideta.report.grids import Grid, sensor_average
from bideta.report.tables import Entry, Table


def our_table(
    grid: Grid,
    encoder: str,
    name: str,
    title: str,
    what: str,
    rows: Iterable[str],
    columns: Iterable[str],
    cells: Mapping[tuple[str, str], Entry],
    *,
    budget: str = "",
    notes: Sequence[str] = (),
    stub: Sequence[str] = ("Method",),
    development: bool = False,
) -> Table:
    """``what`` is measured, with ``budget`` labelled; ``development``: the development sensors should have been run."""
    word, labels = grid.encoders[encoder], list(rows)
    labelled = f", {budget} labelled" if budget else ""
    where = f"{' E' if what.endswith('.') else '; e'}ncoder {word}{labelled}, {sensor_average(grid)}"
    return Table(
        name=":".join(["ours", name, wording.role(grid.dataset), word, *([budget] if budget else [])]),
        title=f"{wording.dataset_title(grid.dataset)} with {word}: {title}{labelled}",
        caption=grid.caption(what + where),
        columns=list(columns),
        rows=labels,
        extra=labels,
        cells=cells,
        notes=[*notes, *grid.notes(wording.targets(grid.dataset, development=development))],
        simulated=grid.simulated,
        stub=stub,
    )
