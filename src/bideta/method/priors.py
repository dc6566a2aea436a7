"""Class frequencies of a batch, estimated without its labels, and what to do with the estimate. Ours.

The paper holds every batch to the support's frequencies (Eq. 11). That helps a balanced batch and ruins one in which
a robot touches a single object. ``settle`` looks first and then chooses:

- frequencies π̂ are estimated from the calibrated memory by EM: the maximum-likelihood label shift of M. Saerens,
  P. Latinne, C. Decaestecker (Neural Computation, 2002), with half a pseudo-contact per class, which keeps it from
  collapsing on whatever class a few contacts resemble;
- the batch is answered freely, π̂ in the memory alone, and the classes of these answers are counted;
- few classes: π̂ also weighs what labelled neighbours say, and a large batch is held to it;
- the support's classes in about the support's frequencies, and enough contacts to see that: the paper's rule;
- anything between: the free answer stands.

The constants were chosen on the development sensor of the twin, on digits and on synthetic features; docs/deploy.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bideta.method import joint, memory
from bideta.method.joint import Answers, Batch, Settings
from bideta.method.readouts import Floats64

PSEUDO_COUNT = 0.5  # contacts per class that are added to the estimate
MAX_STEPS, TOLERANCE = 60, 1e-5  # of the estimate: it stops when no frequency moves by more
# Two random contacts of the batch share their class more often than two of the support, by this part of what is
# possible: few classes. Of 16 equally frequent ones, 4 reach 0.2.
CONCENTRATED = 0.2
FAR = (
    0.5  # distance of the class histograms from which a batch has few classes, if it is large enough to tell
)
NEAR = 0.12  # distance up to which it has the support's, beyond what drawing m contacts by chance gives
ENOUGH_TO_HOLD = 4  # contacts per class from which on a batch is held to π̂
ENOUGH_TO_KEEP = 8  # contacts per class from which on the support's frequencies can be recognised
MIXTURE = 0.5  # share of the estimate in prior="mixed"
TEMPERATURES = np.geomspace(0.25, 64, 33)


@dataclass(frozen=True)
class Rule:
    """How ``prior="auto"`` and ``"mixed"`` answer; made in the fit, from the support alone."""

    support: Floats64  # π of the labelled contacts, (C,)
    temperature: float | None  # calibrates the memory; None: it cannot be calibrated, nothing is estimated
    mixed: bool = False


def settle(batch: Batch, settings: Settings, prior: Floats64 | Rule | None) -> Answers:
    """Answers of a batch: held to class frequencies, left free, or as a rule finds after a look at it."""
    if not isinstance(prior, Rule):
        return joint.settle(batch, settings, prior)
    rule = prior
    m, C = batch.scores[0].shape
    estimate = rule.support
    if rule.temperature is not None and m > 1:  # one contact says nothing about frequencies
        likely = memory.fuse(
            [memory.posterior(ell, rule.temperature) for ell in batch.scores], settings.alpha
        )
        estimate = estimate_prior(likely, rule.support)
    if rule.mixed:
        mixture = MIXTURE * estimate + (1 - MIXTURE) * rule.support
        return joint.settle(batch, settings, mixture, ratio=mixture / rule.support)
    ratio = estimate / rule.support
    free = joint.settle(_look(batch), settings, None, ratio=ratio)
    histogram = np.bincount(free.proba.argmax(axis=1), minlength=C) / m
    distance = np.abs(histogram - rule.support).sum() / 2
    large = m >= ENOUGH_TO_HOLD * C
    if m > 1 and (concentration(histogram, rule.support, m) >= CONCENTRATED or (large and distance > FAR)):
        held = estimate if large else None
        answers = joint.settle(batch, settings, held, ratio=ratio, weigh_labelled=True)
        return _noted(answers, estimate)
    if batch.labelled is None:
        # Queries alone: without labelled neighbours a free batch of many classes loses to one held to the support's.
        return _noted(free, estimate) if batch.small else joint.settle(batch, settings, rule.support)
    if m >= ENOUGH_TO_KEEP * C and distance <= NEAR + np.sqrt(C / (2 * np.pi * m)):
        return joint.settle(batch, settings, rule.support)
    return _noted(free, estimate)


def _look(batch: Batch) -> Batch:
    """The batch for a first look: without labelled neighbours the memory alone is the better one."""
    return batch if batch.labelled is not None else Batch(batch.scores)


def _noted(answers: Answers, prior: Floats64) -> Answers:
    return dataclasses.replace(answers, prior=prior)


def estimate_prior(P: Floats64, reference: Floats64, pseudo_count: float = PSEUDO_COUNT) -> Floats64:
    """Class frequencies (C,) of the contacts behind P, which are distributions under the frequencies ``reference``.

    EM for the likeliest frequencies, with ``pseudo_count`` contacts per class in the reference's frequencies added to
    the batch. No class of the reference gets zero.
    """
    m, C = P.shape
    likelihood = P / reference
    frequencies = reference
    for _ in range(MAX_STEPS):
        Q = likelihood * frequencies
        Q /= Q.sum(axis=1, keepdims=True)
        updated = (Q.sum(axis=0) + pseudo_count * C * reference) / (m + pseudo_count * C)
        moved = np.abs(updated - frequencies).max()
        frequencies = updated
        if moved < TOLERANCE:
            break
    return frequencies


def concentration(histogram: Floats64, reference: Floats64, m: int) -> float:
    """How few classes m contacts have beside the reference: 0 for as many, 1 for a single one.

    (U − U_r)/(1 − U_r), with U the share of pairs of contacts that have the same class, without bias for small m, and
    U_r the same of the reference.
    """
    pairs = (m * np.square(histogram).sum() - 1) / (m - 1)
    expected = np.square(reference).sum()
    return float((pairs - expected) / (1 - expected)) if expected < 1 else 0.0


def fit_temperature(scores: Sequence[Floats64], y: NDArray[np.intp], alpha: float) -> float:
    """The temperature at which the anchor's distributions are most likely for the labels ``y``.

    ``scores`` are those of contacts that the memory has not seen (``leave_one_out.scores``).
    """
    rows = np.arange(len(y))

    def surprise(temperature: float) -> float:
        P = memory.fuse([memory.posterior(ell, temperature) for ell in scores], alpha)
        return float(-np.log(np.maximum(P[rows, y], np.finfo(float).tiny)).mean())

    return float(min(TEMPERATURES, key=surprise))
