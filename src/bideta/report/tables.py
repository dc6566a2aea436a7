"""A results table and the marks in it; ``formats/`` writes it as Markdown, LaTeX, CSV or HTML."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

State = Literal["value", "incomplete", "unavailable", "missing"]
Mark = Literal["", "best", "second", "selected"]

PART = " | "  # separates the parts of a row label, as in "BIDETA | T"


def row_label(*parts: str) -> str:
    """A label that spreads over several stub columns."""
    return PART.join(parts)


def first_part(label: str) -> str:
    """What stands in the first stub column."""
    return label.partition(PART)[0]


@dataclass(frozen=True)
class Entry:
    """One cell: mean and sample standard deviation in the table's unit (percent, seconds, …).

    ``incomplete``: some seeds are missing, ``note`` says how many are there. ``unavailable``: the method cannot run on
    these data (–). ``missing``: not run yet, or failed; ``note`` says which.
    """

    mean: float | None = None
    std: float | None = None  # None: one seed, or not reported
    mark: Mark = ""
    state: State = "value"
    note: str = ""
    digits: int = 2
    words: str = ""  # printed instead of the number

    @property
    def text(self) -> str:
        """``12.34 ± 0.56``, without mark and note; – where the method cannot run, … where nothing is known yet."""
        if self.words:
            return self.words
        if self.mean is None:
            return "–" if self.state == "unavailable" else "…"
        mean = f"{self.mean:,.{self.digits}f}"
        return mean if self.std is None else f"{mean} ± {self.std:,.{self.digits}f}"


UNAVAILABLE = Entry(state="unavailable")
MISSING = Entry(state="missing", note="not run")


@dataclass(frozen=True)
class Table:
    """A table that knows its labels; ``cells`` maps (row, column) to an entry, and absent ones are missing.

    Row labels are unique. A label with `` | `` in it spreads over the columns that ``stub`` names.
    """

    name: str  # "tab:sitr"; ours begin with "ours:"
    caption: str  # metric, seeds, encoder; whole sentences
    columns: Sequence[str]
    rows: Sequence[str]
    cells: Mapping[tuple[str, str], Entry]
    groups: Mapping[str, str] = field(default_factory=dict)  # row → heading above it
    notes: Sequence[str] = ()  # one line each, below the table
    simulated: bool = False
    title: str = ""  # heading; "name" where empty
    stub: Sequence[str] = ("Method",)
    extra: Collection[str] = ()  # rows that the paper does not have; they come last
    starred: Collection[str] = ()  # rows of the default setting
    detail: bool = False  # read after the main tables

    def __post_init__(self) -> None:
        if len(set(self.rows)) != len(self.rows):
            raise ValueError(f"{self.name}: row labels repeat: {', '.join(self.rows)}")
        strangers = [key for key in self.cells if key[0] not in self.rows or key[1] not in self.columns]
        if strangers:
            raise ValueError(f"{self.name}: cells outside rows and columns: {strangers[:3]}")

    def entry(self, row: str, column: str) -> Entry:
        """The cell; one that was never filled is missing."""
        return self.cells.get((row, column), MISSING)

    @property
    def heading(self) -> str:
        """Title for people; says so where the numbers are simulated."""
        title = self.title or self.name
        return f"{title} (simulated)" if self.simulated and "simulated" not in title.lower() else title

    @property
    def incomplete(self) -> list[tuple[str, str]]:
        """Cells that lack some or all of their seeds."""
        return [
            (row, column)
            for row in self.rows
            for column in self.columns
            if self.entry(row, column).state in ("incomplete", "missing")
        ]


def complete_means(table: Table, column: str) -> dict[str, float]:
    """Row → mean of the cells that lack no seed."""
    entries = {row: table.entry(row, column) for row in table.rows}
    return {row: e.mean for row, e in entries.items() if e.state == "value" and e.mean is not None}


def mark_best(
    table: Table,
    *,
    lower: Collection[str] = (),
    contest: Callable[[str], Hashable | None] = lambda row: "all",
) -> Table:
    """The table with best and second-best marked in each column, among rows with the same ``contest``.

    ``lower`` names the columns in which less is better; a row whose contest is None takes no part. Values that print
    alike share a mark (as in the paper), and cells that lack seeds get none.
    """
    return _marked(table, contest, lower, ("best", "second"))


def mark_selected(table: Table) -> Table:
    """The table with the highest value of each column marked as selected; of equal ones a starred row, or the first."""
    marked = _marked(table, lambda row: "all", (), ("selected",))
    cells = dict(marked.cells)
    for column in table.columns:
        chosen = [row for row in table.rows if marked.entry(row, column).mark]
        keep = next((row for row in chosen if row in table.starred), chosen[0] if chosen else None)
        for row in chosen:
            if row != keep:
                cells[row, column] = replace(cells[row, column], mark="")
    return replace(table, cells=cells)


def _marked(
    table: Table, contest: Callable[[str], Hashable | None], lower: Collection[str], marks: Sequence[Mark]
) -> Table:
    cells = {key: replace(entry, mark="") for key, entry in table.cells.items()}
    for column in table.columns:
        contests: dict[Hashable, dict[str, float]] = {}
        for row in table.rows:
            entry, key = table.entry(row, column), contest(row)
            if entry.state == "value" and entry.mean is not None and key is not None:
                contests.setdefault(key, {})[row] = round(entry.mean, entry.digits)
        for values in contests.values():
            order = sorted(set(values.values()), reverse=column not in lower)
            for value, mark in zip(order, marks, strict=False):
                for row in (row for row, mean in values.items() if mean == value):
                    cells[row, column] = replace(cells[row, column], mark=mark)
    return replace(table, cells=cells)
