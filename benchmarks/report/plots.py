"""The pictures of the report, drawn without a display."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.report import bars, curves
from benchmarks.report.estimates import Answers
from benchmarks.report.palette import STYLE

FIGURES = {
    "shapes": bars.shapes,
    "stages": bars.stages,
    "growth": curves.growth,
    "support": curves.support,
    "latency": curves.latency,
    "whole": curves.whole,
}


def draw(section: str, answers: Answers, path: Path) -> None:
    """Write the picture of a section."""
    with plt.rc_context(STYLE):
        figure = FIGURES[section](answers)
        figure.savefig(path, metadata={"Software": None})  # the same numbers give the same bytes
        plt.close(figure)
