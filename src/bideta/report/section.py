"""A section of the report: the tables and figures of one experiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bideta.protocol.records import Record
from bideta.report.figures import Figure
from bideta.report.run_data import RunData
from bideta.report.tables import Table


def no_figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """For sections whose tables say everything."""
    return []


def no_pictures(records: Sequence[Record], folder: Path, data: RunData) -> list[Figure]:
    """For sections that show neither frames nor readouts."""
    return []


@dataclass(frozen=True)
class Section:
    """What an experiment looks like in the report. Records may be of a complete run or of one still going."""

    title: str  # the heading
    tables: Callable[[Sequence[Record]], list[Table]]  # nothing recorded means []
    figures: Callable[[Sequence[Record], Path], list[Figure]] = no_figures  # drawn into a folder that exists
    # Figures that need the frames or readouts themselves. What cannot be opened any more is left out and said.
    pictures: Callable[[Sequence[Record], Path, RunData], list[Figure]] = no_pictures
    # Further experiments whose records it wants. ``cell.experiment`` tells them apart.
    needs: tuple[str, ...] = ()
