"""One file per experiment: its tables and figures. ``labelshift.py`` reports the experiment ``labelshift``.

A section is a module with

- ``TITLE``: the heading;
- ``tables(records) -> list[Table]``: from records of all states, of a complete run or of one still going; nothing
  recorded means ``[]``. ``bideta.report.seed_average.summarize`` turns records into entries, ``mark_best`` marks;
- ``figures(records, folder) -> list[Path | Figure]``: pictures drawn into ``folder`` (it exists) with
  ``bideta.report.pyplot()`` and ``bideta.report.figures.save``. A ``Figure`` carries a caption;
- optionally ``pictures(records, folder, data) -> list[Path | Figure]``: those that need the frames or readouts
  themselves; ``data`` opens datasets and encoders as the run did. What cannot be opened any more is left out and said;
- optionally ``TEXT``: a paragraph below the heading, plain text;
- optionally ``NEEDS``: names of further experiments whose records it also wants.

``records`` holds the experiment's own records, and those of ``NEEDS``; tell them apart by ``record.cell.experiment``.
Names have ``_`` for ``-``; files that begin with an underscore are not sections.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from bideta.protocol.experiments import file_of, names_in
from bideta.protocol.records import Record
from bideta.report.figures import Figure
from bideta.report.tables import Table

# The paper's order; what is not named here follows in alphabetical order.
ORDER = (
    "motivation",
    "budgets",
    "ranking",
    "ablation",
    "shots",
    "sensitivity-sitr",
    "sensitivity-tacquad",
    "cost",
)


class Section(Protocol):
    """What a section module offers."""

    TITLE: str

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """The section's tables."""
        ...

    def figures(self, records: Sequence[Record], folder: Path) -> list[Path | Figure]:
        """The section's pictures, drawn into ``folder``."""
        ...


def names() -> list[str]:
    """Experiments that have a section, in the order of the report."""
    found = set(names_in(__path__))
    return [name for name in ORDER if name in found] + sorted(found.difference(ORDER))


def find(name: str) -> Section:
    """The section of an experiment."""
    return cast(Section, importlib.import_module(f"{__name__}.{file_of(name)}"))


def records_for(name: str, records: Sequence[Record]) -> list[Record]:
    """What the section of ``name`` is given."""
    wanted = {name, *getattr(find(name), "NEEDS", ())}
    return [record for record in records if record.cell.experiment in wanted]


def reported(records: Sequence[Record]) -> list[str]:
    """Experiments that have both records and a section, in the order of the report."""
    recorded = {record.cell.experiment for record in records}
    return [name for name in names() if name in recorded]
