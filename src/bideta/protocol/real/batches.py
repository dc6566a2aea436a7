"""How queries come together: balanced, unbalanced, few classes, small batches; whole presses are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from bideta.protocol.experiments.labelshift import Rows, dirichlet, one

Draw = Callable[[Rows, np.random.Generator], Rows]  # class of every press → the presses of the batch

SMALL = 20  # batches of a few contacts that a cell draws
PRESENT = 0.25  # share of the classes in "few classes", two at least


def recorded(y: Rows, rng: np.random.Generator) -> Rows:
    """All presses, in the numbers in which they were recorded."""
    return np.arange(len(y))


def balanced(y: Rows, rng: np.random.Generator) -> Rows:
    """As many presses of every class as the rarest has."""
    return proportional(y, np.ones(int(y.max()) + 1), rng)


def two_to_one(y: Rows, rng: np.random.Generator) -> Rows:
    """Half of the classes are twice as frequent as the others."""
    C = int(y.max()) + 1
    return proportional(y, np.where(rng.permutation(C) < C / 2, 2.0, 1.0), rng)


def few(y: Rows, rng: np.random.Generator) -> Rows:
    """A quarter of the classes, alike."""
    C = int(y.max()) + 1
    return proportional(y, (rng.permutation(C) < max(2, round(PRESENT * C))).astype(float), rng)


def proportional(y: Rows, weights: NDArray[np.float64], rng: np.random.Generator) -> Rows:
    """As many presses as there are in these proportions, at least one of every class that has a weight."""
    counts = np.bincount(y, minlength=len(weights))
    unit = (counts[weights > 0] / weights[weights > 0]).min()
    pools = [rng.permutation(np.flatnonzero(y == c)) for c in range(len(weights))]
    sizes = np.where(weights > 0, np.maximum(1, np.round(unit * weights)), 0).astype(int)
    return np.concatenate([pool[:size] for pool, size in zip(pools, sizes, strict=True)])


def scattered(concentration: float) -> Draw:
    """Class frequencies of a symmetric Dirichlet distribution."""
    draw = dirichlet(concentration)
    return lambda y, rng: draw(y, len(y) // 2, rng)


BATCHES: dict[str, Draw] = {
    "balanced": balanced,
    "as recorded": recorded,
    "2:1": two_to_one,
    "Dirichlet 1": scattered(1.0),
    "Dirichlet 0.5": scattered(0.5),
    "Dirichlet 0.1": scattered(0.1),
    "few classes": few,
    "one class": lambda y, rng: one(y, len(y), rng),
}
SIZES = {"m = 1": 1, "m = 16": 16, "m = 64": 64}  # batches of so many contacts, of all classes alike
ONE_AT_A_TIME = "one at a time"
STREAM = 100  # contacts of such a stream, fewer than a window of ``OnlineBideta`` holds
NAMES = (*BATCHES, *SIZES, ONE_AT_A_TIME)


def draw_batches(name: str, labels: Rows, presses: Rows, rng: np.random.Generator) -> Iterator[Rows]:
    """Rows of every batch that a cell answers: one of whole presses, a stream, or several of a few contacts."""
    _, first, press = np.unique(presses, return_index=True, return_inverse=True)
    y = labels[first]
    chosen = np.isin(press, BATCHES.get(name, balanced)(y, rng))
    rows = rng.permutation(np.flatnonzero(chosen))
    if name not in SIZES:
        yield rows[:STREAM] if name == ONE_AT_A_TIME else rows
        return
    m = SIZES[name]
    for start in range(0, min(len(rows), SMALL * m) - m + 1, m):
        yield rows[start : start + m]
