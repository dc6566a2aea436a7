"""Charts of the real recordings: the leak, accuracy against labels, pairs of sensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bideta.protocol.real.cells import LEAK
from bideta.protocol.real.methods import PRESETS, SOURCE
from bideta.protocol.real.splits import LATE
from bideta.protocol.records import Record
from bideta.report import pyplot
from bideta.report.figures import CYCLE, GREY, WIDTH, Figure, accuracy_panels, save
from bideta.report.real_values import columns, detailed, encoders, labels, leak_free

BAR = 0.8  # width of a group of bars


def draw(records: Sequence[Record], folder: Path) -> dict[str, Figure]:
    """Name → chart, those for which there are records."""
    made = {"leak": leak_chart(records, folder), "labels": labels_chart(records, folder)}
    made["pair"] = pair_chart(records, folder)
    return {name: chart for name, chart in made.items() if chart is not None}


def leak_chart(records: Sequence[Record], folder: Path) -> Figure | None:
    """Bars: how many presses the background tells, by set and encoder; chance as a line."""
    leaks = {(r.cell.dataset, r.cell.encoder): r.values for r in records if r.cell.target == LEAK}
    if not leaks:
        return None
    sets = sorted({name for name, _ in leaks})
    names = encoders(r for r in records if r.cell.target == LEAK)
    figure, axis = pyplot().subplots(figsize=(WIDTH, 3.2), layout="constrained")
    width = BAR / len(names)
    for k, encoder in enumerate(names):
        heights = [100 * leaks.get((name, encoder), {"accuracy": 0})["accuracy"] for name in sets]
        axis.bar(
            np.arange(len(sets)) + (k + 0.5) * width - BAR / 2, heights, width, color=CYCLE[k], label=encoder
        )
    for i, name in enumerate(sets):
        chance = next(100 * values["chance"] for (one, _), values in leaks.items() if one == name)
        axis.hlines(
            chance, i - BAR / 2, i + BAR / 2, color="black", linewidth=2, label="chance" if i == 0 else None
        )
    axis.set_xticks(range(len(sets)), [name.replace("-", "-\n", 1) for name in sets], fontsize=7)
    axis.set(ylabel="presses told (%)", ylim=(0, 100))
    axis.legend(fontsize=7, ncols=6, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    caption = (
        "Share of presses whose class a single background frame tells, by encoder. Far above chance, figures within "
        "the recording are flattered."
    )
    return save(figure, folder / "leak.png", caption)


def labels_chart(records: Sequence[Record], folder: Path) -> Figure | None:
    """Accuracy against labels, one panel per leak-free split; the default encoder."""
    free = leak_free(records)
    if not free:
        return None
    best = encoders(free)[0]
    methods = columns(r for r in free if r.cell.encoder == best)
    chosen = [r for r in free if r.cell.encoder == best and r.cell.method in methods]
    panels = sorted({(r.cell.dataset, r.cell.target) for r in chosen})
    figure, axes = accuracy_panels(len(panels), 2.4, layout="constrained")
    for axis, panel in zip(axes, panels, strict=True):
        here = [r for r in chosen if (r.cell.dataset, r.cell.target) == panel]
        for k, method in enumerate(methods):
            points: dict[int, list[float]] = {}
            for r in here:
                if r.cell.method == method:
                    points.setdefault(labels(r), []).append(r.values["accuracy"])
            if points:
                x = sorted(points)
                colour, ours = CYCLE[k % len(CYCLE)], method in PRESETS
                y = [100 * np.mean(points[n]) for n in x]
                look = {"linewidth": 2.2} if ours else {"linewidth": 1, "linestyle": "--"}
                axis.plot(x, y, color=colour, marker="o", markersize=2, label=method, **look)
        axis.set_xscale("log")
        ticks = sorted({labels(r) for r in here})
        axis.set_xticks(ticks, list(map(str, ticks)))
        axis.minorticks_off()
        axis.set_title(f"{panel[0]}, {panel[1]}", fontsize=8)
    # Beside the panels: lines reach into every corner of them.
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", fontsize=7, ncols=5, frameon=False
    )
    caption = (
        f"Accuracy against labelled frames per class, leak-free splits, encoder {best}. Dashed: the strongest "
        "comparisons."
    )
    return save(figure, folder / "labels.png", caption)


def leading_preset(records: Sequence[Record]) -> str:
    """The first preset that was measured."""
    there = {record.cell.method for record in records}
    return next((name for name in PRESETS if name in there), "")


Pair = tuple[tuple[str, str, str], float, dict[str, float]]


def pairs(records: Sequence[Record]) -> Iterator[Pair]:
    """(source set, target set, encoder), accuracy of the source unchanged, labels → accuracy adapted; per cent."""
    ours = leading_preset(records)
    for r in records:
        if r.cell.method != SOURCE:
            continue
        curve: dict[int, list[float]] = {}
        for other in records:
            same = (other.cell.dataset, other.cell.encoder) == (r.cell.dataset, r.cell.encoder)
            if same and (other.cell.target, other.cell.method, other.cell.variant) == (
                LATE,
                ours,
                "balanced",
            ):
                curve.setdefault(labels(other), []).append(other.values["accuracy"])
        name = r.cell.target.removeprefix("source "), r.cell.dataset, r.cell.encoder
        adapted = {str(n): 100 * float(np.mean(curve[n])) for n in sorted(curve)}
        yield name, 100 * r.values["accuracy"], adapted


def pair_chart(records: Sequence[Record], folder: Path) -> Figure | None:
    """Bars: the source unchanged, then adapted with more and more labels."""
    known = detailed(records)
    shown = [pair for pair in pairs(records) if pair[2] and pair[0][2] in known]
    if not shown:
        return None
    figure, axis = pyplot().subplots(figsize=(WIDTH, 3.2), layout="constrained")
    steps = ["source", *shown[0][2]]
    width = BAR / len(steps)
    for k, step in enumerate(steps):
        heights = [source if step == "source" else curve.get(step, 0.0) for _, source, curve in shown]
        colour = GREY if step == "source" else CYCLE[(k - 1) % len(CYCLE)]
        label = "source, unchanged" if step == "source" else f"{step} labels"
        axis.bar(
            np.arange(len(shown)) + (k + 0.5) * width - BAR / 2, heights, width, color=colour, label=label
        )
    names = [f"{old}\n→ {new}\n{encoder}" for (old, new, encoder), _, _ in shown]
    axis.set_xticks(range(len(shown)), names, fontsize=6)
    axis.set(ylabel="accuracy (%)", ylim=(0, 100))
    axis.legend(fontsize=7, ncols=6, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    caption = (
        "Another sensor of the same kind: its source's classifier unchanged, and adapted with a few labels."
    )
    return save(figure, folder / "pair.png", caption)
