"""One and two shots: what varies inside a class is borrowed from unlabelled contacts of the same sensor.

With one labelled contact per class nothing is known about the spread inside a class, and the memory (Eq. 2) and
the geometry (Eq. 5) fall back on round classes. Unlabelled contacts show the spread once they are roughly sorted:
the adapted sensor sorts them (jointly, over the graph), the spread about the class means is measured with those
soft labels, and both steps are repeated. With up to three labelled contacts per class these alone say at first where
a class is, for many soft labels are still wrong; in the last rounds the unlabelled ones move the class means too.

This is expectation–maximisation for a Gaussian mixture with one covariance (see the ``em-lda`` comparison) whose
E step is the whole method. Nothing of it is in the paper, and no preset uses it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bideta.checks import check_number
from bideta.estimator import Bideta
from bideta.extensions.whitening import soft_within_class
from bideta.method import Floats, Floats64
from bideta.method.memory import fit_memory
from bideta.method.readout import AdaptedReadout, standardize
from bideta.sensor import Sensor

# Chosen on the development sensors of the twins, where 3 shots gain from the first rounds and 4 lose.
FEW = 3  # labelled contacts per class
SPREAD_ROUNDS = 3  # that measure the spread about the means of so few labelled contacts; with more: none
MEAN_ROUNDS = 3  # that move the means as well; a fourth and fifth change nothing


def borrow(
    adapted: Bideta, X: Any, *, spread_rounds: int | None = None, mean_rounds: int = MEAN_ROUNDS
) -> Bideta:
    """The adapted sensor with scale, spread and class means learned from the unlabelled contacts X as well.

    X may be the queries themselves or any other contacts, as long as every enrolled class is among them, about as often
    as ``prior`` says (as in the support, where the prior is estimated from the batch): sorting by so few labels cannot
    tell a class that is absent from one that looks different. ``adapted`` stays as it is; what
    comes back answers, saves and loads like it, and fitting it again forgets X. Each round costs ``infer`` on X and
    an eigendecomposition per readout. ``spread_rounds`` leave the class means to the labelled contacts; None is
    three of them with up to three labelled contacts per class, none with more.
    """
    contacts = adapted.readouts(X)
    sensor = adapted.sensor()
    if spread_rounds is None:
        few = len(sensor.labels) <= FEW * len(sensor.classes)
        spread_rounds = SPREAD_ROUNDS if few else 0
    check_number("spread_rounds", spread_rounds, int, low=0)
    check_number("mean_rounds", mean_rounds, int, low=0)
    sorter = sensor
    if sensor.rule is not None:  # an estimate of the prior from so few labels feeds on its own errors
        sorter = replace(sensor, prior=sensor.rule.support, rule=None)
    for moving in (False,) * spread_rounds + (True,) * mean_rounds:
        P = sorter.infer(contacts).proba
        sorter = sorter.with_readouts(
            [_refit(sorter, H, S, P, moving) for H, S in zip(contacts, sensor.support, strict=True)]
        )
    return Bideta.of(sensor.with_readouts(sorter.readouts))


def _refit(sensor: Sensor, H: Floats, support: Floats, P: Floats64, moving: bool) -> AdaptedReadout:
    """Scaler, memory and transform of one readout from its support and its soft-labelled contacts H."""
    y, n = sensor.labels, len(support)
    prior = np.bincount(y) / n if sensor.prior is None else sensor.prior
    standardizer, Z = standardize(np.concatenate([support, H]))  # Z: (n + m, d)
    weights = np.vstack([np.eye(P.shape[1])[y], P])  # (n + m, C)
    rows = len(Z) if moving else n
    means = (weights[:rows].T @ Z[:rows]) / weights[:rows].sum(axis=0)[:, None]
    covariance = soft_within_class(Z, weights, means)
    memory = fit_memory(means, covariance, prior, sensor.settings.shrinkage)
    return AdaptedReadout(standardizer, covariance, memory, sensor.settings.gamma)
