"""Label sets that hold the true class with a chosen probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.checks import check_number
from bideta.deploy.trust.hidden_support import HeldOut, check_held
from bideta.method import Floats64

ROUNDING = 1e-12  # 1 − 0.9 is a little less than a tenth: a p-value of exactly 1/10 must not pass


def conformal_sets(held: HeldOut, coverage: float = 0.9, *, by_class: bool = False) -> NDArray[np.bool_]:
    """(m, C) which classes remain possible for the queries that ``held`` was made with.

    Where support and queries come from the same source, a set misses its true class with probability at most
    2(1 − coverage), and in practice about 1 − coverage (cross-conformal prediction: Vovk, 2015; Barber and
    others, 2021). An empty set says that the contact resembles no enrolled class. Without hidden contacts (one
    labelled contact per class) nothing can be excluded and every set holds every class.

    Args:
        held: ``hold_out(adapted, X)``.
        coverage: share of contacts whose set shall hold the true class.
        by_class: whether the same is promised to every class by itself (Mondrian sets: Vovk and others, 2003): a rare
            or difficult object is not paid for by the others. A class is then excluded by its own presses only, and
            with fewer than coverage / (1 − coverage) of them (9 for 90 %) never.
    """
    check_number("coverage", coverage, float, above=0, below=1)
    possible: NDArray[np.bool_] = possibility(check_held(held), by_class=by_class) > 1 - coverage + ROUNDING
    return possible


def possibility(held: HeldOut, *, by_class: bool = False) -> Floats64:
    """(m, C) conformal p-values: the share of hidden contacts whose true class looked no more probable.

    Each fold's hidden contacts are compared with what that fold's method says about the queries; they stood in the
    same batch, and the method does not know which is which. Frames of one press are one piece of evidence. With
    ``by_class`` a class is compared with its own hidden contacts.
    """
    C = held.queries.shape[2]
    every = slice(None)
    groups = [(held.labels == c, slice(c, c + 1)) for c in range(C)] if by_class else [(every, every)]
    p = np.empty(held.queries.shape[1:])
    for mine, columns in groups:
        labels, folds, proba = held.labels[mine], held.folds[mine], held.proba[mine]
        true = proba[np.arange(len(labels)), labels]
        at_most = np.zeros(p[:, columns].shape)
        for said, fold in zip(held.queries, np.unique(held.folds), strict=True):
            at_most += np.searchsorted(np.sort(true[folds == fold]), said[:, columns], side="right")
        n = len(np.unique(held.presses[mine]))
        p[:, columns] = (at_most * n / max(len(labels), 1) + 1) / (n + 1)  # the query itself counts
    return p
