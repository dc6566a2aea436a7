"""How well a memory knows labelled contacts that it has not seen: LDA in closed form, logistic regression by folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bideta.extensions.leave_one_out import unseen_scores
from bideta.extensions.presses import alone, press_of
from bideta.method import Floats64, Indices, memory
from bideta.method.memory import Memory
from bideta.sensor import Sensor

# Scores of few contacts are far too sure of themselves. Memories are compared at the temperature that suits each.
TEMPERATURES = (1.0, 2.0, 4.0, 8.0, 16.0)
SMALLEST = 1e-9  # a probability below it counts as this: one contact must not decide alone
PENALTIES = (0.01, 0.1, 1.0)  # scikit-learn's C, from a strong penalty to a weak one
MAX_ITER = 200
ENOUGH = (
    5  # contacts per class: with fewer, leaving some out changes a memory too much to compare two of them
)
TOLERANCE = 1e-3  # of the gradient: folds are compared, not published


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

    def logistic(self, folds: Indices) -> Iterator[tuple[float, list[Floats64]]]:
        """Penalty, and (n, C) scores of every readout, each fold by a regression without it."""
        y, C = self.sensor.labels, len(self.sensor.classes)
        scores = {penalty: [np.zeros((len(y), C)) for _ in self.sensor.readouts] for penalty in PENALTIES}
        for v, (readout, H) in enumerate(zip(self.sensor.readouts, self.sensor.support, strict=True)):
            Z = readout.standardizer(H)
            for fold in np.unique(folds[folds >= 0]):
                hidden = folds == fold
                for penalty, fitted in regressions(Z[~hidden], y[~hidden], PENALTIES):
                    scores[penalty][v][hidden] = memory.scores(fitted, Z[hidden])
        yield from scores.items()


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


def regressions(Z: Floats64, y: Indices, penalties: Iterable[float]) -> Iterator[tuple[float, Memory]]:
    """Logistic regressions as memories, each started where the last one ended; every class must occur."""
    from sklearn.linear_model import LogisticRegression  # half a second to import: only where it is compared

    model: Any = LogisticRegression(max_iter=MAX_ITER, tol=TOLERANCE, warm_start=True)
    for penalty in penalties:
        model.set_params(C=penalty)
        model.fit(Z, y)
        coefficients, intercepts = np.array(model.coef_), np.array(model.intercept_)
        if len(coefficients) == 1:  # two classes: scikit-learn keeps the difference of the two scores
            half = coefficients[0] / 2, intercepts[0] / 2
            coefficients, intercepts = np.stack([-half[0], half[0]]), np.array([-half[1], half[1]])
        yield penalty, Memory(coefficients, intercepts)
