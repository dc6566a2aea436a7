"""The run in a few lines: BIDETA, the source head and the strongest comparisons at the largest budget."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.report.tables import Entry, Table, complete_means, first_part, row_label

MAIN = ("tab:sitr", "tab:tacverse", "tab:tacquad")
OURS = row_label("BIDETA", "T")
BEFORE = row_label("Frozen backbone", "I")
COLUMNS = (
    "Source head",
    "Strongest of the paper's comparisons",
    "BIDETA",
    "Gain",
    "Best of all that were run",
)
WAITING = Entry(state="missing", note="a method lacks seeds")  # the strongest is not known yet


def headline(tables: Sequence[Table]) -> list[Table]:
    """One row per dataset and encoder; [] where BIDETA was not run. A column that lacks seeds is left open."""
    rows: list[str] = []
    cells: dict[tuple[str, str], Entry] = {}
    main = [table for table in tables if table.name in MAIN and OURS in table.rows]
    for table in main:
        for column in _last_of_each_encoder(table):
            row = row_label(table.title.partition(":")[0], column)
            rows.append(row)
            entries = {label: table.entry(label, column) for label in table.rows}
            known = complete_means(table, column)
            paper = [label for label in known if label not in (OURS, BEFORE) and label not in table.extra]
            cells[row, COLUMNS[0]] = entries.get(BEFORE, Entry(state="missing"))
            cells[row, COLUMNS[2]] = entries[OURS]
            if any(label not in table.extra and at == column for label, at in table.incomplete):
                cells.update({(row, column): WAITING for column in (COLUMNS[1], COLUMNS[3], COLUMNS[4])})
                continue
            if paper:
                rival = max(paper, key=known.__getitem__)
                cells[row, COLUMNS[1]] = Entry(words=f"{entries[rival].text}, {first_part(rival)}")
                cells[row, COLUMNS[3]] = Entry(words=f"{known[OURS] - known[rival]:+.2f}")
            best = max(known, key=known.__getitem__)
            cells[row, COLUMNS[4]] = Entry(words=f"{entries[best].text}, {first_part(best)}")
    if not rows:
        return []
    return [
        Table(
            name="ours:headline",
            title="Before and after adaptation",
            caption=(
                "Accuracy (%), on TacQuad MRR (%), at the largest label budget, averaged over target sensors; mean ± "
                "sample standard deviation over seeds. The tables below have every method, budget and sensor."
            ),
            columns=COLUMNS,
            rows=rows,
            cells=cells,
            notes=list(dict.fromkeys(note for table in main for note in table.notes)),
            simulated=any(table.simulated for table in main),
            stub=("Dataset", "Encoder and budget"),
        )
    ]


def _last_of_each_encoder(table: Table) -> list[str]:
    """``TVL 10%``, ``Sparsh 10%``: columns come budget by budget for each encoder."""
    last: dict[str, str] = {}
    for column in table.columns:
        last[column.rpartition(" ")[0]] = column
    return list(last.values())
