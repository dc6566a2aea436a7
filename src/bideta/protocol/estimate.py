"""How long cells take: the mean of similar cells measured so far, a rough guess before there are any."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from bideta.protocol.experiment import Cell
from bideta.protocol.experiments import find
from bideta.protocol.extras import trained_methods
from bideta.protocol.records import Record

# Seconds of one core at the paper's sizes, measured on the twin; only the first estimate rests on them.
FIRST_GUESS = {
    "logistic": 8.0,
    "tim": 3.5,
    "alpha-tim": 3.5,
    "label-spreading": 1.5,
}
OTHERWISE = 0.6
# A trained head takes 3,000 steps of 16 contacts per class: TacQuad has 56 classes, TacVerse nine.
TRAINED = {"tacquad": 27.0, "tacverse": 10.0}
TRAINED_OTHERWISE = 15.0
QUICK_FACTOR = 0.15  # of the guess, in a quick run


class Estimate:
    """Expected seconds of a cell, learned from records as they come."""

    def __init__(self, records: Iterable[Record] = (), quick: bool = False) -> None:
        self._sums: defaultdict[tuple[str, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._factor = QUICK_FACTOR if quick else 1.0
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """Learn from a cell that was measured."""
        if record.status == "failed":
            return
        for key in _keys(record.cell):
            total = self._sums[key]
            total[0] += record.seconds
            total[1] += 1

    def seconds(self, cell: Cell) -> float:
        """Expected time of a cell: mean of the most similar cells that there are."""
        for key in _keys(cell):
            if key in self._sums:
                total, count = self._sums[key]
                return total / count
        if cell.method in trained_methods():
            return self._factor * TRAINED.get(cell.dataset.rpartition("-")[2], TRAINED_OTHERWISE)
        return self._factor * FIRST_GUESS.get(cell.method, OTHERWISE)

    def left(self, cells: Iterable[Cell], jobs: int) -> float:
        """Seconds until this many workers have done the cells; timed ones run alone, one after the other."""
        return sum(self.seconds(cell) / (1 if find(cell.experiment).alone else jobs) for cell in cells)


def _keys(cell: Cell) -> list[tuple[str, ...]]:
    """From most to least similar."""
    return [
        (cell.experiment, cell.dataset, cell.method, cell.budget),
        (cell.experiment, cell.dataset, cell.method),
        (cell.experiment, cell.method),
    ]
