"""The trained heads: above SimpleShot on the twin, and how long a fit takes: ``python -m benchmarks.twin.heads``.

Prints accuracy (simulated) on the development sensor at the paper's three budgets, and the CPU seconds of one fit
shaped like SITR at 10 % (n = 1280, d = 768, C = 16, 12,800 source contacts).
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.twin.study import accuracy, encode
from bideta import load_dataset, load_encoder, load_method
from bideta.datasets.simulated import SOURCE_STRIDE
from bideta.protocol.draw import draw_support

HEADS = ("sitr-calib", "sitr-support", "anytouch-match", "ctsrl-csm")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.2, help="share of the dataset")
    parser.add_argument("--encoder", default="twin-tvl")
    arguments = parser.parse_args()
    console = Console()
    table = Table(title=f"{arguments.encoder}, development sensor, accuracy in % (simulated)")
    budgets, rows = on_the_twin(arguments.encoder, arguments.scale)
    for column in ("method", *budgets):
        table.add_column(column)
    for method, values in rows.items():
        table.add_row(method, *(f"{100 * value:.1f}" for value in values))
    console.print(table)
    for head, seconds in fit_seconds().items():
        console.print(f"{head}: {seconds:.1f} CPU s for a fit shaped like SITR at 10 %")


def on_the_twin(name: str, scale: float) -> tuple[list[str], dict[str, list[float]]]:
    """Budgets, and for SimpleShot and every head the accuracy at each of them."""
    dataset, encoder = load_dataset("simulated-sitr", scale=scale), load_encoder(name)
    info = dataset.info
    (sensor,) = info.development
    home, pool, query = (
        dataset.frames(*part) for part in ((info.source, "train"), (sensor, "train"), (sensor, "test"))
    )
    kept = np.arange(0, len(home), SOURCE_STRIDE)
    extra = {
        "source": (encode(encoder, home, kept), home.labels[kept]),
        "calibration": encoder.encode(dataset.calibration(sensor)),
        "source_calibration": encoder.encode(dataset.calibration(info.source)),
    }
    queries = encode(encoder, query, np.arange(len(query)))
    rows: dict[str, list[float]] = {}
    for shots in info.budgets.values():
        few = draw_support(pool.labels, min(shots, len(pool) // len(info.classes)), 0, sensor)
        support = encode(encoder, pool, few)
        for method in ("simpleshot", *HEADS):
            fitted = load_method(method)
            fitted.fit(support, pool.labels[few], **(extra if method in HEADS else {}))
            rows.setdefault(method, []).append(accuracy(fitted, queries, query.labels))
    return list(info.budgets), rows


def fit_seconds() -> dict[str, float]:
    """CPU seconds of one fit of every head on random features of the paper's size; loading torch is not part of it."""
    import torch  # noqa: F401

    rng = np.random.default_rng(0)
    means = rng.normal(size=(16, 768))

    def contacts(per_class: int) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
        y = np.repeat(np.arange(16), per_class)
        H = means[y] + rng.normal(size=(len(y), 768))
        return (H[:, :384], H), y

    (support, y), source = contacts(80), contacts(800)
    images = contacts(1)[0]
    seconds = {}
    for head in HEADS:
        start = process_time()
        load_method(head).fit(support, y, source=source, calibration=images, source_calibration=images)
        seconds[head] = process_time() - start
    return seconds


if __name__ == "__main__":
    main()
