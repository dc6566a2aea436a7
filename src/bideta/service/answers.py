"""A batch answered jointly, and the answers as a table: the same rows for a CSV, the API and the page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.classifier import Classifier
from bideta.deploy import Intervals, pool_presses, reliability_intervals
from bideta.deploy.geometry import discriminant_distances
from bideta.deploy.trust.hidden_support import JOINT, HeldOut, hold_out
from bideta.encoders import Readouts
from bideta.extensions.presses import press_numbers
from bideta.images.batch_check import BatchCheck, check_distances
from bideta.method.algorithm import Inference
from bideta.service.table import cell
from bideta.spelling import counted

COMPANY = 4096  # queries among which labelled contacts are hidden; more would cost time and change little
COLUMNS = ("label", "probability", "reliability", "second_choice", "reliability_lower")
TOO_FEW = (
    "could be hidden in turn, too few to say how reliable answers are. Label at least two presses of every class, and "
    "ten in all"
)
TINY = 1e-12  # logarithm of a distance


@dataclass(frozen=True)
class Answers:
    """What a sensor says about a batch of m contacts."""

    adapted: Classifier
    result: Inference
    hidden: HeldOut  # what the sensor says about its own labelled contacts when their labels are hidden
    intervals: Intervals  # of the reliability: how probably each label is right, and at least; NaN: not known
    seconds: float  # that the inference took
    check: BatchCheck  # whether the contacts come from this sensor, and are of enrolled classes

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """(m, C) classes, best first; ties are ordered by the anchor, as ``Bideta.rank`` does."""
        return self.result.ranking()

    @property
    def vouching(self) -> HeldOut:
        """The hidden contacts that promises rest on: ``hidden``, but of a shifted batch moved as the batch has."""
        return self.hidden if self.intervals.held is None else self.intervals.held

    @property
    def classes(self) -> list[str]:
        """Class names, in the order of the columns of ``result.proba``."""
        return [str(name) for name in self.result.classes]

    @property
    def no_reliability(self) -> str:
        """Why no answer has a reliability; empty where some have one."""
        if self.intervals.known:
            return ""
        if self.check.withheld:
            return self.check.warning
        return f"{counted(self.hidden.n_presses, 'labelled press')} {TOO_FEW}"

    def rows(self) -> list[dict[str, Any]]:
        """``COLUMNS`` of every contact; the second choice is empty where there is one class only.

        The reliability is None where the batch is foreign, or too few presses are labelled to say.
        """
        names, proba = self.classes, self.result.proba
        return [
            {
                "label": names[best[0]],
                "probability": float(proba[i, best[0]]),
                "reliability": _known(self.intervals.value[i]),
                "second_choice": names[best[1]] if len(best) > 1 else "",
                "reliability_lower": _known(self.intervals.lower[i]),
            }
            for i, best in enumerate(self.order)
        ]

    def by_press(self, presses: Sequence[Any]) -> tuple[NDArray[np.intp], Answers]:
        """Rows of the first frame of each press, and one answer for each; its reliability is its frames' on average."""
        first, proba = pool_presses(self.result.proba, presses)
        number = press_numbers(presses, len(self.result.proba))

        known = np.isfinite(self.intervals.value)  # frames that are foreign by themselves have no number

        def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
            size = number.max() + 1
            frames = np.bincount(number[known], minlength=size)
            total = np.bincount(number[known], values[known], size)
            return np.where(frames > 0, total / np.maximum(frames, 1), np.nan)[number[first]]

        found = self.intervals
        intervals = Intervals(
            mean(found.value), mean(found.lower), mean(found.upper), found.check, found.held
        )
        anchor = pool_presses(self.result.anchor, presses)[1]
        return first, replace(
            self, result=replace(self.result, proba=proba, anchor=anchor), intervals=intervals
        )

    def columns(self) -> dict[str, list[str]]:
        """The same as text, column by column."""
        rows = self.rows()
        return {name: [cell(row[name]) for row in rows] for name in COLUMNS}


def answer(
    adapted: Classifier,
    readouts: Readouts,
    hidden: HeldOut | None = None,
    sketches: ArrayLike | None = None,
) -> Answers:
    """The answers for a batch; ``hidden`` is what ``hide_among`` gave for it or for a small batch of its size.

    ``sketches`` of its pictures tell whether they come from this sensor; without them the readouts do, more coarsely.
    """
    start = time.perf_counter()
    result = adapted.infer(readouts, sketches)
    seconds = time.perf_counter() - start
    hidden = hide_among(adapted, readouts) if hidden is None else hidden
    check = result.check
    if check is None or check.level == "unknown":
        far = np.log(discriminant_distances(adapted.sensor_, readouts).min(axis=1) + TINY)
        check = check_distances(far, hidden.strangeness[:, 2])
    intervals = reliability_intervals(adapted, result, readouts, hidden, check=check)
    return Answers(adapted, result, hidden, intervals, seconds, intervals.check)


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def hide_among(adapted: Classifier, readouts: Readouts) -> HeldOut:
    """The sensor's labelled contacts, hidden fold by fold among the queries (at most ``COMPANY`` of them)."""
    some = np.sort(np.random.default_rng(0).permutation(len(readouts[0]))[:COMPANY])
    return hold_out(adapted, tuple(H[some] for H in readouts))


def joins_batch(m: int) -> bool:
    """True where hidden contacts join a batch of m; below, only the size of the batch matters to them."""
    return m >= JOINT
