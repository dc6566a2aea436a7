"""Class priors on real data that is not tactile: scikit-learn's digits, two readouts, a synthetic change of sensor.

    python -m benchmarks.promises.label_shift --shots 8 --seeds 0 1 2

Readout 1 is the pixels, readout 2 histograms of gradient directions. The "new sensor" stretches and shifts every
coordinate and adds noise along a few directions. Prints accuracy (%) by scenario, batch size and prior; every row of a
column sees the same batches.
"""

from __future__ import annotations

import argparse
import zlib

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from bideta import Bideta, load_method
from bideta.protocol.draw import draw_support
from bideta.protocol.experiments.labelshift import BATCHES, PRIORS, RIVALS, SCENARIOS

DIRECTIONS = 6  # of a gradient
NUISANCE = 3  # directions that vary inside every class


def readouts() -> tuple[tuple[NDArray[np.float64], NDArray[np.float64]], NDArray[np.int64]]:
    digits = load_digits()
    images = digits.images / 16
    dx, dy = np.diff(images, axis=2, prepend=0), np.diff(images, axis=1, prepend=0)
    angle, strength = np.arctan2(dy, dx), np.hypot(dx, dy)
    sector = np.minimum((angle + np.pi) / (2 * np.pi) * DIRECTIONS, DIRECTIONS - 1).astype(int)
    cells = [(strength * (sector == s)).reshape(-1, 4, 2, 4, 2).sum(axis=(2, 4)) for s in range(DIRECTIONS)]
    rng = np.random.default_rng(99)
    pixels = shifted(images.reshape(len(images), -1), 0.35, rng)
    gradients = shifted(np.stack(cells, axis=1).reshape(len(images), -1), 0.5, rng)
    return (pixels, gradients), digits.target


def shifted(X: NDArray[np.float64], noise: float, rng: np.random.Generator) -> NDArray[np.float64]:
    d = X.shape[1]
    directions = rng.normal(size=(NUISANCE, d)) * X.std() * 1.5
    X = X + rng.normal(size=(len(X), NUISANCE)) @ directions + noise * rng.normal(size=X.shape)
    return X * rng.uniform(0.5, 2, d) + rng.normal(size=d)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shots", type=int, default=8)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--sizes", type=int, nargs="*", default=list(BATCHES))
    asked = parser.parse_args()
    X, y = readouts()
    methods = {name: lambda s=s: Bideta(**s) for name, s in PRIORS.items()}
    methods |= {name: lambda name=name: load_method(name) for name in RIVALS}
    right: dict[tuple[str, int, str], list[float]] = {}
    for seed in asked.seeds:
        rows = draw_support(y, asked.shots, seed, "digits")
        rest = np.setdiff1d(np.arange(len(y)), rows)
        queries, truth = tuple(H[rest] for H in X), y[rest]
        fitted = {name: make().fit(tuple(H[rows] for H in X), y[rows]) for name, make in methods.items()}
        for scenario, draw in SCENARIOS.items():
            for m in asked.sizes:
                rng = np.random.default_rng((seed, zlib.crc32(scenario.encode()), m))
                for _ in range(BATCHES[m]):
                    batch = draw(truth, m, rng)
                    for name, adapted in fitted.items():
                        hits = adapted.predict(tuple(H[batch] for H in queries)) == truth[batch]
                        right.setdefault((scenario, m, name), []).extend(hits)
    print(f"{'digits, ' + str(asked.shots) + ' shots':28}" + "".join(f"{name:>17}" for name in methods))
    for scenario in SCENARIOS:
        for m in asked.sizes:
            numbers = [100 * np.mean(right[scenario, m, name]) for name in methods]
            print(f"{scenario:20}m = {m:<4}" + "".join(f"{number:17.1f}" for number in numbers), flush=True)


if __name__ == "__main__":
    main()
