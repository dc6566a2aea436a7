"""``python -m benchmarks.trust.earlier --real DIR [--cache DIR] [--quick]``: is an earlier sensor worth keeping?

A sensor with ten labelled contacts of every class gets a new gel, another day or another unit. With 1, 2, 5, 10 and 20
new labels per class it starts anew, takes all old labels, or lets the new ones decide (``keep_earlier``). Asked are the
presses that no label was drawn from. Twin units are simulated; the others are real. Writes results/earlier.json and
docs/images/earlier.png.
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
from benchmarks.trust.options import read_options
from benchmarks.trust.recordings import Recording, real, twin
from bideta.classifier import Classifier
from bideta.deploy import keep_earlier
from bideta.presets import TOUCH
from bideta.service.choices import DEFAULT_ENCODER
from bideta.sim import SENSORS

OLD = 10  # labelled contacts per class of the earlier sensor
LABELS, SEEDS = (1, 2, 5, 10, 20), range(5)
ASKED = 400  # queries of a draw, at most
# Encoder, earlier sensor, new sensor. Of the real ones b is another sensor; with twin-tvl its labels hurt.
REAL = [
    (name, f"gelsight-mini-{old}", f"gelsight-mini-{new}")
    for name in (DEFAULT_ENCODER, "twin-tvl")
    for old, new in (("day1", "day2"), ("day2", "day1"), ("b-day1", "day1"), ("b-day1", "day2"))
]
TWIN = [
    (DEFAULT_ENCODER, old, new)
    for old, new in (
        ("Mini_1", "Mini_2"),
        ("Mini_1", "GelSightMini"),
        ("Mini_2", "GelSightMini"),
        ("Hex", "Mini_1"),
    )
]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every pair, write the results after each and print them."""
    options = read_options(arguments, "earlier", __doc__, "one small pair")
    pairs = TWIN + (REAL if options.real else [])
    labels, seeds = (LABELS, SEEDS) if not options.quick else (LABELS[:2], SEEDS[:1])
    if options.quick:
        pairs = TWIN[:1]
    content: dict[str, Any] = {"machine": machine.facts(), "tasks": {}}
    for encoder, old, new in pairs:
        earlier, present = (_open(options, encoder, name) for name in (old, new))
        for n in labels:
            draws = [draw(earlier, present, n, seed) for seed in seeds]
            content["tasks"][f"{encoder} | {old} → {new} | {n}"] = {"result": {"draws": draws}}
            results.write(options.results, "earlier", content, rows=True)
    table(content)
    if not options.quick:
        chart(content, Path(results.ROOT) / "docs" / "images" / "earlier.png")


def draw(earlier: Recording, present: Recording, n: int, seed: int) -> dict[str, float]:
    """Accuracy in % of one draw: anew, all together, as the new labels decide; and the share that they chose."""
    pool, asked = present.halves(seed)
    asked = asked[np.random.default_rng((seed, 17)).permutation(len(asked.labels))[:ASKED]]
    before, labelled = earlier.draw(OLD, seed), pool.draw(n, seed)
    new = _adapted(labelled)
    kept = keep_earlier(new, _adapted(before))

    def right(adapted: Classifier) -> float:
        return 100 * float((adapted.predict(asked.readouts) == asked.labels).mean())

    return {
        "anew": right(new),
        "together": right(_adapted(labelled.after(before))),
        "kept": right(kept.adapted),
        "share": kept.share,
    }


def _adapted(contacts: Recording) -> Classifier:
    return Classifier(**TOUCH).fit(contacts.readouts, contacts.labels, contacts.presses)


def _open(options: argparse.Namespace, encoder: str, name: str) -> Recording:
    if name not in SENSORS:
        return real(options.real, options.cache, name, encoder)
    return twin(SENSORS[name], options.cache, 4 if options.quick else 30, name=encoder)


def table(content: dict[str, Any]) -> None:
    """Means and worst draws, pair by pair."""
    shown = Table(
        "encoder",
        "pair",
        "labels",
        "anew",
        "together",
        "kept",
        "gain",
        "worst",
        "shares",
        title="accuracy, %",
    )
    for name, record in content["tasks"].items():
        draws = record["result"]["draws"]
        mean = {key: np.mean([draw[key] for draw in draws]) for key in ("anew", "together", "kept")}
        gains = [draw["kept"] - draw["anew"] for draw in draws]
        figures = [f"{mean[key]:.1f}" for key in mean] + [f"{np.mean(gains):+.1f}", f"{min(gains):+.1f}"]
        shown.add_row(*name.split(" | "), *figures, " ".join(f"{draw['share']:g}" for draw in draws))
    Console(highlight=False, width=140).print(shown)


def chart(content: dict[str, Any], path: Path) -> None:
    """Accuracy against new labels, a panel for each pair."""
    from matplotlib.figure import Figure

    pairs: dict[str, dict[int, list[dict[str, float]]]] = {}
    for name, record in content["tasks"].items():
        pair, _, n = name.rpartition(" | ")
        pairs.setdefault(pair, {})[int(n)] = record["result"]["draws"]
    rows = -(-len(pairs) // 4)
    figure = Figure((13, 2.9 * rows), layout="constrained")
    for place, (pair, cells) in enumerate(pairs.items(), 1):
        axes = figure.add_subplot(rows, 4, place)
        for key, colour, word in (
            ("anew", "0.45", "anew"),
            ("together", "#d98c3f", "all together"),
            ("kept", "#2a6fb0", "kept by evidence"),
        ):
            values = [[draw[key] for draw in draws] for draws in cells.values()]
            axes.plot(list(cells), np.mean(values, axis=1), "o-", color=colour, label=word, markersize=3)
            axes.fill_between(
                list(cells), np.min(values, axis=1), np.max(values, axis=1), color=colour, alpha=0.12, lw=0
            )
        encoder, _, names = pair.partition(" | ")
        simulated = "simulated" if names.split(" → ")[1] in SENSORS else "real"
        axes.set_title(f"{names.replace('gelsight-mini-', '')}, {simulated}\n{encoder}", fontsize=8)
        axes.set_xscale("log")
        axes.set_xticks(list(cells), list(map(str, cells)))
        axes.minorticks_off()
        axes.tick_params(labelsize=7)
        if place == 1:
            axes.legend(fontsize=7)
    figure.supxlabel("new labels per class", fontsize=9)
    figure.supylabel("accuracy, %", fontsize=9)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
