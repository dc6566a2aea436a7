"""``python -m benchmarks.promises.presses [--quick] [--cache DIR]``: promises, where a press has several frames.

The support of a simulated SITR sensor is 8 presses of every class, 5 frames of each. The sensor adapts once without
knowing which frames belong together and once knowing it, and promises 5 % of errors and 5 % of false alarms. All
queries are of enrolled classes, so every "unknown" is a false alarm. Writes results/presses.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measuring import machine, results
from bideta import Bideta, presets
from bideta.deploy import find_unknown, hold_out, reject
from bideta.protocol.deferred_encoder import defer_encoder
from bideta.protocol.episode import Contacts
from bideta.protocol.supply import Supply

DATASET, ENCODERS = "simulated-sitr", ("twin-tvl", "twin-sparsh")
PRESSES, FRAMES = 8, 5  # of each class, of each press
PROMISE = 0.05
SEEDS = (0, 1, 2)
QUICK = 0.1  # share of the data set


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every sensor and draw, write the results and print their means."""
    options = _options(arguments)
    supply = Supply(
        {DATASET: {"scale": QUICK} if options.quick else {}},
        {name: defer_encoder(name, {}) for name in ENCODERS},
        options.cache,
    )
    info = supply.info(DATASET)
    encoders, targets, seeds = ENCODERS, info.targets, SEEDS
    if options.quick:
        encoders, targets, seeds = encoders[:1], targets[:1], seeds[:1]
    content: dict[str, Any] = {"machine": machine.facts(), "tasks": {}}
    for encoder in encoders:
        for target in track(targets, f"{encoder}: sensors"):
            pool = supply.contacts(DATASET, encoder, target, info.splits[0])
            queries = supply.contacts(DATASET, encoder, target, info.splits[-1])
            for seed in seeds:
                shares = measure(pool[frames_of_presses(pool, seed)], queries)
                content["tasks"][f"{encoder} | {target} | {seed}"] = {"result": shares}
                results.write(options.results, "presses", content)
    _print(content["tasks"], encoders)


def frames_of_presses(pool: Contacts, seed: int) -> NDArray[np.int64]:
    """Rows of some frames of some presses of every class."""
    rng = np.random.default_rng((seed, 7))
    chosen = []
    for c in np.unique(pool.labels):
        for press in rng.permutation(np.unique(pool.presses[pool.labels == c]))[:PRESSES]:
            frames = np.flatnonzero((pool.labels == c) & (pool.presses == press))
            chosen.append(rng.permutation(frames)[:FRAMES])
    return np.concatenate(chosen)


def measure(support: Contacts, queries: Contacts) -> dict[str, dict[str, float | None]]:
    """Shares of contacts, not told and told which frames belong together; no errors where nothing is answered."""
    shares = {}
    for told in (False, True):
        adapted = Bideta(**presets.CLASSIFICATION)
        adapted.fit(support.readouts, support.labels, support.presses if told else None)
        result = adapted.infer(queries.readouts)
        right = result.proba.argmax(axis=1) == queries.labels
        hidden = hold_out(adapted, queries.readouts)
        answered = reject(adapted, result, queries.readouts, PROMISE, held=hidden).accepted
        unknown = find_unknown(adapted, result, queries.readouts, PROMISE, held=hidden).unknown
        shares["told" if told else "not told"] = {
            "accuracy": float(right.mean()),
            "hidden_accuracy": float(hidden.right.mean()),
            "answered": float(answered.mean()),
            "errors": float((~right[answered]).mean()) if answered.any() else None,
            "false_alarms": float(unknown.mean()),
        }
    return shares


def _print(tasks: dict[str, Any], encoders: Sequence[str]) -> None:
    title = "simulated, %: a risk and a false-alarm rate of 5 % promised"
    table = Table(
        "encoder", "presses", "right", "hidden", "answered", "wrong", "above", "alarms", title=title
    )
    for encoder in encoders:
        for told in ("not told", "told"):
            cells = [task["result"][told] for name, task in tasks.items() if name.startswith(f"{encoder} |")]
            shares = {key: [cell[key] for cell in cells if cell[key] is not None] for key in cells[0]}
            mean = {key: f"{100 * np.mean(values):.1f}" if values else "–" for key, values in shares.items()}
            above = sum(share > PROMISE for share in shares["errors"])
            figures = [mean[key] for key in ("accuracy", "hidden_accuracy", "answered", "errors")]
            table.add_row(encoder, told, *figures, f"{above} of {len(cells)}", mean["false_alarms"])
    Console(highlight=False).print(table)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promises.presses", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one small sensor; written to build/benchmarks")
    parser.add_argument("--cache", type=Path, help="folder of readouts, as bideta bench --cache")
    parser.add_argument("--results", type=Path, help="folder of the JSON results")
    options = parser.parse_args(arguments)
    options.results = options.results or results.folder_of(options.quick)
    return options


if __name__ == "__main__":
    main()
