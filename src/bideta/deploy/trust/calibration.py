"""Probabilities that mean what they say: temperatures chosen on the support alone, and how well they do.

The memory is sure of itself where few contacts were labelled, the joint answer is modest (it averages over
neighbours). One number each mends most of both: a temperature below one sharpens, above one flattens; no answer
changes, only its probability. C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger: "On Calibration of Modern Neural Networks",
ICML 2017.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bideta.checks import check_number
from bideta.classifier import Classifier
from bideta.deploy.folds import hidden_folds
from bideta.deploy.trust.evidence import check_result
from bideta.extensions.class_prior import fit_temperature
from bideta.extensions.leave_one_out import unseen_scores
from bideta.extensions.presses import alone
from bideta.method import Floats64, Indices, memory
from bideta.method.algorithm import Inference

FOLDS = 5
BINS = 10


@dataclass(frozen=True)
class Calibration:
    """Temperatures of the anchor's and of the joint answer's distributions; 1 leaves them as they are.

    Attributes:
        anchor: for the anchor's distributions
        joint: for those of the joint answer
    """

    anchor: float
    joint: float

    def of_anchor(self, result: Inference) -> Floats64:
        """(m, C) calibrated anchor of a batch; ``result`` is ``adapted.infer(X)``."""
        return tempered(check_result(result).anchor, self.anchor)

    def of_joint(self, result: Inference) -> Floats64:
        """(m, C) calibrated joint answer of a batch; ``result`` is ``adapted.infer(X)``."""
        return tempered(check_result(result).proba, self.joint)


@dataclass(frozen=True)
class ReliabilityDiagram:
    """How often answers of a given confidence are right; one entry per bin of equal width between 0 and 1.

    Attributes:
        confidence: (bins,) mean probability of the answers in the bin; its middle where it is empty
        accuracy: (bins,) share of them that is right; NaN where it is empty
        count: (bins,) answers in the bin
    """

    confidence: Floats64
    accuracy: Floats64
    count: Indices

    @property
    def error(self) -> float:
        """Expected calibration error: the distance of confidence and accuracy, averaged over answers."""
        filled = self.count > 0
        gaps = np.abs(self.confidence - self.accuracy)[filled]
        return float((gaps * self.count[filled]).sum() / self.count.sum())


def calibrate(adapted: Classifier, *, folds: int = FOLDS, seed: int = 0) -> Calibration:
    """Temperatures of an adapted sensor, from its labelled contacts alone.

    The anchor's from what the memory says of each contact without having seen it, in closed form. The joint answer's
    by cross-validation: the contacts of a fold are answered jointly by a sensor fitted on the others. A class with
    a single press stays among those others; where all are such, both temperatures are 1.

    Args:
        adapted: a fitted ``Bideta``.
        folds: parts that the labelled contacts are hidden in.
        seed: of the folds.
    """
    check_number("folds", folds, int, low=2)
    sensor = adapted.sensor()
    y, settings = sensor.labels, sensor.settings
    several = ~alone(y, sensor.presses)
    if not several.any():
        return Calibration(1.0, 1.0)
    scores = unseen_scores(sensor.readouts, sensor.support, y, sensor.presses, settings.shrinkage)
    views = [memory.posterior(ell, settings.memory_temperature) for ell in scores]
    anchor = memory.fuse(views, settings.alpha)
    hidden = [
        (rest.infer(tuple(H[rows] for H in sensor.support)).proba, y[rows])
        for rows, rest in hidden_folds(sensor, folds=folds, seed=seed)
    ]
    answers, truth = (np.concatenate(column) for column in zip(*hidden, strict=True))
    return Calibration(_temperature(anchor[several], y[several]), _temperature(answers, truth))


def tempered(P: Floats64, temperature: float) -> Floats64:
    """Rows of P to the power 1/temperature, normalised."""
    with np.errstate(divide="ignore"):
        return memory.posterior(np.log(P), temperature)


def _temperature(P: Floats64, y: Indices) -> float:
    """The temperature at which the rows of P are most likely for the classes ``y``."""
    with np.errstate(divide="ignore"):
        return fit_temperature([np.log(P)], y, alpha=1.0)


def reliability_diagram(P: ArrayLike, truth: ArrayLike, bins: int = BINS) -> ReliabilityDiagram:
    """The reliability diagram of distributions P, (m, C), for the true columns ``truth``.

    Args:
        P: (m, C) class probabilities.
        truth: (m,) columns of the true classes.
        bins: of equal width between 0 and 1.
    """
    P, truth = np.asarray(P, np.float64), np.asarray(truth)
    confidence, right = P.max(axis=1), P.argmax(axis=1) == truth
    bin_of = np.minimum((confidence * bins).astype(np.intp), bins - 1)
    count = np.bincount(bin_of, minlength=bins)
    middle = (np.arange(bins) + 0.5) / bins
    share = np.maximum(count, 1)
    means = np.bincount(bin_of, confidence, bins) / share
    accuracy = np.where(count > 0, np.bincount(bin_of, right, bins) / share, np.nan)
    return ReliabilityDiagram(np.where(count > 0, means, middle), accuracy, count)


def expected_calibration_error(P: ArrayLike, truth: ArrayLike, bins: int = BINS) -> float:
    """Mean distance of confidence and accuracy over answers, in ``bins`` bins of equal width.

    Args:
        P: (m, C) class probabilities.
        truth: (m,) columns of the true classes.
        bins: of equal width between 0 and 1.
    """
    return reliability_diagram(P, truth, bins).error
