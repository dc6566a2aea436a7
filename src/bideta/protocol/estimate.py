"""How long cells take: the mean of similar cells measured so far, a rough guess before there are any."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from bideta.protocol.experiment import Cell
from bideta.protocol.records import Record

# Seconds of one core at the paper's sizes, measured on the twin; only the first estimate rests on them.
FIRST_GUESS = {
    "sitr-calib": 11.0,
    "sitr-support": 11.0,
    "anytouch-match": 9.0,
    "ctsrl-csm": 11.0,
    "logistic": 8.0,
    "alpha-tim": 3.5,
    "frozen": 1.0,
    "tip-adapter": 1.0,
    "label-spreading": 1.5,
}
OTHERWISE = 0.6
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
        return self._factor * FIRST_GUESS.get(cell.method, OTHERWISE)

    def left(self, cells: Iterable[Cell], jobs: int) -> float:
        """Seconds until this many workers have done the cells."""
        return sum(map(self.seconds, cells)) / jobs


def _keys(cell: Cell) -> list[tuple[str, ...]]:
    """From most to least similar."""
    return [
        (cell.experiment, cell.dataset, cell.method, cell.budget),
        (cell.experiment, cell.dataset, cell.method),
        (cell.experiment, cell.method),
    ]
