"""Charts of quantities: error against labels, and predicted against true."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bideta.protocol.quantity_bench.rivals import OURS, RIVALS
from bideta.protocol.records import Record
from bideta.quantities.targets import parse_column
from bideta.report import pyplot
from bideta.report.figures import BLUE, CYCLE, VERMILION, WIDTH, Figure, save

OTHERS = [colour for colour in CYCLE if colour != VERMILION]  # which is ours
PANELS = 3  # sensors that are drawn, at most
MOST_LABELS = "100"  # of the scatter, where there are records


def errors_chart(records: Sequence[Record], folder: Path, kind: str) -> Figure | None:
    """Normalised error against labels, one panel for each of the first sensors; every draw of ours is a dot."""
    sensors = sorted({r.cell.target for r in records if r.cell.method != OURS})[:PANELS]
    if not sensors:
        return None
    labels = sorted({int(r.cell.budget) for r in records})
    figure, axes = pyplot().subplots(
        1, len(sensors), figsize=(WIDTH, 3.6), squeeze=False, layout="constrained"
    )
    for axis, sensor in zip(axes[0], sensors, strict=True):
        of = [r for r in records if r.cell.target == sensor]
        for k, method in enumerate((OURS, *RIVALS)):
            points = [
                [r.values["normalised"] for r in of if (r.cell.method, r.cell.budget) == (method, str(n))]
                for n in labels
            ]
            there = [(n, values) for n, values in zip(labels, points, strict=True) if values]
            if not there:
                continue
            ours = method == OURS
            axis.plot(
                [n for n, _ in there],
                [np.mean(values) for _, values in there],
                color=VERMILION if ours else OTHERS[(k - 1) % len(OTHERS)],
                linewidth=2.2 if ours else 1.0,
                linestyle="-" if ours or k <= len(OTHERS) else "--",
                label=method,
                zorder=3 if ours else 2,
            )
            if ours:
                dots = [(n, value) for n, values in there for value in values]
                axis.plot(*zip(*dots, strict=True), ".", color=VERMILION, markersize=4, alpha=0.6)
        axis.set(xscale="log", xlabel="labelled contacts", title=sensor)
        axis.set_xticks(labels, map(str, labels))
        axis.minorticks_off()
    axes[0][0].set_ylabel("error / error of a constant")
    axes[0][-1].legend(fontsize=6)
    caption = (
        f"Error against labelled contacts, {kind} sensors. Mean of the draws; dots are the draws of ours. One is no "
        "better than a constant."
    )
    return save(figure, folder / f"errors-{kind}.png", caption)


def scatter_chart(records: Sequence[Record], folder: Path, kind: str) -> Figure | None:
    """Predicted against true of the first draw, a row for each of the first sensors."""
    ours = [r for r in records if r.cell.method == OURS and "truth" in r.arrays]
    ours = [r for r in ours if r.cell.budget == MOST_LABELS] or ours
    first = {
        r.cell.target: r
        for r in sorted(ours, key=lambda r: (r.cell.target, -int(r.cell.budget)), reverse=True)
    }
    chosen = [first[sensor] for sensor in sorted(first)[:2]]
    if not chosen:
        return None
    T = max(len(r.arrays["targets"]) for r in chosen)
    size = WIDTH, 1.2 + 9.0 / T * len(chosen)
    figure, axes = pyplot().subplots(len(chosen), T, figsize=size, squeeze=False, layout="constrained")
    for row, record in zip(axes, chosen, strict=True):
        truth, value = (np.array(record.arrays[name]) for name in ("truth", "value"))
        for axis in row[len(record.arrays["targets"]) :]:
            axis.axis("off")
        row[0].set_ylabel(record.cell.target)
        for t, column in enumerate(record.arrays["targets"]):
            target, axis = parse_column(column), row[t]
            axis.plot(truth[:, t], value[:, t], ".", markersize=3, color=BLUE)
            ends = [truth[:, t].min(), truth[:, t].max()]
            axis.plot(ends, ends, color="black", linewidth=0.8)
            axis.set_title(f"{target.name} ({target.unit})", fontsize=8)
            axis.tick_params(labelsize=7)
    caption = (
        f"Predicted (up) against true (across), {kind} sensors, {chosen[0].cell.budget} labelled contacts, first draw. "
        "The line is the truth."
    )
    return save(figure, folder / f"scatter-{kind}.png", caption)
