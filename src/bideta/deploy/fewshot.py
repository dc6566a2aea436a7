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

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.estimator import Bideta
from bideta.method import algorithm, memory, spectrum
from bideta.method.algorithm import AdaptedReadout
from bideta.method.covariance import WithinClass, eigh, ledoit_wolf_intensity
from bideta.method.standardize import Floats64, standardize
from bideta.parameters import check_number

# Chosen on the development sensors of the twins, where 3 shots gain from the first rounds and 4 lose.
FEW = 3  # labelled contacts per class
SPREAD_ROUNDS = (
    3  # that measure the spread about the means of so few labelled contacts; with more there are none
)
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
    views = adapted.views(X)
    if spread_rounds is None:
        few = len(adapted.support_labels_) <= FEW * len(adapted.classes_)
        spread_rounds = SPREAD_ROUNDS if few else 0
    check_number("spread_rounds", spread_rounds, int, low=0)
    check_number("mean_rounds", mean_rounds, int, low=0)
    sorter = copy.copy(adapted)
    if sorter.rule_ is not None:  # an estimate of the prior from so few labels feeds on its own errors
        counts = np.bincount(sorter.support_labels_)
        sorter.prior, sorter.prior_, sorter.rule_ = "support", counts / counts.sum(), None
    for moving in (False,) * spread_rounds + (True,) * mean_rounds:
        P = sorter.infer(X).proba
        readouts = (_refit(sorter, H, S, P, moving) for H, S in zip(views, adapted.support_, strict=True))
        _replace(sorter, tuple(readouts))
    taught = copy.copy(adapted)
    _replace(taught, sorter.readouts_)
    return taught


def _replace(adapted: Bideta, readouts: tuple[AdaptedReadout, ...]) -> None:
    """Give the sensor these readouts, and the nodes of its graph their places in them."""
    adapted.readouts_ = readouts
    if adapted.support_nodes:
        adapted.nodes_ = algorithm.support_nodes(
            readouts, adapted.support_, adapted.support_labels_, adapted.geometry
        )


def _refit(
    adapted: Bideta, H: NDArray[Any], support: NDArray[Any], P: Floats64, moving: bool
) -> AdaptedReadout:
    """Scaler, memory and transform of one readout from its support and its soft-labelled contacts H."""
    y, n = adapted.support_labels_, len(support)
    prior = np.bincount(y) / n if adapted.prior_ is None else adapted.prior_
    both = np.concatenate([support, H])
    standardizer, Z = standardize(both)  # Z: (n + m, d)
    weights = np.vstack([np.eye(P.shape[1])[y], P])  # (n + m, C)
    rows = len(Z) if moving else n
    means = (weights[:rows].T @ Z[:rows]) / weights[:rows].sum(axis=0)[:, None]
    covariance = soft_within_class(Z, weights, means)
    rho = covariance.intensity if isinstance(adapted.shrinkage, str) else adapted.shrinkage
    return AdaptedReadout(
        standardizer,
        covariance,
        memory.fit_memory(means, covariance, prior, rho),
        spectrum.transform(covariance, adapted.gamma),
    )


def soft_within_class(Z: Floats64, weights: Floats64, means: Floats64) -> WithinClass:
    """Decomposed covariance of the residuals about ``means`` where row i counts ``weights[i, c]`` for class c (Eq. 4).

    With one-hot weights and class means this is ``within_class``.
    """
    n, d = Z.shape
    total, sums = weights.sum(), weights.T @ Z  # (C, d)
    cross = sums.T @ means
    S = (Z.T * weights.sum(axis=1)) @ Z - cross - cross.T + (means.T * weights.sum(axis=0)) @ means
    S /= total
    values, vectors = eigh(S)
    values = np.maximum(values[::-1], 0.0)
    squared = np.square(Z).sum(axis=1)[:, None] - 2 * Z @ means.T + np.square(means).sum(axis=1)
    fourth = (weights * np.square(squared)).sum(axis=1) * (n / total)  # ‖e‖⁴ of each row
    return WithinClass(
        values,
        np.ascontiguousarray(vectors[:, ::-1]),
        rest=0.0,
        mean_variance=float(values.sum() / d),
        intensity=ledoit_wolf_intensity(np.sqrt(fourth), values, d),
    )
