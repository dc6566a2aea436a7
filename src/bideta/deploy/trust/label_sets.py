"""Label sets that hold the true class with a chosen probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.checks import check_number
from bideta.deploy.trust.hidden_support import HeldOut, check_held
from bideta.method import Floats64


def conformal_sets(held: HeldOut, coverage: float = 0.9) -> NDArray[np.bool_]:
    """(m, C) which classes remain possible for the queries that ``held`` was made with.

    Where support and queries come from the same source, a set misses its true class with probability at most
    2(1 − coverage), and in practice about 1 − coverage (cross-conformal prediction: Vovk, 2015; Barber and
    others, 2021). An empty set says that the contact resembles no enrolled class. Without hidden contacts (one
    labelled contact per class) nothing can be excluded and every set holds every class.

    Args:
        held: ``hold_out(adapted, X)``.
        coverage: share of contacts whose set shall hold the true class.
    """
    check_number("coverage", coverage, float, above=0, below=1)
    return possibility(check_held(held)) > 1 - coverage


def possibility(held: HeldOut) -> Floats64:
    """(m, C) conformal p-values: the share of hidden contacts whose true class looked no more probable.

    Each fold's hidden contacts are compared with what that fold's method says about the queries; they stood in the
    same batch, and the method does not know which is which. Frames of one press are one piece of evidence.
    """
    at_most = np.zeros(held.queries.shape[1:])
    for proba, fold in zip(held.queries, np.unique(held.folds), strict=True):
        hidden = held.folds == fold
        true = np.sort(held.proba[hidden, held.labels[hidden]])
        at_most += np.searchsorted(true, proba, side="right")
    n = held.n_presses
    return (at_most * n / max(len(held), 1) + 1) / (n + 1)  # the query itself counts
