"""A batch answered jointly, and the answers as a table: the same rows for a CSV, the API and the page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.classifier import Classifier
from bideta.deploy import pool_presses, reliability
from bideta.deploy.trust.hidden_support import JOINT, HeldOut, hold_out
from bideta.encoders import Readouts
from bideta.extensions.presses import press_numbers
from bideta.method.algorithm import Inference
from bideta.service.table import cell

COMPANY = 4096  # queries among which labelled contacts are hidden; more would cost time and change little
COLUMNS = ("label", "probability", "reliability", "second_choice")


@dataclass(frozen=True)
class Answers:
    """What a sensor says about a batch of m contacts."""

    adapted: Classifier
    result: Inference
    hidden: HeldOut  # what the sensor says about its own labelled contacts when their labels are hidden
    reliability: NDArray[np.float64]  # (m,) probability that the label is right
    seconds: float  # that the inference took

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """(m, C) classes, best first; ties are ordered by the anchor, as ``Bideta.rank`` does."""
        return self.result.ranking()

    @property
    def classes(self) -> list[str]:
        """Class names, in the order of the columns of ``result.proba``."""
        return [str(name) for name in self.result.classes]

    def rows(self) -> list[dict[str, Any]]:
        """``COLUMNS`` of every contact; the second choice is empty where there is one class only."""
        names, proba = self.classes, self.result.proba
        return [
            {
                "label": names[best[0]],
                "probability": float(proba[i, best[0]]),
                "reliability": float(self.reliability[i]),
                "second_choice": names[best[1]] if len(best) > 1 else "",
            }
            for i, best in enumerate(self.order)
        ]

    def by_press(self, presses: Sequence[Any]) -> tuple[NDArray[np.intp], Answers]:
        """Rows of the first frame of each press, and one answer for each; its reliability is its frames' on average."""
        first, proba = pool_presses(self.result.proba, presses)
        number = press_numbers(presses, len(self.reliability))
        mean = np.bincount(number, self.reliability) / np.bincount(number)
        anchor = pool_presses(self.result.anchor, presses)[1]
        result = replace(self.result, proba=proba, anchor=anchor)
        return first, replace(self, result=result, reliability=mean[number[first]])

    def columns(self) -> dict[str, list[str]]:
        """The same as text, column by column."""
        rows = self.rows()
        return {name: [cell(row[name]) for row in rows] for name in COLUMNS}


def answer(adapted: Classifier, readouts: Readouts, hidden: HeldOut | None = None) -> Answers:
    """The answers for a batch; ``hidden`` is what ``hide_among`` gave for it or for a small batch of its size."""
    start = time.perf_counter()
    result = adapted.infer(readouts)
    seconds = time.perf_counter() - start
    hidden = hide_among(adapted, readouts) if hidden is None else hidden
    return Answers(adapted, result, hidden, reliability(adapted, result, readouts, hidden), seconds)


def hide_among(adapted: Classifier, readouts: Readouts) -> HeldOut:
    """The sensor's labelled contacts, hidden fold by fold among the queries (at most ``COMPANY`` of them)."""
    some = np.sort(np.random.default_rng(0).permutation(len(readouts[0]))[:COMPANY])
    return hold_out(adapted, tuple(H[some] for H in readouts))


def joins_batch(m: int) -> bool:
    """True where hidden contacts join a batch of m; below, only the size of the batch matters to them."""
    return m >= JOINT
