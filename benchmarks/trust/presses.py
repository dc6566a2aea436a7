"""``python -m benchmarks.trust.presses --real DIR [--cache DIR] [--quick]``: how many frames of contact are enough?

Half of the presses of every class (at most five) are labelled with all their frames, the others come one at a time,
frame by frame, through ``OnlineBideta`` and ``AnytimePress``. Shown: accuracy after t frames, of a frame alone and of
the press so far; how often the press is sure, after how many frames, and how often it is then wrong. Real sets, and
the twin (simulated). Writes results/anytime.json and docs/images/anytime.png.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import machine, results
from benchmarks.trust.options import read_options
from benchmarks.trust.recordings import Recording, real, twin
from bideta.classifier import Classifier
from bideta.deploy import AnytimePress, OnlineBideta, measure_frames
from bideta.presets import TOUCH
from bideta.sim import SENSORS

REAL = ("gelsight-mini-objects", "gelsight-wedge-balls", "gelsight-mini-day1", "gelsight-mini-day2")
TWIN = ("Mini_3", "Hex")
SEEDS, LABELLED, ASKED = range(3), 5, 80  # draws; labelled presses of a class; presses asked, at most
SURE = (0.8, 0.9, 0.95)
CUTS = (1, 2, 3, 5, 8, 12, 16)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every set and draw, write the results after each and print them."""
    options = read_options(arguments, "presses", __doc__, "one small sensor")
    names = [*TWIN, *(REAL if options.real else ())]
    content: dict[str, Any] = {"machine": machine.facts(), "tasks": {}}
    for name in names[:1] if options.quick else names:
        per_class, frames = (4, 4) if options.quick else (16, 16)
        recording = (
            twin(SENSORS[name], options.cache, per_class, frames, seed=1)
            if name in SENSORS
            else real(options.real, options.cache, name)
        )
        for seed in SEEDS[:1] if options.quick else SEEDS:
            content["tasks"][f"{name} | {seed}"] = {"result": measure(recording, seed)}
            results.write(options.results, "anytime", content, rows=True)
    table(content)
    if not options.quick:
        chart(content, results.ROOT / "docs" / "images" / "anytime.png")


def measure(recording: Recording, seed: int) -> dict[str, Any]:
    """Right or wrong of every asked press after each of its frames, and what the posterior said."""
    pool, asked = recording.halves(seed)
    rng = np.random.default_rng((seed, 19))
    few = [
        press
        for c in np.unique(pool.labels)
        for press in rng.permutation(np.unique(pool.presses[pool.labels == c]))[:LABELLED]
    ]
    pool = pool[np.isin(pool.presses, few)]
    adapted = Classifier(**TOUCH).fit(pool.readouts, pool.labels, pool.presses)
    frames = measure_frames(adapted)
    online = OnlineBideta(adapted)
    alone, so_far, probability = [], [], []
    for press in rng.permutation(np.unique(asked.presses))[:ASKED]:
        going, rows = AnytimePress(adapted.classes_, frames), np.flatnonzero(asked.presses == press)
        said = [online.predict_one(tuple(H[row] for H in asked.readouts)) for row in rows]
        answers = [going.see(answer.proba) for answer in said]
        truth = asked.labels[rows[0]]
        alone.append([bool(answer.label == truth) for answer in said])
        so_far.append([bool(answer.label == truth) for answer in answers])
        probability.append([round(answer.probability, 4) for answer in answers])
    return {
        "correlation": frames.correlation,
        "temperature": frames.temperature,
        "frames": float(np.mean([len(press) for press in alone])),
        "frame_alone": float(np.mean([right for press in alone for right in press])),
        "alone": curve_of(alone),
        "so_far": curve_of(so_far),
        "early": {f"{sure:g}": stopped(so_far, probability, sure) for sure in SURE},
    }


def curve_of(presses: list[list[bool]]) -> list[float]:
    """Share that is right after 1, 2, … frames; presses that are over keep their last answer."""
    longest = max(map(len, presses))
    return [
        round(float(np.mean([press[min(t, len(press)) - 1] for press in presses])), 4)
        for t in range(1, longest + 1)
    ]


def stopped(so_far: list[list[bool]], probability: list[list[float]], sure: float) -> dict[str, float]:
    """What stopping early does: presses, of them sure, wrong among these, their frames; right among the others.

    ``all_frames`` and ``all_right``: every press, the others with all their frames.
    """
    ends, sures, rights = [], [], []
    for right, said in zip(so_far, probability, strict=True):
        first = next((t for t, p in enumerate(said) if p >= sure), None)
        ends.append((len(right) - 1 if first is None else first) + 1)
        sures.append(first is not None)
        rights.append(right[ends[-1] - 1])
    end, is_sure, is_right = np.array(ends), np.array(sures), np.array(rights)
    return {
        "presses": len(end),
        "sure": int(is_sure.sum()),
        "sure_wrong": int((is_sure & ~is_right).sum()),
        "sure_frames": int(end[is_sure].sum()),
        "again_right": int((~is_sure & is_right).sum()),
        "all_frames": int(end.sum()),
        "all_right": int(is_right.sum()),
    }


def summary(cells: list[dict[str, Any]], sure: float) -> dict[str, float]:
    """The same, draws together."""
    early = [cell["early"][f"{sure:g}"] for cell in cells]
    return {key: sum(cell[key] for cell in early) for key in early[0]}


def mean_curve(cells: list[dict[str, Any]], key: str) -> list[float]:
    """Right after 1, 2, … frames in %, mean over draws; a draw without such long presses keeps its last."""
    longest = max(len(cell[key]) for cell in cells)
    return [
        100 * float(np.mean([cell[key][min(t, len(cell[key]) - 1)] for cell in cells]))
        for t in range(longest)
    ]


def table(content: dict[str, Any]) -> None:
    """Accuracy after t frames, and what stopping early does."""
    console = Console(highlight=False, width=150)
    for title, rows in tables(content).items():
        shown = Table(*rows[0], title=title)
        for row in rows[1:]:
            shown.add_row(*row)
        console.print(shown)


def tables(content: dict[str, Any]) -> dict[str, list[list[str]]]:
    """Title → rows, the first with the names of columns."""
    after = [["set", "ρ", *map(str, CUTS), "frame alone"]]
    early = [
        ["set", "sure from", "sure", "wrong among them", "frames used", "press again", "right among them"]
    ]
    for name, cells in by_set(content).items():
        curve = mean_curve(cells, "so_far")
        rho = ", ".join(f"{cell['correlation']:g}" for cell in cells)
        single = 100 * np.mean([cell["frame_alone"] for cell in cells])
        cuts = [f"{curve[t - 1]:.1f}" if t <= len(curve) else "" for t in CUTS]
        after.append([f"{name}, {kind(name)}", rho, *cuts, f"{single:.1f}"])
        length = np.mean([cell["frames"] for cell in cells])
        for sure in SURE:
            of = summary(cells, sure)
            again = of["presses"] - of["sure"]
            used = f"{of['sure_frames'] / of['sure']:.1f} of {length:.1f}" if of["sure"] else "–"
            early.append(
                [
                    f"{name}, {kind(name)}",
                    f"{sure:g}",
                    _share(of["sure"], of["presses"]),
                    _share(of["sure_wrong"], of["sure"]),
                    used,
                    _share(again, of["presses"]),
                    _share(of["again_right"], again),
                ]
            )
    return {"right after t frames of contact, %": after, "stopping when sure": early}


def kind(name: str) -> str:
    """Simulated or real."""
    return "simulated" if name in SENSORS else "real"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def by_set(content: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Set → results of its draws."""
    sets: dict[str, list[dict[str, Any]]] = {}
    for name, record in content["tasks"].items():
        sets.setdefault(name.partition(" | ")[0], []).append(record["result"])
    return sets


def chart(content: dict[str, Any], path: Path) -> None:
    """Accuracy against frames of contact, a panel for each set."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure((12, 5.6), layout="constrained")
    for place, (name, cells) in enumerate(by_set(content).items(), 1):
        axes = figure.add_subplot(2, 3, place)
        for key, colour, word in (
            ("alone", "0.5", "this frame alone"),
            ("so_far", "#2a6fb0", "press so far"),
        ):
            curve = mean_curve(cells, key)
            axes.plot(range(1, len(curve) + 1), curve, "o-", color=colour, label=word, markersize=3)
        of = summary(cells, SURE[-1])
        n = of["presses"]
        axes.plot(
            of["all_frames"] / n, 100 * of["all_right"] / n, "*", color="#c0392b", markersize=11,
            label="stopped when sure",
        )  # fmt: skip
        axes.set_title(f"{name}, {kind(name)}", fontsize=9)
        axes.tick_params(labelsize=7)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        if place == 1:
            axes.legend(fontsize=7)
    figure.supxlabel("frames of contact", fontsize=9)
    figure.supylabel("right, %", fontsize=9)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
