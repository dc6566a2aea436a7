"""Records → chapters: every section's tables and pictures, ready for any format."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bideta.report import published_comparison, sections
from bideta.report.figures import Figure
from bideta.report.headline import headline
from bideta.report.provenance import Run
from bideta.report.published import in_order
from bideta.report.run_data import RunData
from bideta.report.tables import Table

SHORT, COMPARISON = "short", "against"  # chapters that are not experiments


@dataclass(frozen=True)
class Chapter:
    """One heading of the report."""

    name: str  # for links and file names
    title: str
    text: str
    tables: Sequence[Table]
    figures: Sequence[Figure]


def chapters(run: Run, figures: Path | None, *, compare: bool = False) -> list[Chapter]:
    """One chapter per experiment, in the order of the paper; pictures go to the folder ``figures`` (None: no pictures).

    ``compare`` adds one that sets the tables beside the published ones.
    """
    if figures is not None:
        if importlib.util.find_spec("matplotlib") is None:
            raise ModuleNotFoundError(
                "figures need matplotlib: pip install 'bideta[plots]', or give --no-figures"
            )
        figures.mkdir(parents=True, exist_ok=True)
    made = []
    for name in sections.reported(run.records):
        section = sections.find(name)
        records = sections.records_for(name, run.records)
        drawn: list[Figure] = []
        text = ""
        if figures is not None:
            drawn += section.figures(records, figures)
            try:
                drawn += section.pictures(records, figures, RunData(run.facts))
            except (OSError, ValueError, ImportError) as error:
                # The data may have moved; the numbers are here.
                text = f"Some pictures are left out, as their data cannot be opened: {error}"
        shown = [_captioned(figure, run.simulated) for figure in drawn]
        made.append(Chapter(name, section.title, text, section.tables(records), shown))
    tables = all_tables(made)
    short = headline(tables)
    if short:
        made.insert(0, Chapter(SHORT, "In short", "", short, ()))
    if compare:
        title, text = published_comparison.title(tables), published_comparison.text(tables)
        made.append(Chapter(COMPARISON, title, text, published_comparison.compare(tables), ()))
    return made


def all_tables(made: Sequence[Chapter]) -> list[Table]:
    """Every table of the experiments, the paper's first and in its order."""
    experiments = [chapter for chapter in made if chapter.name not in (SHORT, COMPARISON)]
    return in_order([table for chapter in experiments for table in chapter.tables])


def _captioned(figure: Figure, simulated: bool) -> Figure:
    if simulated and "simulated" not in figure.caption.lower():
        return Figure(figure.path, f"{figure.caption} Simulated.")
    return figure
