"""Don't know: reliability, promised risk, label sets, contacts of no enrolled class, and no contact at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from bideta.report import pyplot, wording
from bideta.report.figures import BLUE, GREY, ORANGE, VERMILION, WIDTH, Figure, save
from bideta.report.grids import Grid, grids_without_development, sensor_average
from bideta.report.section import Section
from bideta.report.tables import Entry, Table, mark_best

METHOD = "bideta"
ERRORS, BROKEN = "errors", "broken"  # not averaged over cells: a cell that answers nothing has no error rate
SCORES = {
    "reliability": "reliability",
    "lead": "lead × agreement of the readouts",
    "probability": "best probability",
}
COLOURS = {"reliability": BLUE, "lead": ORANGE, "probability": GREY}

# Row label → (variant, value, factor); values are fractions unless the factor says otherwise.
Rows = Mapping[str, tuple[str, str, float]]

ORDERING: Rows = {
    **{f"AURC | {name}": ("answers", f"aurc {score}", 100.0) for score, name in SCORES.items()},
    **{f"excess AURC | {name}": ("answers", f"excess {score}", 100.0) for score, name in SCORES.items()},
    **{f"calibration error | {name}": ("answers", f"ece {score}", 100.0) for score, name in SCORES.items()},
}
PROMISES: Rows = {
    **{
        f"risk {100 * risk:g} % | {what}": ("answers", f"{value} {risk:g}", 100.0)
        for risk in RISKS
        for what, value in (
            ("answered (%)", "answered"),
            ("errors among these (%)", ERRORS),
            ("cells above the promise (%)", BROKEN),
        )
    },
    **{
        f"sets of {100 * coverage:g} % | {what}": ("answers", f"{value} {coverage:g}", factor)
        for coverage in COVERAGES
        for what, value, factor in (
            ("hold the true class (%)", "covered", 100.0),
            ("mean size", "size", 1.0),
            ("empty (%)", "empty", 100.0),
        )
    },
}
STRANGE: Rows = {
    f"{where} | {what}": ("unknown", f"{value} {size}", 100.0)
    for size, where in (("batch", "whole batch"), ("small", f"batches of {SMALL}"))
    for what, value in (
        ("AUROC: novelty", "auroc novelty"),
        ("AUROC: best probability", "auroc probability"),
        ("AUROC: energy", "auroc energy"),
        ("unknown contacts found (%)", "found"),
        ("known contacts called unknown (%)", "false alarms"),
    )
}
UNTOUCHED: Rows = {
    f"AUROC: nearer to {BACKGROUND} untouched frames": ("untouched", "auroc touch", 100.0),
    "AUROC: best probability": ("untouched", "auroc probability", 100.0),
    "AUROC: novelty": ("untouched", "auroc novelty", 100.0),
    "untouched frames found (%)": ("untouched", "found", 100.0),
    "contacts called untouched (%)": ("untouched", "false alarms", 100.0),
}


def tables(records: Sequence[Record]) -> list[Table]:
    """Four tables for each dataset and encoder; without the development sensor where there are others."""
    made = []
    for grid in grids_without_development(records):
        for encoder in grid.encoders:
            made += [
                mark_best(
                    _table(
                        grid,
                        encoder,
                        "ordering",
                        "is the reliability a probability?",
                        "Area under the risk–coverage curve (AURC), its excess over a perfect order's, and expected "
                        "calibration error over ten bins, all in % (lower is better)",
                        ORDERING,
                        ("Figure", "Score"),
                    ),
                    lower=grid.budgets,
                    contest=lambda row: row.partition(" | ")[0],
                ),
                _table(
                    grid,
                    encoder,
                    "promises",
                    "is a promise kept?",
                    "Share of contacts answered and of errors among them for a promised risk (at 90 % confidence: "
                    "10 % of the cells may have more), and "
                    "what sets of labels hold",
                    PROMISES,
                    ("Promise", "Measured"),
                ),
                _table(
                    grid,
                    encoder,
                    "unknown",
                    "contacts of no enrolled class",
                    f"{STRANGERS} classes are not enrolled. AUROC (%) of telling their contacts, and what is found at "
                    f"a false-alarm rate set to {100 * FALSE_ALARMS:g} %",
                    STRANGE,
                    ("Queries", "Measured"),
                ),
                _table(
                    grid,
                    encoder,
                    "untouched",
                    "no contact at all",
                    "Frames of the untouched sensor among the queries",
                    UNTOUCHED,
                    ("Measured",),
                ),
            ]
    return made


def figures(records: Sequence[Record], folder: Path) -> list[Path | Figure]:
    """Risk against coverage and reliability diagrams, for each dataset, encoder and budget."""
    return [
        _figure(grid, encoder, budget, folder)
        for grid in grids_without_development(records)
        for encoder in grid.encoders
        for budget in grid.budgets
        if _good(grid, encoder, budget)
    ]


def _table(
    grid: Grid, encoder: str, name: str, title: str, what: str, rows: Rows, stub: Sequence[str]
) -> Table:
    word = grid.encoders[encoder]
    cells: dict[tuple[str, str], Entry] = {
        (row, budget): _entry(grid, encoder, variant, value, budget, factor)
        for row, (variant, value, factor) in rows.items()
        for budget in grid.budgets
    }
    return Table(
        name=f"ours:openset:{name}:{wording.role(grid.dataset)}:{word}",
        title=f"{wording.dataset_title(grid.dataset)} with {word}: {title}",
        caption=grid.caption(f"{what}; encoder {word}, {sensor_average(grid)}"),
        columns=list(grid.budgets),
        rows=list(rows),
        extra=list(rows),
        cells=cells,
        notes=grid.notes(wording.targets(grid.dataset, development=False)),
        simulated=grid.simulated,
        stub=stub,
    )


def _entry(grid: Grid, encoder: str, variant: str, value: str, budget: str, factor: float) -> Entry:
    """Mean ± standard deviation; of a promised risk, errors among all answers and cells above the promise."""
    what, _, risk = value.partition(" ")
    plain = grid.entry(value.replace(BROKEN, ERRORS), encoder, METHOD, variant, budget, scale=factor)
    if what not in (ERRORS, BROKEN) or plain.mean is None:
        return plain
    cells = [record.values for record in _good(grid, encoder, budget)]
    answered = sum(cell[f"answered {risk}"] for cell in cells)
    if not answered:
        return replace(plain, mean=None, std=None, words="nothing answered")
    wrong = sum(cell[f"answered {risk}"] * cell[f"{ERRORS} {risk}"] for cell in cells)
    above = sum(cell[f"{ERRORS} {risk}"] > float(risk) for cell in cells)
    share = wrong / answered if what == ERRORS else above / len(cells)
    return replace(plain, mean=factor * share, std=None)


def _good(grid: Grid, encoder: str, budget: str) -> list[Record]:
    return [record for record in grid.select(encoder, METHOD, "answers", budget) if record.status == "ok"]


def _figure(grid: Grid, encoder: str, budget: str, folder: Path) -> Figure:
    plt = pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.8), layout="constrained")
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
    name = grid.file_name("openset", encoder, budget)
    caption = (
        f"Left: errors among the surest answers against the share answered. Right: share of right answers against the "
        f"score; on the dotted line it is the probability of being right; {sensor_average(grid)}."
    )
    return Figure(save(figure, folder / name), caption)


SECTION = Section(
    title="Don't know",
    tables=tables,
    figures=figures,
)
