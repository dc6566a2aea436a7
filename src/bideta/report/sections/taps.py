"""Presses and single taps: the order of the methods on both, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.grids import Grid, each_encoder, grids
from bideta.report.our_table import our_table
from bideta.report.section import Section
from bideta.report.tables import MISSING, Entry, Table

PRESSES = "budgets"  # the experiment that asks the same of presses


def tables(records: Sequence[Record]) -> list[Table]:
    """One table for each dataset and encoder."""
    pressed = {
        grid.role: grid
        for grid in grids([r for r in records if r.cell.experiment == PRESSES])
        if grid.sensors
    }
    tapped = grids([r for r in records if r.cell.experiment == "taps"])
    return [
        both_table(grid, encoder, pressed.get(grid.role.removesuffix(wording.TAPS)))
        for grid, encoder in each_encoder(tapped)
    ]


def both_table(taps: Grid, encoder: str, presses: Grid | None) -> Table:
    """Methods × (budget, kind of contact): accuracy, and the place that it takes among these methods."""
    kinds = {"presses": presses, "taps": taps}
    methods = [method for method, _ in taps.methods]
    entries = {
        (method, kind, budget): MISSING
        if grid is None
        else grid.entry("accuracy", encoder, method, "", budget)
        for kind, grid in kinds.items()
        for budget in taps.budgets
        for method in methods
    }
    columns = {
        f"{taps.budget_label(budget)} {kind}{suffix}": (kind, budget, bool(suffix))
        for budget in taps.budgets
        for kind in kinds
        for suffix in ("", ", place")
    }

    def entry(method: str, column: tuple[str, str, bool]) -> Entry:
        kind, budget, wants_place = column
        own = entries[method, kind, budget]
        if not wants_place or own.mean is None:
            return own
        means = [entries[other, kind, budget].mean for other in methods]
        return Entry(words=str(1 + sum(mean > own.mean for mean in means if mean is not None)))

    last = taps.budgets[-1]
    order = sorted(methods, key=lambda method: -(entries[method, "presses", last].mean or 0.0))
    return our_table(
        taps,
        encoder,
        "taps",
        "presses of 20 frames and single taps",
        f"{wording.METRICS['accuracy']}. Taps: one frame per press, same sensors, classes and numbers of contacts. "
        "Place: 1 is the best of these methods.",
        {wording.method_title(method): method for method in order},
        columns,
        entry,
        notes=_winners(taps, entries, methods, last),
        development=True,
    )


def _winners(
    taps: Grid, entries: dict[tuple[str, str, str], Entry], methods: Sequence[str], budget: str
) -> list[str]:
    """The claim in words: who is first on presses, and who on taps."""
    best = {}
    for kind in ("presses", "taps"):
        known = {m: mean for m in methods if (mean := entries[m, kind, budget].mean) is not None}
        if known:
            best[kind] = wording.method_title(max(known, key=known.__getitem__))
    if len(best) < 2:
        return []
    label = taps.budget_label(budget)
    return [f"At {label} the best on presses is {best['presses']}, on single taps {best['taps']}."]


SECTION = Section(title="Presses and single taps", tables=tables, needs=(PRESSES,))
