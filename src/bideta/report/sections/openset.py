"""Don't know: reliability, promised risk, label sets, contacts of no enrolled class, and no contact at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bideta.protocol.experiments.openset import (
    BACKGROUND,
    COVERAGES,
    FALSE_ALARMS,
    POINTS,
    RISKS,
    SMALL,
    STRANGERS,
)
from bideta.protocol.records import Record
from bideta.report import pyplot
from bideta.report.figures import BLUE, GREY, ORANGE, VERMILION, WIDTH, Figure, save
from bideta.report.grids import Grid, each_budget, each_encoder, grids_without_development, sensor_average
from bideta.report.our_table import our_table
from bideta.report.section import Section
from bideta.report.tables import Entry, Table, first_part, mark_best, row_label

METHOD = "bideta"
SCORES = {
    "reliability": "reliability",
    "lead": "lead × agreement of the readouts",
    "probability": "best probability",
}
COLOURS = {"reliability": BLUE, "lead": ORANGE, "probability": GREY}

Row = Callable[[Grid, str, str], Entry]  # grid, encoder, budget → the cell of a table


def mean(variant: str, value: str, factor: float = 100.0) -> Row:
    """Mean ± standard deviation of a recorded value; values are fractions unless the factor says otherwise."""
    return lambda grid, encoder, budget: grid.entry(value, encoder, METHOD, variant, budget, scale=factor)


def of_promise(risk: float, share: Callable[[Sequence[tuple[float, float]]], float]) -> Row:
    """A share that is not averaged over cells, since a cell that answers nothing has no error rate.

    ``share`` is given the answered part and the error rate of every cell.
    """

    def entry(grid: Grid, encoder: str, budget: str) -> Entry:
        plain = mean("answers", f"errors {risk:g}")(grid, encoder, budget)
        if plain.mean is None:
            return plain
        recorded = [record.values for record in _good(grid, encoder, budget)]
        cells = [(values[f"answered {risk:g}"], values[f"errors {risk:g}"]) for values in recorded]
        if not sum(answered for answered, _ in cells):
            return replace(plain, mean=None, std=None, words="nothing answered")
        return replace(plain, mean=100.0 * share(cells), std=None)

    return entry


def errors(risk: float) -> Row:
    """Errors among all answers."""
    return of_promise(
        risk, lambda cells: sum(part * rate for part, rate in cells) / sum(part for part, _ in cells)
    )


def broken(risk: float) -> Row:
    """Cells with more errors than promised."""
    return of_promise(risk, lambda cells: sum(rate > risk for _, rate in cells) / len(cells))


ORDERING = {
    row_label(figure, name): mean("answers", f"{value} {score}")
    for figure, value in (("AURC", "aurc"), ("excess AURC", "excess"), ("calibration error", "ece"))
    for score, name in SCORES.items()
}
PROMISES = {
    row_label(f"risk {100 * risk:g} %", what): row
    for risk in RISKS
    for what, row in (
        ("answered (%)", mean("answers", f"answered {risk:g}")),
        ("errors among these (%)", errors(risk)),
        ("cells above the promise (%)", broken(risk)),
    )
} | {
    row_label(f"sets of {100 * coverage:g} %", what): mean("answers", f"{value} {coverage:g}", factor)
    for coverage in COVERAGES
    for what, value, factor in (
        ("hold the true class (%)", "covered", 100.0),
        ("mean size", "size", 1.0),
        ("empty (%)", "empty", 100.0),
    )
}
STRANGE = {
    row_label(where, what): mean("unknown", f"{value} {size}")
    for size, where in (("batch", "whole batch"), ("small", f"batches of {SMALL}"))
    for what, value in (
        ("AUROC: novelty", "auroc novelty"),
        ("AUROC: best probability", "auroc probability"),
        ("AUROC: energy", "auroc energy"),
        ("unknown contacts found (%)", "found"),
        ("known contacts called unknown (%)", "false alarms"),
    )
}
UNTOUCHED = {
    f"AUROC: nearer to {BACKGROUND} untouched frames": mean("untouched", "auroc touch"),
    "AUROC: best probability": mean("untouched", "auroc probability"),
    "AUROC: novelty": mean("untouched", "auroc novelty"),
    "untouched frames found (%)": mean("untouched", "found"),
    "contacts called untouched (%)": mean("untouched", "false alarms"),
}


# Name, title, what is measured, rows, headings of the row labels.
QUESTIONS: tuple[tuple[str, str, str, Mapping[str, Row], Sequence[str]], ...] = (
    (
        "ordering",
        "is the reliability a probability?",
        "Area under the risk–coverage curve (AURC), its excess over a perfect order's, and expected calibration error "
        "over ten bins, all in % (lower is better)",
        ORDERING,
        ("Figure", "Score"),
    ),
    (
        "promises",
        "is a promise kept?",
        "Share of contacts answered and of errors among them for a promised risk (at 90 % confidence: 10 % of the "
        "cells may have more), and what sets of labels hold",
        PROMISES,
        ("Promise", "Measured"),
    ),
    (
        "unknown",
        "contacts of no enrolled class",
        f"{STRANGERS} classes are not enrolled. AUROC (%) of telling their contacts, and what is found at a "
        f"false-alarm rate set to {100 * FALSE_ALARMS:g} %",
        STRANGE,
        ("Queries", "Measured"),
    ),
    (
        "untouched",
        "no contact at all",
        "Frames of the untouched sensor among the queries",
        UNTOUCHED,
        ("Measured",),
    ),
)


def tables(records: Sequence[Record]) -> list[Table]:
    """Four tables for each dataset and encoder; without the development sensor where there are others."""
    made = []
    for grid, encoder in each_encoder(grids_without_development(records)):
        ordering, *others = (_table(grid, encoder, *question) for question in QUESTIONS)
        made += [mark_best(ordering, lower=grid.budgets, contest=first_part), *others]
    return made


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """Risk against coverage and reliability diagrams, for each dataset, encoder and budget."""
    places = each_budget(grids_without_development(records))
    return [_figure(*place, folder) for place in places if _good(*place)]


def _table(
    grid: Grid, encoder: str, name: str, title: str, what: str, rows: Mapping[str, Row], stub: Sequence[str]
) -> Table:
    return our_table(
        grid,
        encoder,
        f"openset:{name}",
        title,
        what,
        rows,
        {budget: budget for budget in grid.budgets},
        lambda row, budget: row(grid, encoder, budget),
        stub=stub,
    )


def _good(grid: Grid, encoder: str, budget: str) -> list[Record]:
    return [record for record in grid.select(encoder, METHOD, "answers", budget) if record.status == "ok"]


def _figure(grid: Grid, encoder: str, budget: str, folder: Path) -> Figure:
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(WIDTH, 3.8), layout="constrained")
    good = _good(grid, encoder, budget)
    shares = np.linspace(0.02, 1, POINTS)
    for score, name in SCORES.items():
        curves = []
        for record in good:
            coverage, risk = record.arrays[f"curve {score}"]
            curves.append(np.interp(shares, np.asarray(coverage, float), np.asarray(risk, float)))
        left.plot(100 * shares, 100 * np.mean(curves, axis=0), color=COLOURS[score], label=name)
        bins = np.concatenate([np.asarray(record.arrays[f"diagram {score}"]) for record in good])
        place = np.minimum((bins[:, 0] * 10).astype(int), 9)
        weight = np.bincount(place, bins[:, 2], minlength=10)
        filled = weight > 0
        mean = [
            np.bincount(place, bins[:, 2] * bins[:, i], minlength=10)[filled] / weight[filled] for i in (0, 1)
        ]
        right.plot(mean[0], mean[1], marker="o", color=COLOURS[score], label=name)
    right.plot([0, 1], [0, 1], color=VERMILION, linestyle=":", linewidth=1)
    left.set_xlabel("coverage: contacts answered (%)")
    left.set_ylabel("risk: errors among them (%)")
    right.set_xlabel("score")
    right.set_ylabel("share of right answers")
    left.legend(frameon=False, loc="upper left")
    for axis in (left, right):
        axis.grid(alpha=0.3)
    figure.suptitle(grid.heading(encoder, budget), fontsize=10)
    caption = (
        f"Left: errors among the surest answers against the share answered. Right: share of right answers against the "
        f"score; on the dotted line it is the probability of being right; {sensor_average(grid)}."
    )
    return save(figure, folder / grid.file_name("openset", encoder, budget), caption)


SECTION = Section(title="Don't know", tables=tables, figures=figures)
