"""Class frequencies of a batch, estimated without its labels, and what to do with the estimate. Ours.

The paper holds every batch to the support's frequencies (Eq. 11). That helps a balanced batch and ruins one in which
a robot touches a single object. ``settle`` looks first and then chooses:

- frequencies π̂ are estimated from the calibrated memory by EM: the maximum-likelihood label shift of M. Saerens,
  P. Latinne, C. Decaestecker (Neural Computation, 2002), with pseudo-contacts in the support's frequencies. They keep
  a small batch from collapsing on the class that it resembles, and a large one from following the memory's errors,
  which do not average out;
- the batch is answered freely, π̂ in the memory alone, and the classes of these answers are counted;
- few classes: their counts become the frequencies, in the memory and in what labelled neighbours say, and a large batch
  is held to them;
- otherwise a large batch is held to a mixture of both: the nearer its counts are to the support's frequencies, the more
  they are taken for these, seen through a biased memory. A memory of few contacts is more biased and gets more credit;
- a small batch keeps its free answers.

The constants were chosen on the development sensor of the twin, on digits and on synthetic features:
docs/explain/deploy.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bideta.extensions import batch as joint
from bideta.extensions.batch import Answers, Batch
from bideta.extensions.leave_one_out import unseen_scores
from bideta.extensions.presses import alone
from bideta.method import Floats, Floats64, Indices, memory
from bideta.method.readout import AdaptedReadout
from bideta.method.settings import Settings

PSEUDO_COUNT = 0.5  # contacts per class that are added to an estimate or a count
PSEUDO_SHARE = 0.25  # of the batch: at least so many are added to the estimate
MAX_STEPS, TOLERANCE = 60, 1e-5  # of the estimate: it stops when no frequency moves by more
# Two random contacts of the batch share their class more often than two of the support, by this part of what is
# possible: few classes. Of 16 equally frequent ones, 4 reach 0.2.
CONCENTRATED = 0.2
# distance of the class histograms from which a batch has few classes, if it is large enough to tell
FAR = 0.5
ENOUGH = 6  # contacts per class from which on a batch is held to frequencies
# A memory's bias explains a distance of LASTING_BIAS + BIAS/√(labelled contacts per class). Beyond it the support's
# share of the mixture fades, over a further FADING.
BIAS, LASTING_BIAS = 0.3, 0.1
FADING, LEAST = 0.2, 0.1
SAMPLING = 0.05  # distance beyond what m draws from the support's frequencies would show; bias or not, it is explained
MIXTURE = 0.5  # share of the estimate in prior="mixed"
TEMPERATURES = np.geomspace(0.25, 64, 33)
# Of "relaxed", chosen on real recordings (docs/notes/class-prior-on-real-sets.md): how much of the free answers'
# agreement a held batch must keep, and the strength of the looser hold.
KEPT_AGREEMENT, RELAXATION = 0.92, 0.25


@dataclass(frozen=True)
class Rule:
    """How ``prior="auto"``, ``"mixed"`` and ``"relaxed"`` answer; made in the fit, from the support alone."""

    counts: Indices  # (C,) labelled contacts of each class
    # calibrates the memory; None: it cannot be calibrated, nothing is estimated
    temperature: float | None = None
    kind: str = "auto"  # or "mixed", "relaxed"

    @property
    def support(self) -> Floats64:
        """π of the labelled contacts."""
        return self.counts / self.counts.sum()

    def explained(self, m: int) -> float:
        """Distance that the histogram of m answers may have from the support's although the batch follows it."""
        bias = LASTING_BIAS + BIAS / np.sqrt(self.counts.mean())
        sampling = SAMPLING + np.sqrt(len(self.counts) / (2 * np.pi * m))
        return float(max(bias, sampling))


def settle(batch: Batch, settings: Settings, prior: Floats64 | Rule | None) -> Answers:
    """Answers of a batch: held to class frequencies, left free, or as a rule finds after a look at it."""
    if not isinstance(prior, Rule):
        return joint.settle(batch, settings, prior)
    if prior.kind == "relaxed":
        return _tightest(batch, settings, prior.support)
    m, C = batch.scores[0].shape
    support = prior.support
    estimate = support
    if prior.temperature is not None and m > 1:  # one contact says nothing about frequencies
        views = [memory.posterior(ell, prior.temperature) for ell in batch.scores]
        pseudo_contacts = max(PSEUDO_COUNT * C, PSEUDO_SHARE * m)
        estimate = estimate_prior(memory.fuse(views, settings.alpha), support, pseudo_contacts)
    if prior.kind == "mixed":
        mixture = MIXTURE * estimate + (1 - MIXTURE) * support
        return joint.settle(batch, settings, mixture, ratio=mixture / support)
    free = joint.settle(_look(batch), settings, None, ratio=estimate / support)
    histogram = np.bincount(free.proba.argmax(axis=1), minlength=C) / m
    counted = (m * histogram + PSEUDO_COUNT * C * support) / (m + PSEUDO_COUNT * C)
    distance = np.abs(histogram - support).sum() / 2
    large = m >= ENOUGH * C
    if m > 1 and (concentration(histogram, support, m) >= CONCENTRATED or (large and distance > FAR)):
        frequencies = counted if large else None
        answers = joint.settle(batch, settings, frequencies, ratio=counted / support, weigh_labelled=True)
        return dataclasses.replace(answers, prior=counted)
    if batch.labelled is None and not batch.small:
        # Queries alone: without labelled neighbours a free batch of many classes loses to one held to the support's.
        return joint.settle(batch, settings, support)
    if not large:
        return free if estimate is support else dataclasses.replace(free, prior=estimate)
    share = np.clip(1 - (distance - prior.explained(m)) / FADING, LEAST, 1)
    return joint.settle(batch, settings, share * support + (1 - share) * counted)


def _tightest(batch: Batch, settings: Settings, support: Floats64) -> Answers:
    """The tightest hold to the support's frequencies under which neighbours still agree; else the batch is left free.

    Frequencies that are not the batch's own tear neighbours apart: contacts of a class that is too frequent must be
    given to another one. So the batch is held, held halfway, or left free, by how well neighbours agree beside the
    free answers. Nothing is estimated, nothing calibrated. Labels that are spread over the graph do not choose: with
    them neighbours agree whatever the class frequencies.
    """
    plain = dataclasses.replace(batch, spread=None)
    free = joint.settle(plain, settings, None)
    least = KEPT_AGREEMENT * agreement(plain, free.proba) if plain.graph is not None else 0.0
    for strength in () if batch.small or batch.graph is None else (1.0, RELAXATION):
        held = joint.settle(plain, settings, support, strength=strength)
        if agreement(plain, held.proba) >= least:
            if batch.spread is not None:
                held = joint.settle(batch, settings, support, strength=strength)
            return held if strength == 1 else dataclasses.replace(held, prior=held.proba.mean(axis=0))
    return free if batch.spread is None else joint.settle(batch, settings, None)


def agreement(batch: Batch, P: Floats64) -> float:
    """Probability that a query and a neighbour of it, labelled ones included, have the same class; over all queries."""
    neighbours = batch.graph @ P
    if batch.labelled is not None:
        neighbours = neighbours + batch.labelled
    return float((P * neighbours).sum(axis=1).mean())


def _look(batch: Batch) -> Batch:
    """The batch for a first look: without labelled neighbours the memory alone is the better one."""
    return batch if batch.labelled is not None else Batch(batch.scores)


def estimate_prior(P: Floats64, reference: Floats64, pseudo_contacts: float) -> Floats64:
    """Class frequencies (C,) of the contacts behind P, which are distributions under the frequencies ``reference``.

    EM for the likeliest frequencies, with ``pseudo_contacts`` in the reference's frequencies added to the batch. No
    class of the reference gets zero.
    """
    likelihood = P / reference
    frequencies = reference
    for _ in range(MAX_STEPS):
        counts = frequencies * ((1 / (likelihood @ frequencies)) @ likelihood)  # of the reweighted rows
        updated = (counts + pseudo_contacts * reference) / (len(P) + pseudo_contacts)
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


def fit_rule(
    readouts: Sequence[AdaptedReadout],
    support: Sequence[Floats],
    y: Indices,
    presses: Indices,
    settings: Settings,
    kind: str,
    counts: Indices,
) -> Rule:
    """What an estimated class prior needs of the support: its frequencies, and a calibrated memory.

    Where every class has a single press the memory has nothing to be calibrated on.
    """
    several = ~alone(y, presses)
    if kind == "relaxed" or not several.any():
        return Rule(counts, None, kind)
    scores = [ell[several] for ell in unseen_scores(readouts, support, y, presses, settings.shrinkage)]
    return Rule(counts, fit_temperature(scores, y[several], settings.alpha), kind)


def fit_temperature(scores: Sequence[Floats64], y: Indices, alpha: float | ArrayLike) -> float:
    """The temperature at which the anchor's distributions are most likely for the labels ``y``.

    ``scores`` are those of contacts that the memory has not seen (``leave_one_out.scores``), or logarithms of
    distributions.
    """
    rows = np.arange(len(y))

    def surprise(temperature: float) -> float:
        P = memory.fuse([memory.posterior(ell, temperature) for ell in scores], alpha)
        return float(-np.log(np.maximum(P[rows, y], np.finfo(float).tiny)).mean())

    return float(min(TEMPERATURES, key=surprise))
