"""Order and sign of effects: does the winner agree, do methods rank alike, does each step point the same way."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.stats import spearmanr

from bideta.protocol.experiments.sensitivity_sitr import SWEEPS as SITR_SWEEPS
from bideta.protocol.experiments.sensitivity_tacquad import SWEEPS as TACQUAD_SWEEPS
from bideta.report.published import published
from bideta.report.sweeps import title
from bideta.report.tables import Entry, Table, complete_means, first_part, row_label

RANKED = ("tab:sitr", "tab:tacverse", "tab:tacquad")  # tables of methods
MARGIN = 0.05  # points: a published effect smaller than this has no sign to agree with
STEPS = (  # (what, from, to) between rows of tab:ablation
    ("second readout", "Memory: view 1 only", "Dual memory; no graph"),
    ("graph", "Dual memory; no graph", "+ Consensus recurrence"),
    ("standardised geometry", "+ Consensus recurrence", "+ Support standardization"),
    ("spectral geometry", "+ Support standardization", "+ Spectral normalization"),
    ("gate and prior", "+ Spectral normalization", "Full BIDETA"),
    ("geometric fusion, in the full model", "Full: arithmetic graph fusion", "Full BIDETA"),
    ("spectral geometry, in the full model", "Full: no spectral normalization", "Full BIDETA"),
    ("ambiguity beside disagreement", "Full: disagreement only", "Full BIDETA"),
    ("disagreement beside ambiguity", "Full: entropy only", "Full BIDETA"),
)
NEAR = 1  # grid steps between our best value and the paper's


def compare(tables: Sequence[Table]) -> list[Table]:
    """Winners and rank correlations, signs of the ablation steps, best values of the sensitivity curves."""
    by_name = {table.name: table for table in tables}
    made = [order_table([by_name[name] for name in RANKED if name in by_name])]
    if "tab:ablation" in by_name:
        made.append(sign_table(by_name["tab:ablation"]))
    sweeps = [sweep for sweep in (*SITR_SWEEPS, *TACQUAD_SWEEPS) if sweep.table in by_name]
    made.append(curve_table([(by_name[sweep.table], title(sweep)) for sweep in sweeps]))
    return [table for table in made if table.rows]


def order_table(tables: Sequence[Table]) -> Table:
    """For each column of the main tables: who wins here and there, and Spearman's ρ of the methods both have."""
    columns = (
        "Best here, of the paper's methods",
        "Best in the paper",
        "Same",
        "Rank correlation",
        "Best here, of all",
    )
    rows, cells, skipped = [], {}, 0
    for ours in tables:
        theirs = published()[ours.name]
        for column in (column for column in ours.columns if column in theirs.columns):
            here, there = complete_means(ours, column), complete_means(theirs, column)
            both = [row for row in there if row in here]
            waiting = [row for row in there if row in ours.rows and row not in here]
            if len(both) < 2 or waiting:
                skipped += bool(waiting)
                continue
            row = row_label(ours.name.removeprefix("tab:"), column)
            rows.append(row)
            best = max(both, key=here.__getitem__)
            first = max(both, key=there.__getitem__)
            rho = (
                float(spearmanr([here[r] for r in both], [there[r] for r in both]).statistic)
                if len(both) > 2
                else None
            )
            words = (first_part(best), first_part(first), _agree(best == first))
            for name, word in zip(columns, words, strict=False):
                cells[row, name] = Entry(words=word)
            cells[row, columns[3]] = Entry(mean=rho, note="" if rho is not None else "two methods")
            cells[row, columns[4]] = Entry(words=first_part(max(here, key=here.__getitem__)))
    return Table(
        name="effects:order",
        title="Does the same method win, and do the methods rank alike?",
        caption="For each column of the main tables. Rank correlation is Spearman's, over the methods that both have.",
        columns=columns,
        rows=rows,
        cells=cells,
        notes=[
            _count(rows, cells, columns[2], "columns have the same winner"),
            *(
                [f"Incomplete: {skipped} columns are left out, as some of their methods lack seeds."]
                if skipped
                else []
            ),
        ],
        simulated=True,
        stub=("Table", "Column"),
    )


def sign_table(ours: Table) -> Table:
    """For each ablation step and column: our effect in points, and whether its sign is the paper's."""
    theirs = published()[ours.name]
    shared = [column for column in ours.columns if column in theirs.columns]
    cells: dict[tuple[str, str], Entry] = {}
    agreed = known = 0
    rows = []
    for what, start, end in STEPS:
        if start not in ours.rows or end not in ours.rows:
            continue
        rows.append(what)
        for column in shared:
            here, there = _effect(ours, start, end, column), _effect(theirs, start, end, column)
            if here is None or there is None:
                continue
            sign = "0" if abs(there) < MARGIN else "+" if there > 0 else "−"
            same = sign != "0" and (here > 0) == (there > 0) and here != 0
            known, agreed = known + (sign != "0"), agreed + same
            answer = "paper ≈ 0" if sign == "0" else "same sign" if same else f"paper {sign}"
            cells[what, column] = Entry(words=f"{here:+.2f}", note=answer)
    return Table(
        name="effects:ablation",
        title="Does each step of the ablation point the same way?",
        caption="Points of accuracy that each step adds here, and whether the paper's effect has the same sign.",
        columns=shared,
        rows=rows,
        cells=cells,
        notes=[
            f"{agreed} of {known} steps have the same sign; published effects below {MARGIN} points are not counted."
        ],
        simulated=True,
        stub=("Step",),
    )


def curve_table(sweeps: Sequence[tuple[Table, str]]) -> Table:
    """For each sensitivity curve: the best value here and in the paper, and what the paper's would lose here."""
    columns = ("Best here", "Paper", "Steps apart", "Near", "Points lost here with the paper's")
    rows, cells = [], {}
    for ours, parameter in sweeps:
        theirs = published()[ours.name]
        for column in (column for column in ours.columns if column in theirs.columns):
            here = complete_means(ours, column)
            grid = [row for row in theirs.rows if row in here]
            chosen = _chosen(theirs, column, grid)
            if len(grid) < 2 or chosen is None:
                continue
            row = row_label(ours.name.removeprefix("tab:"), parameter, column)
            rows.append(row)
            best = max(grid, key=here.__getitem__)
            apart = abs(grid.index(best) - grid.index(chosen))
            words = (best, chosen, str(apart), _agree(apart <= NEAR))
            cells.update({(row, name): Entry(words=word) for name, word in zip(columns, words, strict=False)})
            cells[row, columns[4]] = Entry(mean=here[best] - here[chosen])
    return Table(
        name="effects:sensitivity",
        title="Does each sensitivity curve peak where the paper's does?",
        caption=(
            "Best here: the value with the highest mean. Paper: the one it selected, or its highest where it selected "
            f"none. Near: at most {NEAR} step of the grid apart; a flat curve peaks anywhere and loses nothing."
        ),
        columns=columns,
        rows=rows,
        cells=cells,
        notes=[_count(rows, cells, columns[3], "curves peak near the paper's choice")],
        simulated=True,
        stub=("Table", "Parameter", "Column"),
        detail=True,
    )


def _chosen(theirs: Table, column: str, grid: Sequence[str]) -> str | None:
    """The paper's selected value, or its best one; None where the selected one was not measured here."""
    selected = next((row for row in theirs.rows if theirs.entry(row, column).mark == "selected"), None)
    if selected is not None:
        return selected if selected in grid else None
    values = complete_means(theirs, column)
    return max(grid, key=values.__getitem__, default=None)


def _effect(table: Table, start: str, end: str, column: str) -> float | None:
    values = complete_means(table, column)
    return values[end] - values[start] if start in values and end in values else None


def _agree(same: bool) -> str:
    return "yes" if same else "no"


def _count(rows: Sequence[str], cells: dict[tuple[str, str], Entry], column: str, what: str) -> str:
    return f"{sum(cells[row, column].words == 'yes' for row in rows)} of {len(rows)} {what}."
