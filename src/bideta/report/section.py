"""A section of the report: the tables and figures of one experiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bideta.protocol.records import Record
from bideta.report.figures import Figure
from bideta.report.run_data import RunData
from bideta.report.tables import Table


@dataclass(frozen=True)
class Section:
    """What an experiment looks like in the report. Records may be of a complete run or of one still going."""

    title: str  # the heading
    tables: Callable[[Sequence[Record]], list[Table]]  # nothing recorded means []
    # Drawn into a folder that exists.
    figures: Callable[[Sequence[Record], Path], list[Figure]] = lambda records, folder: []
    # Figures that need the frames or readouts themselves. What cannot be opened any more is left out and said.
    pictures: Callable[[Sequence[Record], Path, RunData], list[Figure]] = lambda records, folder, data: []
    # Further experiments whose records it wants. ``cell.experiment`` tells them apart.
    needs: tuple[str, ...] = ()
