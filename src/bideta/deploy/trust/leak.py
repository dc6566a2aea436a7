"""Is the class in the background? What frames without a contact say about the class that was pressed.

Presses of one class are often recorded one after the other, while gel and light drift. The background then tells the
classes apart, every figure measured within such a recording is flattered, and a sensor taught by it fails where objects
come in any order. So the class is guessed from one background frame of every press, by shrinkage LDA that has not
seen the press. Accuracy far above chance is a leak.

Only untouched frames prove one: the first frame of a press may already show the contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bideta.classifier import Classifier
from bideta.extensions.leave_one_out import unseen_scores
from bideta.method import Floats, Indices
from bideta.method.memory import fuse, posterior

CERTAINTY = 0.01  # how often blind guesses are taken for a leak; presses are counted as independent


@dataclass(frozen=True)
class Leak:
    """How well backgrounds tell the classes."""

    accuracy: float  # share of presses whose class is told by the backgrounds of all others
    late: float  # the same for the later half of every class's presses, told by the earlier half
    chance: float  # share of the most frequent class
    bound: float  # accuracy that blind guesses reach in one of a hundred recordings
    late_bound: float  # the same for the later half
    presses: int
    classes: int

    @property
    def found(self) -> bool:
        """Whether the backgrounds tell more than blind guesses would.

        With two presses of a class the left-out one leaves its class half as well known as the others: then only the
        later halves show a leak.
        """
        return self.accuracy > self.bound or self.late > self.late_bound

    @property
    def told(self) -> float:
        """The larger share: of all presses, or of the later halves."""
        return max(self.accuracy, self.late)


def leak(readouts: Sequence[Floats], labels: ArrayLike) -> Leak | None:
    """The leak of backgrounds, one row for every press in the order of recording; None where it cannot be measured.

    Classes with a single press are left out: without it they are unknown. Two classes must remain.
    """
    y = np.unique(np.asarray(labels), return_inverse=True)[1]
    repeated = np.bincount(y)[y] > 1
    y = np.unique(y[repeated], return_inverse=True)[1]
    if len(np.unique(y)) < 2:
        return None
    from scipy.stats import binom  # half a second, for recordings with backgrounds only

    H = tuple(np.asarray(readout)[repeated] for readout in readouts)
    counts = np.bincount(y)
    chance = float(counts.max() / len(y))
    late = late_from_early(H, y)

    def blind(presses: int) -> float:
        return float(binom.isf(CERTAINTY, presses, chance) / presses)

    return Leak(
        float((unseen(H, y) == y).mean()),
        float(late.mean()),
        chance,
        blind(len(y)),
        blind(len(late)),
        len(y),
        len(counts),
    )


def unseen(H: tuple[Floats, ...], y: Indices) -> Indices:
    """(n,) class that LDA gives each row without having seen it."""
    sensor = Classifier(n_iter=0).fit(H, y).sensor_
    ell = unseen_scores(sensor.readouts, H, y, np.arange(len(y)), sensor.settings.shrinkage)
    return fuse([posterior(scores, 1.0) for scores in ell], 0.5).argmax(axis=1)


def late_from_early(H: tuple[Floats, ...], y: Indices) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether LDA, taught by the earlier half of every class, knows each row of the later half."""
    order = np.argsort(y, kind="stable")
    position = np.empty(len(y), np.intp)
    counts = np.bincount(y)
    position[order] = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    early = position < counts[y] / 2
    told = Classifier(n_iter=0).fit(tuple(X[early] for X in H), y[early]).predict(tuple(X[~early] for X in H))
    return np.asarray(told == y[~early])
