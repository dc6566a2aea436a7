"""Ours beside the paper's: cell by cell on real data, order and sign of effects on simulated data."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.report import effect_signs
from bideta.report.published import in_order, published
from bideta.report.tables import MISSING, Entry, Table, row_label

COLUMNS = ("Ours", "Published", "Difference", "Within one standard deviation")
REFUSAL = (
    "These records are simulated, so no value is set beside a published one. What can be compared is the order of the "
    "methods and the sign of the effects."
)
METHOD = (
    "Difference is ours minus published. Within: the difference is no larger than the published standard deviation, "
    "both as printed."
)


def title(tables: Sequence[Table]) -> str:
    """Heading of the comparison."""
    return (
        "Order and sign of effects, beside the paper (simulated)"
        if simulated(tables)
        else "Measured and published"
    )


def text(tables: Sequence[Table]) -> str:
    """Paragraph below the heading, with the count of cells that agree."""
    if simulated(tables):
        return REFUSAL
    answers = [table.entry(row, COLUMNS[3]).words for table in cell_by_cell(tables) for row in table.rows]
    known = [answer for answer in answers if answer in ("yes", "no")]
    return f"{METHOD} {known.count('yes')} of {len(known)} cells are within one standard deviation."


def simulated(tables: Sequence[Table]) -> bool:
    """Whether any of the tables is simulated."""
    return any(table.simulated for table in tables)


def compare(tables: Sequence[Table]) -> list[Table]:
    """The comparison as tables of its own."""
    return effect_signs.compare(tables) if simulated(tables) else cell_by_cell(tables)


def cell_by_cell(tables: Sequence[Table]) -> list[Table]:
    """For each of the paper's tables that was measured: ours, published, difference, within."""
    return [_table(table, published()[table.name]) for table in in_order(tables) if table.name in published()]


def _table(ours: Table, theirs: Table) -> Table:
    cells: dict[tuple[str, str], Entry] = {}
    rows = []
    for row in theirs.rows:
        for column in theirs.columns:
            label = row_label(column, row)
            rows.append(label)
            mine = ours.entry(row, column) if row in ours.rows and column in ours.columns else MISSING
            for name, entry in zip(COLUMNS, _line(mine, theirs.entry(row, column)), strict=True):
                cells[label, name] = entry
    return Table(
        name=f"against:{ours.name}",
        title=f"{ours.title}, against the paper's {ours.name}",
        caption=f"{METHOD} {ours.caption}",
        columns=COLUMNS,
        rows=rows,
        cells=cells,
        notes=ours.notes,
        stub=("Column", "Row"),
        detail=True,
    )


def _line(ours: Entry, theirs: Entry) -> tuple[Entry, Entry, Entry, Entry]:
    if ours.mean is None or theirs.mean is None:
        nothing = Entry(words="–")
        return ours, theirs, nothing, nothing
    difference = round(ours.mean, theirs.digits) - theirs.mean
    if ours.state == "incomplete" or theirs.std is None:
        within = "–"
    else:
        within = "yes" if abs(difference) <= theirs.std + 10**-9 else "no"  # rounding of the subtraction
    return ours, theirs, Entry(words=f"{difference:+.{theirs.digits}f}"), Entry(words=within)
