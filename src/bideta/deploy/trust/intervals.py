"""How sure a reliability is: an interval from presses that were hidden, or "too few labels to say"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bideta.checks import check_number
from bideta.classifier import Classifier
from bideta.deploy.trust.hidden_support import HeldOut, held_for
from bideta.deploy.trust.reliability import hidden_reliability, reliability, upper_bound
from bideta.deploy.trust.strangers import check_strangers
from bideta.images.batch_check import UNCHECKED, BatchCheck
from bideta.method import Floats64

FEWEST = 10  # hidden presses; below, even ten right answers of ten leave one wrong in five possible
IN_A_BIN = 20  # presses in a bin of reliabilities, at least where there are so many
MOST_BINS = 5
FARTHEST = 1 / 3  # share of the hidden contacts that stands for a shifted batch


@dataclass(frozen=True)
class Intervals:
    """Reliability of m answers, and between what it lies; NaN where nothing can be said.

    Attributes:
        value: (m,) chance that the answer is right.
        lower: (m,) it is at least this, with the given confidence.
        upper: (m,) it is at most this, with the given confidence.
        check: what was found wrong with the batch: its pictures, or objects that were never enrolled.
    """

    value: Floats64
    lower: Floats64
    upper: Floats64
    check: BatchCheck = UNCHECKED

    @property
    def known(self) -> bool:
        """Whether there is a number at all: single foreign pictures have none in any batch."""
        return bool(np.isfinite(self.value).any())


def reliability_intervals(
    adapted: Classifier,
    result: Any,
    X: Any,
    held: HeldOut | None = None,
    *,
    confidence: float = 0.9,
    check: BatchCheck | None = None,
) -> Intervals:
    """``reliability`` of every answer, and what the hidden presses can vouch for.

    Hidden contacts of like reliability are counted: how many presses, how many answered right. The exact binomial
    bounds (Clopper and Pearson) of that share, each with the given confidence, are the interval. Fewer than ten hidden
    presses say nothing: all is NaN. So it is for a batch whose ``check`` is foreign, and for one that seems to hold
    many contacts of objects that nobody enrolled (``check_strangers``); the field ``check`` says why. For a shifted one
    value and lower bound shrink by what the farthest third of the hidden contacts is answered worse than all of them.

    Args:
        adapted: a fitted ``Bideta``.
        result: ``adapted.infer(X)``.
        X: the readouts of the batch, as ``infer`` got them.
        held: ``hold_out(adapted, X)`` where it is at hand; made here if None.
        confidence: of each of the two bounds.
        check: what ``images.batch_check.check_pictures`` said of the batch, if it was looked at.
    """
    check_number("confidence", confidence, float, above=0, below=1)
    held = held_for(adapted, X, held)
    value = reliability(adapted, result, X, held)
    check = with_strangers(check, check_strangers(adapted, result, X, held))
    if held.n_presses < FEWEST or check.withheld:
        nothing = np.full(len(value), np.nan)
        return Intervals(nothing, nothing, nothing, check)
    scores = hidden_reliability(held)
    edges, low, high = _bounds(scores, held, confidence)
    place = np.searchsorted(edges, value)
    shrink = shift_cost(held) if check.level == "shifted" else 1.0
    lower, upper = np.minimum(low[place], value), np.maximum(high[place], value)
    value, lower = shrink * value, shrink * lower
    for numbers in (value, lower, upper):
        numbers[[*check.odd]] = np.nan
    return Intervals(value, lower, upper, check)


def with_strangers(check: BatchCheck | None, strangers: BatchCheck) -> BatchCheck:
    """What pictures and readouts say of a batch together.

    What is far because gel or light have changed may be strangers, too: then both reasons are told, and the batch stays
    shifted, since its answers were seen to hold.
    """
    if check is None:
        return strangers
    if strangers.warning and check.level in ("fine", "unknown"):
        return replace(strangers, odd=check.odd, odd_reason=check.odd_reason)
    if strangers.warning and check.level == "shifted":
        return replace(check, reason=f"{check.reason}; {strangers.reason}")
    return check


def shift_cost(held: HeldOut) -> float:
    """Share of its right answers that a shifted batch keeps: what is far from all classes is answered worse.

    Measured on hidden contacts: the farthest third against all, each with one right and one wrong answer added.
    """
    far = held.strangeness[:, 2]
    right = held.right[far >= np.quantile(far, 1 - FARTHEST)]
    share = (right.sum() + 1) / (len(right) + 2) / ((held.right.sum() + 1) / (len(held) + 2))
    return float(min(1.0, share))


def _bounds(scores: Floats64, held: HeldOut, confidence: float) -> tuple[Floats64, Floats64, Floats64]:
    """Inner edges of bins of equally many hidden contacts, and both bounds of the right answers in each."""
    bins = int(np.clip(held.n_presses // IN_A_BIN, 1, MOST_BINS))
    edges = np.quantile(scores, np.arange(1, bins) / bins) if bins > 1 else np.zeros(0)
    bin_of = np.searchsorted(edges, scores)
    low, high = np.zeros(bins), np.ones(bins)
    for b in range(bins):
        rows = bin_of == b
        n = len(np.unique(held.presses[rows]))  # frames of one press are right or wrong together
        if n:
            right = n * float(held.right[rows].mean())
            low[b] = 1 - upper_bound(n - right, n, confidence)
            high[b] = upper_bound(right, n, confidence)
    return edges, low, high
