"""What each part of BIDETA adds, on SITR: accuracy and macro-F1."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.presets import ABLATIONS
from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import Figure, ablation
from bideta.report.grids import Grid, grids, sensor_average
from bideta.report.section import Section
from bideta.report.tables import Table, mark_best

MEMORY, GRAPH, GATE = "Feature-memory ablations", "Graph-geometry ablations", "Reliability-gate ablations"
FUSION = "Fusion and gate"
# Variant → group of the accuracy table, group and label of the macro-F1 table.
GROUPS = {
    "Memory: view 1 only": (MEMORY, "Memory", "View 1 only"),
    "Memory: view 2 only": (MEMORY, "Memory", "View 2 only"),
    "Dual memory; no graph": (MEMORY, "Memory", "Dual-view memory"),
    "+ Consensus recurrence": (GRAPH, "Geometry", "+ Consensus recurrence"),
    "+ Support standardization": (GRAPH, "Geometry", "+ Support standardization"),
    "+ Spectral normalization": (GRAPH, "Geometry", "+ Spectral normalization"),
    "Full: arithmetic graph fusion": (GRAPH, FUSION, "Arithmetic graph fusion"),
    "Full: no spectral normalization": (GRAPH, FUSION, "Without spectral normalization"),
    "Full: disagreement only": (GATE, FUSION, "Disagreement only"),
    "Full: entropy only": (GATE, FUSION, "Entropy only"),
    "Full BIDETA": ("Complete framework", FUSION, "Full BIDETA"),
}


def tables(records: Sequence[Record]) -> list[Table]:
    """``tab:ablation`` and ``tab:fullablationf1``."""
    return [table for grid in grids(records) for table in (accuracy_table(grid), f1_table(grid))]


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """The steps as bars."""
    return [
        ablation.draw(grid, variants(grid), folder / (f"ablation-{i}.png" if i else "ablation.png"))
        for i, grid in enumerate(grids(records))
    ]


def accuracy_table(grid: Grid) -> Table:
    """Variants as the main text names them."""
    rows = {variant: variant for variant in variants(grid)}
    groups = {variant: GROUPS[variant][0] for variant in rows if variant in GROUPS}
    return _table(grid, "accuracy", "tab:ablation", "accuracy of each variant", rows, groups)


def f1_table(grid: Grid) -> Table:
    """Variants as the appendix names them."""
    rows = {GROUPS[variant][2] if variant in GROUPS else variant: variant for variant in variants(grid)}
    groups = {GROUPS[variant][2]: GROUPS[variant][1] for variant in rows.values() if variant in GROUPS}
    return _table(grid, "macro_f1", "tab:fullablationf1", "macro-F1 of each variant", rows, groups)


def variants(grid: Grid) -> list[str]:
    """The paper's variants that were run, in its order, then others."""
    recorded = {variant for _, variant in grid.methods}
    return [name for name in ABLATIONS if name in recorded] + sorted(recorded.difference(ABLATIONS))


def _table(
    grid: Grid, value: str, name: str, title: str, rows: dict[str, str], groups: dict[str, str]
) -> Table:
    absent = [variant for variant in ABLATIONS if variant not in rows.values()]
    table = grid.table(
        name if grid.role == "sitr" else f"ours:{name.removeprefix('tab:')}:{grid.role}",
        f"{grid.title}: {title}",
        f"{wording.METRICS[value]}, {sensor_average(grid)}",
        rows,
        grid.columns(),
        lambda variant, place: grid.entry(value, place[0], "bideta", variant, place[1]),
        extra=[row for row, variant in rows.items() if variant not in ABLATIONS],
        groups=groups,
        notes=[
            *grid.notes(wording.targets(grid.dataset)),
            *([f"Incomplete: no records of {wording.listed(absent)}."] if absent else []),
        ],
        detail=value == "macro_f1",
        stub=("Variant",),
    )
    return mark_best(table)


SECTION = Section(title="Ablation", tables=tables, figures=figures)
