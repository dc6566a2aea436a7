"""The paper's first figure and its ablation on the simulated SITR twin: ``python -m benchmarks.twin``.

Everything is simulated. Settings are the paper's presets; nothing is chosen on a test sensor. Results go to
``benchmarks/results/twin-*.json`` cell by cell (a stopped run goes on), the page to ``docs/evidence/twin-study.md``.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from benchmarks.measuring.results import FOLDER
from benchmarks.twin.page import write_page
from bideta import Bideta, load_dataset, load_encoder, load_method, presets
from bideta.datasets.simulated import SOURCE_STRIDE
from bideta.images.files import write_atomic
from bideta.protocol.draw import draw_support

SEEDS = (0, 1, 2)
ENCODERS: dict[str, dict[str, Any]] = {
    "twin-tvl": {},
    "twin-sparsh": {},
    "twin-tvl, random weights": {"random_weights": True},
}
METHODS = ("simpleshot", "logistic", "lda", "em-lda")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the dataset")
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    parser.add_argument("--results", type=Path, default=FOLDER)
    parser.add_argument("--page", type=Path, default=Path("docs/evidence/twin-study.md"))
    arguments = parser.parse_args()
    arguments.results.mkdir(parents=True, exist_ok=True)
    records = {
        name: study(name, arguments.scale, SEEDS[: arguments.seeds], arguments.results) for name in ENCODERS
    }
    why = trajectories(arguments.scale, SEEDS[: arguments.seeds], arguments.results)
    write_page(arguments.page, records, why, arguments.scale, arguments.seeds)


def study(name: str, scale: float, seeds: tuple[int, ...], folder: Path) -> dict[str, Any]:
    """Accuracy of every method and ablation, by sensor, budget and seed."""
    path = folder / f"twin-{name.replace(', ', '-').replace(' ', '-')}.json"
    facts = {"encoder": name, "scale": scale, "seeds": list(seeds)}
    record: dict[str, Any] = _kept(path, facts)
    dataset = load_dataset("simulated-sitr", scale=scale)
    info = dataset.info
    missing = [sensor for sensor in info.targets if sensor not in record["targets"]]
    if not missing:
        return record
    encoder = load_encoder(name.split(",")[0], **ENCODERS[name])
    source = dataset.frames(info.source, "train")
    rows = np.arange(0, len(source), SOURCE_STRIDE)
    X, y = encode(encoder, source, rows), source.labels[rows]
    home = dataset.frames(info.source, "test")
    head = load_method("frozen").fit(X, y, source=(X, y))
    record["source"] = accuracy(head, encode(encoder, home, np.arange(len(home))), home.labels)
    for sensor in track(missing, f"{name}: sensors"):
        pool, query = dataset.frames(sensor, "train"), dataset.frames(sensor, "test")
        queries, truth = encode(encoder, query, np.arange(len(query))), query.labels
        cells: dict[str, dict[str, list[float]]] = {"head": {"0%": [accuracy(head, queries, truth)]}}
        for budget, shots in info.budgets.items():
            for seed in seeds:
                rows = draw_support(pool.labels, shots, seed, sensor)
                support, labels = encode(encoder, pool, rows), pool.labels[rows]
                results = {
                    m: accuracy(load_method(m).fit(support, labels), queries, truth)
                    for m in (METHODS if not ENCODERS[name] else METHODS[:1])
                }
                for variant, overrides in presets.ABLATIONS.items():
                    adapted = Bideta(**{**presets.CLASSIFICATION, **overrides}).fit(support, labels)
                    results[variant] = accuracy(adapted, queries, truth)
                for method, value in results.items():
                    cells.setdefault(method, {}).setdefault(budget, []).append(value)
        record["targets"][sensor] = cells
        write_atomic(path, json.dumps({**facts, **record}, indent=1).encode())
    return record


def trajectories(scale: float, seeds: tuple[int, ...], folder: Path) -> dict[str, Any]:
    """Gain of the graph on the development sensor: presses of 20 frames against independent contacts."""
    path = folder / "twin-trajectories.json"
    facts = {"scale": scale, "seeds": list(seeds)}
    record: dict[str, Any] = _kept(path, facts)
    encoder = load_encoder("twin-tvl")
    for frames in (20, 1):
        if str(frames) in record["targets"]:
            continue
        dataset = load_dataset("simulated-sitr", scale=scale)
        dataset.level = replace(dataset.level, frames_per_press=frames)
        (sensor,) = dataset.info.development
        pool, query = dataset.frames(sensor, "train"), dataset.frames(sensor, "test")
        queries = encode(encoder, query, np.arange(len(query)))
        cells: dict[str, dict[str, list[float]]] = {}
        for budget, shots in dataset.info.budgets.items():
            for seed in seeds:
                rows = draw_support(pool.labels, shots, seed, sensor)
                support = encode(encoder, pool, rows)
                for variant in ("Dual memory; no graph", "Full: no spectral normalization", "Full BIDETA"):
                    adapted = Bideta(**{**presets.CLASSIFICATION, **presets.ABLATIONS[variant]})
                    adapted.fit(support, pool.labels[rows])
                    value = accuracy(adapted, queries, query.labels)
                    cells.setdefault(variant, {}).setdefault(budget, []).append(value)
        record["targets"][str(frames)] = cells
        write_atomic(path, json.dumps({**facts, **record}, indent=1).encode())
    return record


def encode(encoder: Any, frames: Any, rows: np.ndarray) -> Any:
    """Both readouts of some frames."""
    return encoder.encode(frames.images[rows], frames.previous[rows] if encoder.info.channels == 6 else None)


def accuracy(method: Any, queries: Any, truth: np.ndarray) -> float:
    """Share of right answers."""
    return float((method.predict(queries) == truth).mean())


def _kept(path: Path, facts: dict[str, Any]) -> dict[str, Any]:
    """What an earlier run with the same settings has already measured."""
    if path.is_file():
        record = json.loads(path.read_text())
        if all(record.get(key) == value for key, value in facts.items()):
            return dict(record)
    return {"targets": {}}
