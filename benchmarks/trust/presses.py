"""``python -m benchmarks.trust.presses --real DIR [--cache DIR] [--quick]``: how many frames of contact are enough?

Half of the presses of every class (at most five) are labelled with all their frames, the others come one at a time,
frame by frame, through ``OnlineBideta`` and ``AnytimePress``. Shown: accuracy after t frames, of a frame alone and of
the press so far; how often the press is sure, after how many frames, and how often it is then wrong. Real sets, and
the twin (simulated). Writes results/anytime.json and docs/images/anytime.png.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import machine, results
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
    options = _options(arguments)
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
            results.write(options.results, "anytime", content)
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
        "alone": alone,
        "so_far": so_far,
        "probability": probability,
    }


def stopped(result: dict[str, Any], sure: float) -> tuple[list[int], list[bool], list[bool]]:
    """Of every press: frames until it was sure or over; whether it was sure; whether its answer was right."""
    frames, sures, rights = [], [], []
    for right, probability in zip(result["so_far"], result["probability"], strict=True):
        first = next((t for t, p in enumerate(probability) if p >= sure), None)
        frames.append((len(right) - 1 if first is None else first) + 1)
        sures.append(first is not None)
        rights.append(right[frames[-1] - 1])
    return frames, sures, rights


def table(content: dict[str, Any]) -> None:
    """Accuracy after t frames, and what stopping early does."""
    after = Table(
        "set", "ρ", *(f"{t}" for t in CUTS), "frame alone", title="right after t frames of contact, %"
    )
    early = Table(
        "set",
        "sure from",
        "presses sure",
        "wrong among them",
        "frames used",
        "press again",
        "right among them",
    )
    for name, cells in by_set(content).items():
        curve = [
            f"{100 * curve_of(cells, 'so_far')[t]:.1f}" if t in curve_of(cells, "so_far") else ""
            for t in CUTS
        ]
        single = np.mean([frame for cell in cells for press in cell["alone"] for frame in press])
        rho = ", ".join(f"{cell['correlation']:g}" for cell in cells)
        after.add_row(name, rho, *curve, f"{100 * single:.1f}")
        for sure in SURE:
            frames, sures, rights = (
                np.concatenate(part) for part in zip(*(stopped(cell, sure) for cell in cells), strict=True)
            )
            sures, rights = sures.astype(bool), rights.astype(bool)
            length = np.mean([len(press) for cell in cells for press in cell["alone"]])
            early.add_row(
                name, f"{sure:g}", f"{100 * sures.mean():.0f} %", _share(~rights[sures]),
                f"{frames[sures].mean() if sures.any() else float('nan'):.1f} of {length:.1f}",
                f"{100 * (~sures).mean():.0f} %", _share(rights[~sures]),
            )  # fmt: skip
    console = Console(highlight=False, width=150)
    console.print(after)
    console.print(early)


def _share(flags: Any) -> str:
    return f"{100 * np.mean(flags):.1f} %" if len(flags) else "–"


def by_set(content: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Set → results of its draws."""
    sets: dict[str, list[dict[str, Any]]] = {}
    for name, record in content["tasks"].items():
        sets.setdefault(name.partition(" | ")[0], []).append(record["result"])
    return sets


def curve_of(cells: list[dict[str, Any]], key: str) -> dict[int, float]:
    """Frames → share that is right then; presses that are over keep their last answer."""
    presses = [press for cell in cells for press in cell[key]]
    return {
        t: float(np.mean([press[min(t, len(press)) - 1] for press in presses]))
        for t in range(1, max(map(len, presses)) + 1)
    }


def chart(content: dict[str, Any], path: Path) -> None:
    """Accuracy against frames of contact, a panel for each set."""
    from matplotlib.figure import Figure

    sets = by_set(content)
    figure = Figure((12, 5.6), layout="constrained")
    for place, (name, cells) in enumerate(sets.items(), 1):
        axes = figure.add_subplot(2, 3, place)
        for key, colour, word in (
            ("alone", "0.5", "this frame alone"),
            ("so_far", "#2a6fb0", "press so far"),
        ):
            curve = curve_of(cells, key)
            axes.plot(
                list(curve), [100 * y for y in curve.values()], "o-", color=colour, label=word, markersize=3
            )
        frames, _, rights = (
            np.concatenate(part) for part in zip(*(stopped(cell, 0.95) for cell in cells), strict=True)
        )
        axes.plot(
            frames.mean(), 100 * rights.mean(), "*", color="#c0392b", markersize=11, label="stopped when sure"
        )
        axes.set_title(f"{name}, {'simulated' if name in SENSORS else 'real'}", fontsize=9)
        axes.tick_params(labelsize=7)
        if place == 1:
            axes.legend(fontsize=7)
    figure.supxlabel("frames of contact", fontsize=9)
    figure.supylabel("right, %", fontsize=9)
    figure.savefig(path, dpi=110)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust.presses", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one small sensor; written to build/benchmarks")
    parser.add_argument("--real", type=Path, help="folder of real sets, as bideta bench real --root")
    parser.add_argument(
        "--cache", type=Path, default=results.ROOT / "build" / "readouts", help="folder of readouts"
    )
    parser.add_argument("--results", type=Path, help="folder of the JSON results")
    options = parser.parse_args(arguments)
    options.results = options.results or results.folder_of(options.quick)
    return options


if __name__ == "__main__":
    main()
