"""Records in the order of a table: which cell of the table a record belongs to, and what the caption has to say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.seed_average import summarize
from bideta.report.tables import Entry, Table

Row = TypeVar("Row")  # what a label of a table stands for
Column = TypeVar("Column")
NO_SUPPORT = ("0%", "")  # budgets under which a method that looks at no label may be recorded


@dataclass(frozen=True)
class Grid:
    """One experiment's records on one dataset, found by encoder, method, variant and budget."""

    records: Sequence[Record]
    dataset: str
    sensors: Sequence[str]  # target sensors that were run
    seeds: Sequence[int]
    encoders: dict[str, str]  # name → column word

    @property
    def title(self) -> str:
        """``SITR``, ``TacVerse Shape``, ``TacQuad``, or the dataset's name."""
        return wording.dataset_title(self.dataset)

    @property
    def role(self) -> str:
        """Which of the paper's datasets this is, or stands for."""
        return wording.role(self.dataset)

    def table(
        self,
        name: str,
        title: str,
        what: str,
        rows: Mapping[str, Row],
        columns: Mapping[str, Column],
        entry: Callable[[Row, Column], Entry],
        **fields: Any,
    ) -> Table:
        """Rows × columns: their labels, and what the cells are made of; ``fields`` are further ones of the table."""
        return Table(
            name=name,
            title=title,
            caption=self.caption(what),
            columns=list(columns),
            rows=list(rows),
            cells={(r, c): entry(row, column) for r, row in rows.items() for c, column in columns.items()},
            simulated=self.simulated,
            **fields,
        )

    def heading(self, encoder: str, budget: str = "") -> str:
        """What a picture shows, for its top: data set, encoder, and the share that was labelled."""
        parts = [self.title, self.encoders[encoder]]
        parts += [f"{self.budget_label(budget)} labelled"] if budget else []
        return ("simulated " if self.simulated else "") + ", ".join(parts)

    def file_name(self, kind: str, encoder: str, budget: str = "") -> str:
        """Name of that picture's file."""
        parts = [kind, self.role, self.encoders[encoder].lower().replace("/", "-")]
        parts += [budget.replace("%", "pc")] if budget else []
        return "-".join(parts) + ".png"

    @cached_property
    def budgets(self) -> list[str]:
        """Budgets that occur, smallest first."""
        return wording.budget_order(
            record.cell.budget for record in self.records if record.cell.budget not in NO_SUPPORT
        )

    def budget_label(self, budget: str) -> str:
        """The budget, or "8/80" (labelled contacts and pool of each class) where a reduced set makes "10%" untrue."""
        for record in self.records:
            done = record.values
            if record.cell.budget == budget and budget.endswith("%") and record.scale != 1 and "pool" in done:
                return f"{done['labels']:g}/{done['pool']:g}"
        return budget

    def columns(self, between: str = " ") -> dict[str, tuple[str, str]]:
        """Column label → encoder and budget, budget by budget for each encoder."""
        return {
            f"{word}{between}{self.budget_label(budget)}": (encoder, budget)
            for encoder, word in self.encoders.items()
            for budget in self.budgets
        }

    @cached_property
    def methods(self) -> list[tuple[str, str]]:
        """(method, variant) pairs that occur."""
        return sorted({(record.cell.method, record.cell.variant) for record in self.records})

    def entry(
        self,
        value: str,
        encoder: str,
        method: str,
        variant: str = "",
        budget: str = "",
        *,
        sensors: Sequence[str] | None = None,
        scale: float = 100.0,
        digits: int = 2,
        spread: bool = True,
    ) -> Entry:
        """Mean ± sample standard deviation over the seeds, averaged over ``sensors`` (all of them unless given)."""
        return summarize(
            self.select(encoder, method, variant, budget),
            value,
            sensors=self.sensors if sensors is None else sensors,
            seeds=self.seeds,
            scale=scale,
            digits=digits,
            spread=spread,
        )

    def select(self, encoder: str, method: str, variant: str = "", budget: str = "") -> list[Record]:
        """Records of one cell of a table; a source head, which sees no label, is the same at every budget."""
        same = (budget, *NO_SUPPORT, *self.budgets) if method == "frozen" else (budget,)
        recorded = (self._index.get((encoder, method, variant, other)) for other in same)
        return next((records for records in recorded if records), [])

    @cached_property
    def _index(self) -> dict[tuple[str, str, str, str], list[Record]]:
        index: dict[tuple[str, str, str, str], list[Record]] = {}
        for record in self.records:
            cell = record.cell
            index.setdefault((cell.encoder, cell.method, cell.variant, cell.budget), []).append(record)
        return index

    @property
    def simulated(self) -> bool:
        """Whether any of the numbers comes from simulated sensors."""
        return any(record.simulated for record in self.records)

    def caption(self, what: str) -> str:
        """``what`` is measured, then sensors, seeds, encoders, and whether all this is simulated."""
        seeds = (
            f"mean ± sample standard deviation over the seeds {wording.listed(self.seeds)}"
            if len(self.seeds) > 1
            else f"one seed ({wording.listed(self.seeds)}), so no standard deviation"
        )
        sentences = [f"{what}; {seeds}.", wording.encoder_note(self.encoders)]
        if self.simulated:
            sentences.append("Simulated: rendered sensors, not recordings of real ones.")
        return " ".join(filter(None, sentences))

    def notes(self, expected: Sequence[str]) -> list[str]:
        """What is left out against the dataset's ``expected`` sensors and the full scale."""
        absent = [name for name in expected if name not in self.sensors]
        scales = sorted({record.scale for record in self.records})
        notes = []
        if absent:
            notes.append(f"Incomplete: no records of {wording.sensor_list(absent)}.")
        if scales not in ([1.0], []):
            notes.append(f"Reduced scale: {wording.listed(scales)} of the full sets.")
            if any("/" in self.budget_label(budget) for budget in self.budgets):
                notes.append("Budgets are labelled contacts of the pool they are drawn from, per class.")
        return notes


def grids(records: Iterable[Record], *, development: bool = True) -> list[Grid]:
    """One grid for every dataset, the paper's first; without its development sensors unless asked for."""
    records = list(records)
    datasets = sorted(
        {record.cell.dataset for record in records},
        key=lambda name: ([*wording.DATASETS, wording.role(name)].index(wording.role(name)), name),
    )
    encoders = wording.encoder_labels(records)
    made = []
    for dataset in datasets:
        wanted = wording.targets(dataset, development=development)
        left_out = set(wording.targets(dataset)).difference(wanted)
        kept = [r for r in records if r.cell.dataset == dataset and r.cell.target not in left_out]
        here = {r.cell.encoder for r in kept}
        words = {name: word for name, word in encoders.items() if name in here}
        run = {r.cell.target for r in kept}
        sensors = [name for name in wanted if name in run] + sorted(run.difference(wanted))
        made.append(Grid(kept, dataset, sensors, sorted({r.cell.seed for r in kept}), words))
    return made


def grids_without_development(records: Sequence[Record]) -> list[Grid]:
    """Grids of the test sensors; of the development sensor alone where nothing else was run."""
    return [grid for grid in grids(records, development=False) if grid.sensors] or grids(records)


def each_encoder(of_datasets: Iterable[Grid]) -> list[tuple[Grid, str]]:
    """Every grid with each of its encoders."""
    return [(grid, encoder) for grid in of_datasets for encoder in grid.encoders]


def each_budget(of_datasets: Iterable[Grid]) -> list[tuple[Grid, str, str]]:
    """Every grid with each of its encoders and budgets."""
    return [(grid, encoder, b) for grid, encoder in each_encoder(of_datasets) for b in grid.budgets]


def sensor_average(grid: Grid) -> str:
    """ "averaged over the target sensors Hex and Wedge" ."""
    names = wording.sensor_list(grid.sensors)
    return f"averaged over the target sensor{'s' if len(grid.sensors) > 1 else ''} {names}"
