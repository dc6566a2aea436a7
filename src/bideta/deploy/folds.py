"""Labelled contacts hidden in turn: the one way in which a sensor is tested on what it was taught."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from bideta.extensions.presses import press_numbers
from bideta.method import Floats, Floats64, Indices
from bideta.sensor import Sensor

FOLDS = 5


def hidden_folds(sensor: Sensor, *, folds: int = FOLDS, seed: int = 0) -> Iterator[tuple[Indices, Sensor]]:
    """Labelled contacts hidden in turn: their rows, and the sensor that the rest of the support makes.

    Contacts of an earlier sensor stay visible: a promise is about the present one. Classes come as often as in the
    whole support: which labels are hidden says nothing about the batch.
    """
    counts = np.bincount(sensor.labels)
    number = fold_numbers(sensor.support, sensor.labels, sensor.presses, folds=folds, seed=seed)
    number[: sensor.earlier] = -1
    for fold in np.unique(number[number >= 0]):
        seen = number != fold
        support = tuple(S[seen] for S in sensor.support)
        rest = sensor.with_support(support, sensor.labels[seen], sensor.presses[seen], counts=counts)
        yield np.flatnonzero(~seen), rest


def fold_numbers(
    support: Sequence[Floats],
    y: Indices,
    presses: ArrayLike | None = None,
    *,
    folds: int = FOLDS,
    seed: int = 0,
    least: int = 2,
) -> Indices:
    """(n,) fold of every labelled contact, −1 where it stays visible: its class has fewer than ``least`` presses.

    Contacts of a class that share a press share a fold. Presses are dealt at random, but by what they are and not by
    when they came: the same contacts in another order are hidden together again.
    """
    numbers = press_numbers(presses, len(y))
    if folds < 2:
        raise ValueError(f"folds is {folds}, expected at least 2")
    content = contents(support)
    rng = np.random.default_rng(seed)
    fold = np.full(len(y), -1, np.intp)
    dealt = 0  # a class goes on where the one before it stopped, so that folds are of equal size
    for c in range(int(y.max()) + 1):
        rows = np.flatnonzero(y == c)
        names, press = np.unique(numbers[rows], return_inverse=True)
        if len(names) < least:
            continue
        # A press is known by one of its frames, whatever their order.
        least_content = np.full(len(names), np.inf)
        np.minimum.at(least_content, press, content[rows])
        of_press = np.empty(len(names), np.intp)
        of_press[rng.permutation(np.argsort(least_content, kind="stable"))] = dealt + np.arange(len(names))
        fold[rows] = of_press[press] % folds
        dealt += len(names)
    return fold


def contents(support: Sequence[Floats]) -> Floats64:
    """(n,) a number for each contact by which contacts can be put into the same order, however they came."""
    with np.errstate(over="ignore", invalid="ignore"):  # readouts of extreme size stay as they came
        total: Floats64 = np.sum([S.sum(axis=1, dtype=np.float64) for S in support], axis=0)
    return np.nan_to_num(total)
