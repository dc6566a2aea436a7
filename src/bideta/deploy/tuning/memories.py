"""How well the memory knows labelled contacts that it has not seen, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bideta.extensions.leave_one_out import unseen_scores
from bideta.extensions.presses import alone, press_of
from bideta.method import Floats64, Indices, memory
from bideta.sensor import Sensor

# Scores of few contacts are far too sure of themselves. Memories are compared at the temperature that suits each.
TEMPERATURES = (1.0, 2.0, 4.0, 8.0, 16.0)
SMALLEST = 1e-9  # a probability below it counts as this: one contact must not decide alone
# contacts per class: with fewer, leaving some out changes a memory too much to compare two of them
ENOUGH = 5


@dataclass(frozen=True)
class Support:
    """The labelled contacts of a sensor, and which of them can be held out: a press leaves as a whole."""

    sensor: Sensor

    @property
    def rows(self) -> Indices:
        """Contacts whose class has another press."""
        return np.flatnonzero(~alone(self.sensor.labels, self.sensor.presses))

    @property
    def prior(self) -> Floats64:
        """Class prior of the memory."""
        counts = np.bincount(self.sensor.labels)
        return counts / counts.sum() if self.sensor.prior is None else self.sensor.prior

    @property
    def enough(self) -> bool:
        """Whether memories can be compared; otherwise only their temperature can be chosen."""
        return len(self.sensor.labels) >= ENOUGH * len(self.sensor.classes)

    def by_press(self, values: Floats64) -> Floats64:
        """Means over presses of values given for ``rows``: frames of a press are not independent witnesses."""
        press = press_of(self.sensor.labels[self.rows], self.sensor.presses[self.rows])[1]
        means: Floats64 = np.bincount(press, values) / np.bincount(press)
        return means

    def lda(self, shrinkage: float | str) -> list[Floats64]:
        """(n, C) scores of every readout, each contact by a memory without its press."""
        s = self.sensor
        return unseen_scores(s.readouts, s.support, s.labels, s.presses, shrinkage, self.prior)


def log_likelihood(
    ell: Sequence[Floats64], support: Support, temperature: float, alpha: float | ArrayLike
) -> Floats64:
    """(h,) log-probability of the true class, mean over each press that can be held out."""
    rows = support.rows
    P = memory.fuse([memory.posterior(scores[rows], temperature) for scores in ell], alpha)
    true = P[np.arange(len(rows)), support.sensor.labels[rows]]
    return support.by_press(np.log(np.maximum(true, SMALLEST)))


def best_likelihood(ell: Sequence[Floats64], support: Support, alpha: float | ArrayLike) -> Floats64:
    """The same at the best of ``TEMPERATURES``."""
    return max(
        (log_likelihood(ell, support, temperature, alpha) for temperature in TEMPERATURES),
        key=lambda likelihood: float(likelihood.mean()),
    )
