"""When to answer "don't know": the chance that an answer is right, and which answers keep a promised risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.checks import check_number
from bideta.classifier import Classifier
from bideta.deploy.trust.evidence import agreement, batch_of
from bideta.deploy.trust.hidden_support import HeldOut, held_for
from bideta.method import Floats64
from bideta.method.algorithm import Inference

# Centre and spread of the clues of ``evidence.AGREEMENT``, and the rule they start from: logistic regression on the
# development sensor (simulated Mini_3, twin-tvl, 2 to 80 labelled contacts per class). Where nothing can be hidden
# (one contact per class) the second rule, from one contact per class, is all there is.
CENTRE = np.array([1.40, 0.09, 0.48, 0.13])
SPREAD = np.array([0.86, 0.21, 0.19, 0.15])
BORROWED = np.array([1.98, 0.30, 0.13, 1.26, 0.41])  # intercept, then a weight for each clue
ONE_SHOT = np.array([-0.69, -0.02, -0.03, 0.36, 0.64])
TRUST = np.array([2.0, 0.5, 0.5, 0.5, 0.5])  # standard deviation of a sensor's rule about the borrowed one
NEWTON_STEPS = 30
LEVELS = 20  # shares of the hidden contacts, 5 % to 100 %, at which the risk is tested
FORGIVEN = 2  # errors that the first of these shares may hold, where
AT_MOST = 0.5  # … it is then at most this share of the presses


@dataclass(frozen=True)
class Decision:
    """Which answers to give.

    Attributes:
        reliability: (m,) chance of being right
        accepted: (m,) False: don't know
        threshold: least reliability accepted; inf where the risk cannot be promised for any
    """

    reliability: Floats64
    accepted: NDArray[np.bool_]
    threshold: float


def reliability(adapted: Classifier, result: Inference, X: Any, held: HeldOut | None = None) -> Floats64:
    """(m,) probability that the most probable class is the true one, from the support alone.

    The lead of the answer, the disagreement of the readouts, what the neighbours in the graph say and how near the
    answer's labelled contacts are, weighed by a logistic rule fitted to the hidden support
    (``hold_out``, called here unless given). Right where queries come as the labelled contacts did; contacts of
    no enrolled class are the business of ``novelty``.

    Args:
        adapted: a fitted ``Bideta``.
        result: ``adapted.infer(X)``.
        X: the readouts of the batch, as ``infer`` got them.
        held: ``hold_out(adapted, X)`` where it is at hand; made here if None.
    """
    batch = batch_of(adapted, result, X)
    held = held_for(adapted, X, held)
    clues = agreement(adapted.sensor_, result, batch)
    return rule_probability(fit_rule(held.agreement, held.right), clues)


def reject(
    adapted: Classifier,
    result: Inference,
    X: Any,
    risk: float = 0.05,
    *,
    confidence: float = 0.9,
    held: HeldOut | None = None,
) -> Decision:
    """Answers whose share of errors stays below ``risk``, with the given confidence; the rest is "don't know".

    Where the hidden contacts cannot show that (too few, or too many of them answered wrongly) the threshold is inf and
    nothing is accepted; ``least_risk`` is what they can show.

    Args:
        adapted: a fitted ``Bideta``.
        result: ``adapted.infer(X)``.
        X: the readouts of the batch, as ``infer`` got them.
        risk: share of errors among the answers that are given, at most.
        confidence: of that promise.
        held: ``hold_out(adapted, X)`` where it is at hand; made here if None.
    """
    held = held_for(adapted, X, held)
    scores = reliability(adapted, result, X, held)
    threshold = risk_threshold(hidden_reliability(held), held.right, risk, confidence, held.presses)
    return Decision(scores, scores >= threshold, threshold)


def risk_threshold(
    scores: Floats64,
    right: NDArray[np.bool_],
    risk: float,
    confidence: float = 0.9,
    presses: NDArray[np.intp] | None = None,
) -> float:
    """Least score whose acceptance keeps the share of errors below ``risk``, inf where none is sure to.

    Learn then test (Angelopoulos and others, 2021) in fixed sequence: the surest 5 %, 10 %, … of the contacts are
    tested in turn with the exact binomial bound (Clopper and Pearson), and the first failure ends it, so that the
    confidence holds for whichever threshold comes out. The first share is large enough to pass with two errors, or
    one, if half of the presses are; else without any: that depends on sizes only. A sequence that begins with so few
    contacts that one error ends it would often end there. Frames of one press (equal ``presses``) are right or wrong
    together: a share of errors counts as found in so many presses, not contacts (the effective sample size of E. Korn
    and B. Graubard, 1998).
    """
    check_number("risk", risk, float, above=0, below=1)
    check_number("confidence", confidence, float, above=0, below=1)
    order = np.argsort(-scores, kind="stable")
    wrong = np.cumsum(~right[order])
    _, first = np.unique(order if presses is None else presses[order], return_index=True)
    surest = np.arange(len(scores))
    evidence = np.searchsorted(np.sort(first), surest, side="right")  # presses among the surest
    needed = first_share(risk, confidence, int(evidence[-1]) if len(scores) else 0)
    threshold = np.inf
    for level in range(1, LEVELS + 1):
        k = len(scores) * level // LEVELS
        n = int(evidence[k - 1]) if k else 0
        if n < needed:
            continue
        if upper_bound(n * wrong[k - 1] / k, n, confidence) > risk:
            break
        threshold = float(scores[order[k - 1]])
    return threshold


def least_risk(held: HeldOut, confidence: float = 0.9) -> float:
    """The smallest share of errors, in steps of 0.01, that can be promised for any answers; 1 where none can.

    Args:
        held: ``hold_out(adapted, X)``.
        confidence: of the promise.
    """
    scores = hidden_reliability(held)
    for percent in range(1, 100):
        if np.isfinite(risk_threshold(scores, held.right, percent / 100, confidence, held.presses)):
            return percent / 100
    return 1.0


def upper_bound(errors: float, total: int, confidence: float) -> float:
    """Clopper–Pearson upper bound of an error rate after ``errors`` (not always whole) in ``total``."""
    from scipy.special import betaincinv  # a twentieth of a second to import: only where a bound is asked for

    return 1.0 if errors >= total else float(betaincinv(errors + 1, total - errors, confidence))


def least_contacts(risk: float, confidence: float = 0.9) -> int:
    """Contacts (presses of their own) that must be right without an error before the risk can be promised at all.

    Args:
        risk: share of errors to promise.
        confidence: of the promise.

    >>> least_contacts(0.05), least_contacts(0.01)
    (45, 230)
    """
    return int(np.ceil(np.log(1 - confidence) / np.log(1 - risk)))


def first_share(risk: float, confidence: float, total: int) -> int:
    """Contacts that are tested first, of so many: a data-independent choice.

    >>> first_share(0.05, 0.9, 100), first_share(0.05, 0.9, 160), first_share(0.05, 0.9, 1000)
    (45, 77, 105)
    """
    needed = n = least_contacts(risk, confidence)
    for errors in range(1, FORGIVEN + 1):
        while n <= AT_MOST * total and upper_bound(errors, n, confidence) > risk:
            n += 1
        if n > AT_MOST * total:
            break
        needed = n
    return needed


def hidden_reliability(held: HeldOut) -> Floats64:
    """(h,) reliability of the hidden contacts, each by a rule that was fitted to the other folds."""
    scores = np.empty(len(held))
    for fold in np.unique(held.folds):
        hidden = held.folds == fold
        rule = fit_rule(held.agreement[~hidden], held.right[~hidden])
        scores[hidden] = rule_probability(rule, held.agreement[hidden])
    return scores


def fit_rule(clues: Floats64, right: NDArray[np.bool_]) -> Floats64:
    """(1 + clues,) logistic weights: the most probable ones given the contacts and the borrowed rule.

    Few contacts, or contacts that are all right, stay near the borrowed rule; many replace it.
    """
    if not len(right):
        return ONE_SHOT
    A, precision = _design(clues), 1 / TRUST**2
    w = BORROWED.copy()
    for _ in range(NEWTON_STEPS):  # the objective is strictly concave; steps are damped by the prior alone
        p = _logistic(A @ w)
        gradient = A.T @ (right - p) - precision * (w - BORROWED)
        step = np.linalg.solve((A.T * (p * (1 - p))) @ A + np.diag(precision), gradient)
        w += step * min(1.0, 2.0 / float(np.abs(step).max() + 1e-300))
        if np.abs(step).max() < 1e-8:
            break
    return w


def rule_probability(w: Floats64, clues: Floats64) -> Floats64:
    """(m,) probability of a right answer under a rule."""
    return _logistic(_design(clues) @ w)


def _design(clues: Floats64) -> Floats64:
    return np.column_stack([np.ones(len(clues)), (clues - CENTRE) / SPREAD])


def _logistic(x: Floats64) -> Floats64:
    """1 / (1 + exp(−x)), without overflow."""
    p: Floats64 = np.exp(-np.logaddexp(0.0, -x))
    return p
