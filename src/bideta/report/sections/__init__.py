"""One file per experiment with an object ``SECTION``, called as in ``bideta.protocol.experiments``.

``bideta.report.seed_average.summarize`` turns records into entries, ``mark_best`` marks; ``bideta.report.pyplot()`` and
``bideta.report.figures.save`` draw. Files that begin with an underscore are not sections.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from bideta.protocol.experiments import file_of, names_in
from bideta.protocol.records import Record
from bideta.report.section import Section

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
    "taps",
)


def names() -> list[str]:
    """Experiments that have a section, in the order of the report."""
    present = set(names_in(__path__))
    return [name for name in ORDER if name in present] + sorted(present.difference(ORDER))


def find(name: str) -> Section:
    """The section of an experiment."""
    section: Section = importlib.import_module(f"{__name__}.{file_of(name)}").SECTION
    return section


def records_for(name: str, records: Sequence[Record]) -> list[Record]:
    """What the section of ``name`` is given."""
    wanted = {name, *find(name).needs}
    return [record for record in records if record.cell.experiment in wanted]


def reported(records: Sequence[Record]) -> list[str]:
    """Experiments that have both records and a section, in the order of the report."""
    recorded = {record.cell.experiment for record in records}
    return [name for name in names() if name in recorded]
