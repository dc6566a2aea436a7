"""Probabilities that mean what they say: temperatures chosen on the support alone, and how well they do.

The memory is sure of itself where few contacts were labelled, the joint answer is modest (it averages over
neighbours). One number each mends most of both: a temperature below one sharpens, above one flattens; no answer
changes, only its probability. C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger: "On Calibration of Modern Neural Networks",
ICML 2017.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from bideta.deploy.clues import check_result
from bideta.deploy.heldout import fold_numbers
from bideta.estimator import Bideta
from bideta.extensions import leave_one_out
from bideta.extensions.class_prior import TEMPERATURES
from bideta.method import algorithm, memory
from bideta.method.algorithm import Inference
from bideta.parameters import check_number

FOLDS = 5
BINS = 10

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Calibration:
    """Temperatures of the anchor's and of the joint answer's distributions; 1 leaves them as they are."""

    anchor: float
    joint: float

    def of_anchor(self, result: Inference) -> Floats:
        """(m, C) calibrated anchor of a batch; ``result`` is ``adapted.infer(X)``."""
        return tempered(check_result(result).anchor, self.anchor)

    def of_joint(self, result: Inference) -> Floats:
        """(m, C) calibrated joint answer of a batch; ``result`` is ``adapted.infer(X)``."""
        return tempered(check_result(result).proba, self.joint)


@dataclass(frozen=True)
class Reliability:
    """How often answers of a given confidence are right; one entry per bin of equal width between 0 and 1."""

    confidence: Floats  # mean probability of the answers in the bin; its middle where it is empty
    accuracy: Floats  # share of them that is right; NaN where it is empty
    count: NDArray[np.intp]

    @property
    def error(self) -> float:
        """Expected calibration error: |confidence − accuracy|, averaged over answers."""
        filled = self.count > 0
        gaps = np.abs(self.confidence - self.accuracy)[filled]
        return float((gaps * self.count[filled]).sum() / self.count.sum())


def calibrate(adapted: Bideta, *, folds: int = FOLDS, seed: int = 0) -> Calibration:
    """Temperatures of an adapted sensor, from its labelled contacts alone.

    The anchor's from what the memory says of each contact without having seen it, in closed form. The joint answer's
    by cross-validation: the contacts of a fold are answered jointly by a sensor fitted on the others. A class with
    a single press stays among those others; where all are such, both temperatures are 1.
    """
    check_is_fitted(adapted)
    check_number("folds", folds, int, low=2)
    y = adapted.support_labels_
    groups = adapted.support_groups_
    several = ~leave_one_out.alone(y, groups)
    if not several.any():
        return Calibration(1.0, 1.0)
    scores = algorithm.unseen_scores(adapted.readouts_, adapted.support_, y, groups, adapted.shrinkage)
    anchor = memory.fuse([memory.posterior(ell, adapted.memory_temperature) for ell in scores], adapted.alpha)
    return Calibration(
        fit_temperature(anchor[several], y[several]), fit_temperature(*_held_out(adapted, folds, seed))
    )


def tempered(P: Floats, temperature: float) -> Floats:
    """Rows of P to the power 1/temperature, normalised."""
    with np.errstate(divide="ignore"):
        return memory.posterior(np.log(P), temperature)


def fit_temperature(P: Floats, y: NDArray[np.intp]) -> float:
    """The temperature at which the rows of P are most likely for the classes ``y``."""
    rows = np.arange(len(y))

    def surprise(temperature: float) -> float:
        right = tempered(P, temperature)[rows, y]
        return float(-np.log(np.maximum(right, np.finfo(float).tiny)).mean())

    return float(min(TEMPERATURES, key=surprise))


def reliability(P: ArrayLike, truth: ArrayLike, bins: int = BINS) -> Reliability:
    """The reliability diagram of distributions P, (m, C), for the true columns ``truth``."""
    P, truth = np.asarray(P, np.float64), np.asarray(truth)
    confidence, right = P.max(axis=1), P.argmax(axis=1) == truth
    bin_of = np.minimum((confidence * bins).astype(np.intp), bins - 1)
    count = np.bincount(bin_of, minlength=bins)
    middle = (np.arange(bins) + 0.5) / bins
    share = np.maximum(count, 1)
    means = np.bincount(bin_of, confidence, bins) / share
    accuracy = np.where(count > 0, np.bincount(bin_of, right, bins) / share, np.nan)
    return Reliability(np.where(count > 0, means, middle), accuracy, count)


def expected_calibration_error(P: ArrayLike, truth: ArrayLike, bins: int = BINS) -> float:
    """Mean distance of confidence and accuracy over answers, in ``bins`` bins of equal width."""
    return reliability(P, truth, bins).error


def _held_out(adapted: Bideta, folds: int, seed: int) -> tuple[Floats, NDArray[np.intp]]:
    """Joint answers for labelled contacts that were left out of the fit, and their class indices."""
    y, groups = adapted.support_labels_, adapted.support_groups_
    number = fold_numbers(y, groups, folds=folds, seed=seed)
    answers, truth = [], []
    for fold in np.unique(number[number >= 0]):
        out = number == fold
        rest = tuple(H[~out] for H in adapted.support_)
        sensor = clone(adapted).set_params(split=None).fit(rest, y[~out], groups[~out])
        answers.append(sensor.predict_proba(tuple(H[out] for H in adapted.support_)))
        truth.append(y[out])
    return np.concatenate(answers), np.concatenate(truth)
