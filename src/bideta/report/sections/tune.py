"""Settings chosen without labels of queries, beside the paper's preset, LDA and logistic regression."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bideta.protocol.experiments.tune import PRESET, QUERIES, SUPPORT
from bideta.protocol.records import Record
from bideta.report import pyplot, wording
from bideta.report.figures import BLUE, GREY, VERMILION, WIDTH, Figure, save
from bideta.report.grids import Grid, each_encoder, grids
from bideta.report.our_table import our_table
from bideta.report.section import Section
from bideta.report.tables import Entry, Table, mark_best

METHOD = "bideta"
RIVALS = ("logistic", "lda")
NAMES = {PRESET: "BIDETA, paper's preset", SUPPORT: f"BIDETA, {SUPPORT}", QUERIES: f"BIDETA, {QUERIES}"}
TUNED = (SUPPORT, QUERIES)
LOSS = -0.5  # points below the preset that no cell may exceed
NEAR = 1.0  # points below the best of preset, LDA and logistic regression that still count as equally good

Place = tuple[str, str, str, str]  # dataset, encoder, sensor, budget


@dataclass(frozen=True)
class Difference:
    """What tuning changes in one cell, in points; means over the seeds."""

    place: Place
    preset: float  # against the preset
    best: float | None  # against the best of preset and rivals; None where a rival was not run


def tables(records: Sequence[Record]) -> list[Table]:
    """Accuracy by budget for each dataset and encoder; over all cells the worst one and how many are good enough."""
    compared = with_rivals(records)
    made = [tune_table(*place) for place in each_encoder(grids(compared))]
    return [*made, verdict_table(compared)] if made else []


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """Gain over the preset of every cell."""
    compared = with_rivals(records)
    gains = {variant: differences(compared, variant) for variant in TUNED}
    if not any(gains.values()):
        return []
    places = sorted({d.place for cells in gains.values() for d in cells})
    order = {place: i for i, place in enumerate(places)}
    figure, axis = pyplot().subplots(figsize=(WIDTH, 3.6), layout="constrained")
    for (variant, cells), colour, shift in zip(gains.items(), (BLUE, VERMILION), (-0.15, 0.15), strict=True):
        x = [order[d.place] + shift for d in cells]
        axis.scatter(x, [d.preset for d in cells], s=14, color=colour, label=variant)
    axis.axhline(0, color=GREY, linewidth=0.8)
    axis.axhline(LOSS, color=GREY, linewidth=0.8, linestyle=":")
    starts = [i for i, place in enumerate(places) if i == 0 or place[:2] != places[i - 1][:2]]
    words = wording.encoder_labels(compared)
    for start, stop in zip(starts, [*starts[1:], len(places)], strict=True):
        dataset, encoder = places[start][:2]
        axis.axvline(start - 0.5, color=GREY, linewidth=0.5)
        above = axis.get_xaxis_transform()
        title = f"{wording.dataset_title(dataset)}, {words[encoder]}"
        axis.text((start + stop - 1) / 2, 1.02, title, transform=above, ha="center", fontsize=8)
    axis.set_xticks([])
    axis.set_xlim(-0.5, len(places) - 0.5)
    axis.set_xlabel("sensor × budget")
    simulated = ", simulated" if any(record.simulated for record in compared) else ""
    axis.set_ylabel(f"gain over the preset (points{simulated})")
    axis.legend(frameon=False, fontsize=8)
    caption = (
        "What tuned settings gain over the paper's preset in every cell (sensor, budget), mean over seeds"
        f"{simulated}. Dotted: {LOSS:g} points."
    )
    return [save(figure, folder / "tune.png", caption)]


def tune_table(grid: Grid, encoder: str) -> Table:
    """Preset, tuned and the two rivals × budgets, and the processor seconds of tuning."""
    pairs = {wording.method_title(method): (method, "") for method in RIVALS}
    pairs |= {row: (METHOD, variant) for variant, row in NAMES.items()}
    last = grid.budgets[-1]
    seconds = f"seconds, {last}"

    def entry(pair: tuple[str, str], column: str) -> Entry:
        if column != seconds:
            return grid.entry("accuracy", encoder, *pair, column)
        if pair[1] not in TUNED:
            return Entry(words=" ")  # nothing was chosen
        return grid.entry("seconds", encoder, *pair, last, scale=1.0, digits=1, spread=False)

    what = f"{wording.METRICS['accuracy']}; processor seconds of the choice."
    columns = {column: column for column in (*grid.budgets, seconds)}
    table = our_table(grid, encoder, "tune", "tuned settings", what, pairs, columns, entry, development=True)
    return mark_best(table, lower=[seconds])


def verdict_table(records: Sequence[Record]) -> Table:
    """Worst cell and mean gain against the preset, and how many cells are near the best of preset and rivals."""
    columns = [
        "mean gain",
        "worst cell",
        f"cells below {LOSS:g} (%)",
        f"cells within {NEAR:g} of the best of three (%)",
    ]
    cells: dict[tuple[str, str], Entry] = {}
    counts = []
    for variant in TUNED:
        changes = differences(records, variant)
        counts.append(len(changes))
        if not changes:
            continue
        gains = [d.preset for d in changes]
        near = [d.best >= -NEAR for d in changes if d.best is not None]
        values = [statistics.fmean(gains), min(gains), 100 * statistics.fmean(gain < LOSS for gain in gains)]
        values += [100 * statistics.fmean(near)] if near else []
        for column, value in zip(columns, values, strict=False):
            cells[NAMES[variant], column] = Entry(mean=value)
    return Table(
        name="ours:tune:cells",
        title="Tuned settings, cell by cell",
        caption=(
            f"Accuracy differences in points over {max(counts)} cells (sensor, encoder, budget), each the mean over "
            "its seeds. The three: the paper's preset, LDA and logistic regression."
        ),
        columns=columns,
        rows=[NAMES[variant] for variant in TUNED],
        extra=[NAMES[variant] for variant in TUNED],
        cells=cells,
        simulated=any(record.simulated for record in records),
    )


def differences(records: Sequence[Record], variant: str) -> list[Difference]:
    """Every cell that has both the tuned settings and the preset, with the seeds that both have."""
    accuracy: dict[tuple[str, str], dict[Place, dict[int, float]]] = {}
    for record in records:
        cell = record.cell
        if record.status == "ok":
            place = (cell.dataset, cell.encoder, cell.target, cell.budget)
            accuracy.setdefault((cell.method, cell.variant), {}).setdefault(place, {})[cell.seed] = (
                100 * record.values["accuracy"]
            )
    tuned, preset = accuracy.get((METHOD, variant), {}), accuracy.get((METHOD, PRESET), {})
    rivals = [accuracy.get((method, ""), {}) for method in RIVALS]
    changes = []
    for place in sorted(tuned.keys() & preset.keys()):
        gain = _gap(tuned[place], preset[place])
        others = [_gap(tuned[place], rival.get(place, {})) for rival in rivals]
        if gain is not None:
            known = [gap for gap in (gain, *others) if gap is not None]
            changes.append(Difference(place, gain, min(known) if len(known) == 1 + len(RIVALS) else None))
    return changes


def _gap(tuned: Mapping[int, float], other: Mapping[int, float]) -> float | None:
    """Mean difference over the seeds that both have."""
    seeds = tuned.keys() & other.keys()
    return statistics.fmean(tuned[seed] - other[seed] for seed in seeds) if seeds else None


def with_rivals(records: Sequence[Record]) -> list[Record]:
    """This experiment's records, and the rivals' of the budgets, where this one has cells."""
    tuned = [record for record in records if record.cell.experiment == "tune"]
    known = {_question(record) for record in tuned}
    rivals = [
        record
        for record in records
        if record.cell.experiment == "budgets" and record.cell.method in RIVALS and _question(record) in known
    ]
    return [*tuned, *rivals]


def _question(record: Record) -> tuple[str, str, str, str, int]:
    cell = record.cell
    return cell.dataset, cell.encoder, cell.target, cell.budget, cell.seed


# The two rivals come from the budgets.
SECTION = Section(
    title="Settings without labels of queries", tables=tables, figures=figures, needs=("budgets",)
)
