"""Labelled contacts hidden in turn: the one way in which a sensor is tested on what it was taught."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from bideta.extensions.presses import press_numbers
from bideta.method import Indices
from bideta.sensor import Sensor

FOLDS = 5


def hidden_folds(sensor: Sensor, *, folds: int = FOLDS, seed: int = 0) -> Iterator[tuple[Indices, Sensor]]:
    """Labelled contacts hidden in turn: their rows, and the sensor that the rest of the support makes.

    Contacts of an earlier sensor stay visible: a promise is about the present one.
    """
    number = fold_numbers(sensor.labels, sensor.presses, folds=folds, seed=seed)
    number[: sensor.earlier] = -1
    for fold in np.unique(number[number >= 0]):
        seen = number != fold
        support = tuple(S[seen] for S in sensor.support)
        yield np.flatnonzero(~seen), sensor.with_support(support, sensor.labels[seen], sensor.presses[seen])


def fold_numbers(
    y: Indices, presses: ArrayLike | None = None, *, folds: int = FOLDS, seed: int = 0
) -> Indices:
    """(n,) fold of every labelled contact, −1 where it stays visible: its class has no other press.

    Contacts of a class that share a press share a fold.
    """
    return dealt_folds(y, presses, folds=folds, seed=seed, least=2)


def dealt_folds(
    y: Indices, presses: ArrayLike | None = None, *, folds: int = FOLDS, seed: int = 0, least: int = 1
) -> Indices:
    """(n,) fold of every labelled contact, −1 where its class has fewer than ``least`` presses."""
    numbers = press_numbers(presses, len(y))
    if folds < 2:
        raise ValueError(f"folds is {folds}, expected at least 2")
    rng = np.random.default_rng(seed)
    fold = np.full(len(y), -1, np.intp)
    dealt = 0  # a class goes on where the one before it stopped, so that folds are of equal size
    for c in range(int(y.max()) + 1):
        of_class = rng.permutation(np.unique(numbers[y == c]))
        if len(of_class) < least:
            continue
        for press in of_class:
            fold[(y == c) & (numbers == press)] = dealt % folds
            dealt += 1
    return fold
