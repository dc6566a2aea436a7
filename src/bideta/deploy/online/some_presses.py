"""Part of the labelled contacts, by whole presses: enough to measure on where there are very many."""

from __future__ import annotations

import numpy as np

from bideta.extensions.presses import press_of
from bideta.method import Indices

# Presses that every class keeps: with fewer, hidden ones are told far worse than by the whole support.
EACH = 4


def some_presses(y: Indices, presses: Indices, most: int, seed: int = 0, earlier: int = 0) -> Indices:
    """Rows of at most so many labelled frames: whole presses at random, one of each class in turn.

    Four presses of each class stay even where they are more than ``most`` frames. All rows where there are no more.
    The first ``earlier`` rows, those of an earlier sensor, come last of their class.

    >>> some_presses(np.repeat([0, 1], 20), np.arange(40) // 2, 16).size
    16
    """
    if len(y) <= most:
        return np.arange(len(y))
    classes, press = press_of(y, presses)
    last = np.zeros(len(classes), bool)
    last[press[:earlier]] = True
    frames = np.bincount(press)
    shuffled = np.random.default_rng(seed).permutation(len(classes))
    shuffled = shuffled[np.argsort(last[shuffled], kind="stable")]
    turn = np.empty(len(classes), np.intp)  # how many presses of its class come before it
    for c in np.unique(classes):
        of_class = shuffled[classes[shuffled] == c]
        turn[of_class] = np.arange(len(of_class))
    order = shuffled[np.argsort(turn[shuffled], kind="stable")]
    kept = order[(np.cumsum(frames[order]) <= most) | (turn[order] < EACH)]
    return np.flatnonzero(np.isin(press, kept))
