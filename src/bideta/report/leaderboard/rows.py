"""Records → lines of the leaderboard: mean and deviation over seeds, for one sensor, encoder, method and budget."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bideta.protocol.quantity_bench.cells import QUANTITIES
from bideta.protocol.real.batches import BATCHES
from bideta.protocol.real.cells import EXPERIMENT as REAL
from bideta.protocol.real.cells import LEAK
from bideta.protocol.real.splits import is_leak_free
from bideta.protocol.records import Record
from bideta.report.leaderboard.commands import command
from bideta.report.leaderboard.submissions import run_name
from bideta.report.provenance import Run
from bideta.report.wording import SIMULATED

MOST = 100_000  # lines of a page


@dataclass(frozen=True)
class Metric:
    """A column of figures."""

    value: str  # name in the records
    title: str
    best: int  # 1: more is better, -1: less is
    scale: float = 100.0
    digits: int = 1


@dataclass(frozen=True)
class Board:
    """One kind of question; the first metric decides who is best."""

    name: str
    title: str
    text: str
    experiments: tuple[str, ...]
    metrics: tuple[Metric, ...]


BOARDS = (
    Board(
        "objects",
        "Which object?",
        "Accuracy in per cent of all contacts asked about. F1 is the mean over classes; per press, the answers of a "
        "press are put together.",
        ("budgets", "shots", "taps", REAL),
        (
            Metric("accuracy", "accuracy", 1),
            Metric("by_press", "per press", 1),
            Metric("macro_f1", "macro F1", 1),
        ),
    ),
    Board(
        "identities",
        "Which of many?",
        "Identities are ranked. MRR is the mean of one over the true one's place, R@1 the share of true ones that come "
        "first, both in per cent.",
        ("ranking",),
        (Metric("mrr", "MRR", 1), Metric("r1", "R@1", 1)),
    ),
    Board(
        "quantities",
        "How much?",
        "Depth, tilt, position, force. Error is the mean over quantities of the error in standard deviations of the "
        "truth: less is better. Covered is the share of truths inside the 90 % intervals.",
        (QUANTITIES,),
        (
            Metric("normalised", "error", -1, 1.0, 3),
            Metric("covered 0.9", "covered", 1),
        ),
    ),
)


@dataclass(frozen=True)
class Figure:
    """Mean and deviation over seeds; the deviation is None where there is one seed."""

    mean: float
    deviation: float | None


@dataclass(frozen=True)
class Row:
    """A line of the page."""

    board: str
    simulated: bool
    fair: bool  # drift within a recording cannot flatter it
    dataset: str
    sensor: str
    batch: str
    labels: str
    encoder: str
    method: str
    figures: tuple[Figure | None, ...]  # one per metric of the board
    seeds: tuple[int, ...]
    commits: tuple[str, ...]
    run: str
    command: str

    @property
    def question(self) -> tuple[str, ...]:
        """Lines with the same question may be compared."""
        return self.dataset, self.sensor, self.batch, self.labels


def make_rows(runs: Sequence[Run]) -> list[Row]:
    """Lines of all runs: those that the leak cannot flatter first, then by question, the best one first."""
    rows = [row for run in runs for row in _of_run(run)]
    if len(rows) > MOST:
        raise ValueError(f"{len(rows)} lines, at most {MOST:,} are expected on one page; give fewer runs")
    return sorted(rows, key=_order)


def best_of(rows: Iterable[Row]) -> set[Row]:
    """The best line of every question that has been answered by two or more, and those that look the same."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        if row.figures[0] is not None:
            groups.setdefault((row.board, str(row.simulated), *row.question), []).append(row)
    return {
        row
        for group in groups.values()
        if len(group) > 1
        for row in group
        if _shown_goodness(row) == min(map(_shown_goodness, group))
    }


def is_simulated(record: Record) -> bool:
    """What the record says, or what its dataset is called: nobody calls a twin real."""
    return record.simulated or record.cell.dataset.startswith(SIMULATED.removesuffix("-"))


def _of_run(run: Run) -> list[Row]:
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in run.records:
        cell = record.cell
        if record.status == "ok" and cell.target != LEAK and cell.method:
            key = (
                cell.experiment,
                cell.dataset,
                cell.target,
                cell.encoder,
                cell.method,
                cell.variant,
                cell.budget,
            )
            groups.setdefault((*key, is_simulated(record), record.scale), []).append(record)
    return [
        row
        for group in groups.values()
        for board in BOARDS
        if group[0].cell.experiment in board.experiments
        for row in [_row(board, group, run)]
        if row.figures[0] is not None
    ]


def _row(board: Board, group: Sequence[Record], run: Run) -> Row:
    first, cell = group[0], group[0].cell
    figures = []
    for metric in board.metrics:
        values = [
            metric.scale * record.values[metric.value] for record in group if metric.value in record.values
        ]
        deviation = statistics.stdev(values) if len(values) > 1 else None
        figures.append(Figure(statistics.fmean(values), deviation) if values else None)
    return Row(
        board.name,
        is_simulated(first),
        cell.experiment != REAL or is_leak_free(cell.target),
        cell.dataset + _settings(first, run),
        cell.target,
        cell.variant if cell.variant in BATCHES or cell.experiment == REAL else "as given",
        cell.budget,
        cell.encoder,
        cell.method if not cell.variant or cell.experiment == REAL else f"{cell.method} ({cell.variant})",
        tuple(figures),
        tuple(sorted({record.cell.seed for record in group})),
        tuple(sorted({record.commit or "unknown" for record in group})),
        run_name(run),
        command([record.cell for record in group], first, run.facts),
    )


def _settings(record: Record, run: Run) -> str:
    """What makes it another question: a twin's unusual scale and difficulty, or sensors whose names are a guess."""
    facts = run.facts.get("datasets", {}).get(record.cell.dataset, {})
    settings = facts.get("settings", {})
    words = ["sensors assumed"] if facts.get("assumed") else []
    words += [] if record.scale == 1 else [f"scale {record.scale:g}"]
    words += [
        f"{name} {value}"
        for name, value in sorted(settings.items())
        if name in ("difficulty", "size", "order", "seed") and isinstance(value, str | int)
    ]
    words += ["quick"] if run.facts.get("quick") is True else []
    return f" ({', '.join(words)})" if words else ""


def _goodness(row: Row) -> float:
    """Less is better."""
    assert row.figures[0] is not None
    return -_main(row).best * row.figures[0].mean


def _shown_goodness(row: Row) -> float:
    return round(_goodness(row), _main(row).digits)


def _main(row: Row) -> Metric:
    return next(board for board in BOARDS if board.name == row.board).metrics[0]


def _order(row: Row) -> tuple[Any, ...]:
    digits = "".join(sign for sign in row.labels if sign.isascii() and sign.isdigit())[:9]
    return (
        not row.fair,
        row.dataset,
        row.sensor,
        row.batch,
        int(digits or 0),
        row.labels,
        _goodness(row),
        row.run,
    )
