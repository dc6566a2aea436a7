"""How sure a reliability is: an interval from presses that were hidden, or "too few labels to say"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bideta.checks import check_number
from bideta.classifier import Classifier
from bideta.deploy.trust.hidden_support import HeldOut, held_for
from bideta.deploy.trust.reliability import hidden_reliability, reliability, upper_bound
from bideta.deploy.trust.shift import hold_out_moved
from bideta.deploy.trust.strangers import check_strangers
from bideta.images.batch_check import UNCHECKED, BatchCheck
from bideta.method import Floats64

FEWEST = 10  # hidden presses; below, even ten right answers of ten leave one wrong in five possible
IN_A_BIN = 20  # presses in a bin of reliabilities, at least where there are so many
MOST_BINS = 5
MANY = 20  # contacts of a batch, from which on answers that are all alike are suspicious
NEARLY_ALL = 0.9  # share of them with one label


@dataclass(frozen=True)
class Intervals:
    """Reliability of m answers, and between what it lies; NaN where nothing can be said.

    Attributes:
        value: (m,) chance that the answer is right.
        lower: (m,) it is at least this, with the given confidence.
        upper: (m,) it is at most this, with the given confidence.
        check: what was found wrong with the batch: its pictures, or objects that were never enrolled.
        held: the hidden contacts that vouch for it; those of a shifted batch were moved as the batch has.
    """

    value: Floats64
    lower: Floats64
    upper: Floats64
    check: BatchCheck = UNCHECKED
    held: HeldOut | None = None

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
    many contacts of objects that nobody enrolled (``check_strangers``), unless it has shifted as well and its answers
    differ; the field ``check`` says why.

    For a shifted batch the labelled contacts are hidden once more, moved by what the batch is off (``shift``): the rule
    of the reliability is fitted to their answers, and their share of right ones, all together, bounds it.

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
    check = with_strangers(check, check_strangers(adapted, result, X, held), one_label(result.proba))
    bins = int(np.clip(held.n_presses // IN_A_BIN, 1, MOST_BINS))
    if held.n_presses < FEWEST or check.withheld:
        nothing = np.full(len(result.proba), np.nan)
        return Intervals(nothing, nothing, nothing, check, held)
    if check.level == "shifted" and len(result.proba) > len(check.odd):
        held, bins = hold_out_moved(adapted, result, X, held, check.odd), 1
    value = reliability(adapted, result, X, held)
    edges, low, high = _bounds(hidden_reliability(held), held, confidence, bins)
    place = np.searchsorted(edges, value)
    lower, upper = np.minimum(low[place], value), np.maximum(high[place], value)
    for numbers in (value, lower, upper):
        numbers[[*check.odd]] = np.nan
    return Intervals(value, lower, upper, check, held)


def with_strangers(check: BatchCheck | None, strangers: BatchCheck, alike: bool = False) -> BatchCheck:
    """What pictures and readouts say of a batch together; ``alike``: its contacts nearly all get one label.

    What is far because gel or light have changed may be strangers, too: then both reasons are told, and the batch stays
    shifted, since its answers were seen to hold. Not where they are all alike: a batch that has moved away from all
    labelled contacts collapses to the class that happens to be nearest, and its neighbours agree without a doubt.
    """
    if check is None:
        return strangers
    if strangers.warning and check.level in ("fine", "unknown"):
        return replace(strangers, odd=check.odd, odd_reason=check.odd_reason)
    if strangers.warning and check.level == "shifted":
        reason = f"{check.reason}; {strangers.reason}"
        if alike:
            return replace(check, reason=f"{reason}; and nearly all get one label", kind=strangers.kind)
        return replace(check, reason=reason)
    return check


def one_label(P: Floats64) -> bool:
    """Whether nearly all of many contacts are answered alike, by their (m, C) probabilities."""
    counts = np.bincount(P.argmax(axis=1), minlength=1)  # of no contacts: [0]
    return len(P) >= MANY and bool(counts.max() >= NEARLY_ALL * len(P))


def _bounds(
    scores: Floats64, held: HeldOut, confidence: float, bins: int
) -> tuple[Floats64, Floats64, Floats64]:
    """Inner edges of bins of equally many hidden contacts, and both bounds of the right answers in each."""
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
