"""How well a memory knows labelled contacts that it has not seen: LDA in closed form, logistic regression by folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from bideta.extensions import leave_one_out
from bideta.method import memory
from bideta.method.algorithm import AdaptedReadout
from bideta.method.memory import Memory
from bideta.method.standardize import Floats64

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
class Held:
    """Standardised readouts and labels of the support, and which contacts can be held out."""

    Z: tuple[Floats64, ...]
    y: NDArray[np.intp]
    prior: Floats64
    readouts: tuple[AdaptedReadout, ...]
    groups: NDArray[np.intp]  # press of each contact: a press is held out as a whole

    @property
    def rows(self) -> NDArray[np.intp]:
        """Contacts whose class has another press."""
        return np.flatnonzero(~leave_one_out.alone(self.y, self.groups))

    def by_press(self, values: Floats64) -> Floats64:
        """Means over presses of values given for ``rows``: frames of a press are not independent witnesses."""
        press = leave_one_out.presses(self.y[self.rows], self.groups[self.rows])[1]
        means: Floats64 = np.bincount(press, values) / np.bincount(press)
        return means

    @property
    def enough(self) -> bool:
        """Whether memories can be compared; otherwise only their temperature can be chosen."""
        return len(self.y) >= ENOUGH * len(self.prior)

    def lda(self, shrinkage: float | str) -> list[Floats64]:
        """(n, C) scores of every readout, each contact by a memory without its press."""
        return [
            leave_one_out.scores(
                Z,
                self.y,
                readout.covariance,
                self.prior,
                readout.covariance.resolve(shrinkage),
                self.groups,
            )
            for Z, readout in zip(self.Z, self.readouts, strict=True)
        ]

    def logistic(self, folds: NDArray[np.intp]) -> Iterator[tuple[float, list[Floats64]]]:
        """Penalty, and (n, C) scores of every readout, each fold by a regression without it."""
        C = len(self.prior)
        found = {penalty: [np.zeros((len(self.y), C)) for _ in self.Z] for penalty in PENALTIES}
        for v, Z in enumerate(self.Z):
            for fold in np.unique(folds[folds >= 0]):
                hidden = folds == fold
                for penalty, fitted in regressions(Z[~hidden], self.y[~hidden], PENALTIES):
                    found[penalty][v][hidden] = memory.scores(fitted, Z[hidden])
        yield from found.items()


def log_likelihood(ell: Sequence[Floats64], held: Held, temperature: float, alpha: float) -> Floats64:
    """(h,) log-probability of the true class, mean over each press that can be held out."""
    rows = held.rows
    P = memory.fuse([memory.posterior(scores[rows], temperature) for scores in ell], alpha)
    own = P[np.arange(len(rows)), held.y[rows]]
    return held.by_press(np.log(np.maximum(own, SMALLEST)))


def best_likelihood(ell: Sequence[Floats64], held: Held, alpha: float) -> Floats64:
    """The same at the best of ``TEMPERATURES``."""
    return max(
        (log_likelihood(ell, held, temperature, alpha) for temperature in TEMPERATURES),
        key=lambda likelihood: float(likelihood.mean()),
    )


def regressions(
    Z: Floats64, y: NDArray[np.intp], penalties: Iterable[float]
) -> Iterator[tuple[float, Memory]]:
    """Logistic regressions as memories, each started where the last one ended; every class must occur."""
    model: Any = LogisticRegression(max_iter=MAX_ITER, tol=TOLERANCE, warm_start=True)
    for penalty in penalties:
        model.set_params(C=penalty)
        model.fit(Z, y)
        coefficients, intercepts = np.array(model.coef_), np.array(model.intercept_)
        if len(coefficients) == 1:  # two classes: scikit-learn keeps the difference of the two scores
            half = coefficients[0] / 2, intercepts[0] / 2
            coefficients, intercepts = np.stack([-half[0], half[0]]), np.array([-half[1], half[1]])
        yield penalty, Memory(coefficients, intercepts)
