"""``python -m benchmarks.trust.which_presses --real DIR [--cache DIR]``: does it matter when labels were recorded?

One GelSight Mini on two days, five materials. Of every class 2, 5 or 10 presses of one day are labelled, by their
middle frame: the first of the day, the last, evenly spread ones, or random ones (five draws). Asked is the other day,
as many presses of every class. Writes results/which-presses.json; ``benchmarks.trust.page`` shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import machine, results
from benchmarks.trust.options import read_options
from benchmarks.trust.recordings import Recording, real
from bideta.classifier import Classifier
from bideta.presets import TOUCH

NAME, LABELLED, DRAWS = "which-presses", (2, 5, 10), 5
PAIRS = (("gelsight-mini-day1", "gelsight-mini-day2"), ("gelsight-mini-day2", "gelsight-mini-day1"))
FIRST, LAST, SPREAD, RANDOM = "first", "last", "spread", "random"
Presses = NDArray[np.int64]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every pair and write the results."""
    options = read_options(arguments, NAME, __doc__, "one pair, two presses")
    if options.real is None:
        raise ValueError("--real is missing; expected the folder of real sets")
    content: dict[str, Any] = {"machine": machine.facts(), "tasks": {}}
    for taught, asked in PAIRS[:1] if options.quick else PAIRS:
        days = [real(options.real, options.cache, name) for name in (taught, asked)]
        for n in LABELLED[:1] if options.quick else LABELLED:
            content["tasks"][f"{taught} → {asked} | {n}"] = {"result": measure(*days, n)}
            results.write(options.results, NAME, content)
    print(content["tasks"])


def measure(taught: Recording, asked: Recording, n: int) -> dict[str, list[float]]:
    """Which presses → right answers in %, a number for each draw."""
    queries, right = balanced(asked), {}
    for which, chosen in choices(n):
        labels = middles(taught, chosen)
        adapted = Classifier(**TOUCH).fit(labels.readouts, labels.labels, labels.presses)
        answers = adapted.classes_[adapted.infer(queries.readouts).proba.argmax(axis=1)]
        right.setdefault(which, []).append(round(100 * float((answers == queries.labels).mean()), 1))
    return right


def choices(n: int) -> Iterator[tuple[str, Any]]:
    """Which n of a class's presses, given in the order of the day."""
    yield FIRST, lambda presses: presses[:n]
    yield LAST, lambda presses: presses[-n:]
    yield SPREAD, lambda presses: presses[np.linspace(0, len(presses) - 1, n).round().astype(int)]
    for draw in range(DRAWS):
        rng = np.random.default_rng(draw)
        yield RANDOM, lambda presses, rng=rng: rng.permutation(presses)[:n]


def middles(recording: Recording, chosen: Any) -> Recording:
    """The middle frame of each chosen press of every class."""
    rows = []
    for c in np.unique(recording.labels):
        mine = recording.labels == c
        for press in chosen(np.unique(recording.presses[mine])):
            frames = np.flatnonzero(mine & (recording.presses == press))
            rows.append(frames[len(frames) // 2])
    return recording[np.array(rows)]


def balanced(recording: Recording) -> Recording:
    """As many presses of every class as the rarest has, the first ones."""
    classes = np.unique(recording.labels)
    of_class = [np.unique(recording.presses[recording.labels == c]) for c in classes]
    fewest = min(map(len, of_class))
    kept = np.zeros(len(recording.labels), bool)
    for c, presses in zip(classes, of_class, strict=True):
        kept |= (recording.labels == c) & np.isin(recording.presses, presses[:fewest])
    return recording[kept]


def rows(tasks: dict[str, dict[str, list[float]]]) -> list[list[str]]:
    """Right answers by pair, number of labels and which presses were labelled; of random ones also the range."""
    table = []
    for name, right in tasks.items():
        pair, n = name.split(" | ")
        means = [f"{np.mean(right[which]):.0f}" for which in (FIRST, LAST, SPREAD, RANDOM)]
        span = f"{min(right[RANDOM]):.0f} to {max(right[RANDOM]):.0f}"
        table.append([pair.replace("gelsight-mini-", ""), n, *means, span])
    return table


if __name__ == "__main__":
    main()
