"""Label sets that hold the true class with a chosen probability: split, cross-conformal, by class, by press.

Everything rests on the probability of the true class of hidden labelled contacts (score "LAC"), or on the probability
of all classes down to it (APS). Split conformal sets hide half of the presses once; cross-conformal ones hide every
fifth in turn. tests/benchmarks compare the split sets with MAPIE's and crepes's where those are installed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bideta import Bideta
from bideta.deploy.trust.hidden_support import HeldOut
from bideta.encoders import Readouts
from bideta.extensions.presses import pool_presses

Array = NDArray[np.float64]
Labels = NDArray[np.intp]
Possible = Callable[[HeldOut], Array]  # → (m, C) conformal p-values

CLUSTERS = 4  # of classes with alike scores, at most (Ding and others, 2023)


def lac(P: Array) -> Array:
    """(n, C) the probability of a class: large where it conforms."""
    return P


def aps(P: Array) -> Array:
    """(n, C) minus the probability of all classes at least as probable (Romano and others, 2020; not randomised)."""
    order = np.argsort(-P, axis=1, kind="stable")
    totals = np.take_along_axis(P, order, axis=1).cumsum(axis=1)
    conforming = np.empty_like(P)
    np.put_along_axis(conforming, order, -totals, axis=1)
    return conforming


def p_values(hidden: Array, queries: Array, weights: Array | None = None, n: float | None = None) -> Array:
    """(m, …) share of hidden conformities that are no larger, the query counted among them.

    ``weights`` of the hidden ones; ``n`` is the number of pieces of evidence, their sum unless given.
    """
    order = np.argsort(hidden)
    w = np.ones(len(hidden)) if weights is None else weights
    cumulative = np.concatenate([[0.0], np.cumsum(w[order])])
    n = float(w.sum()) if n is None else n
    share = cumulative[np.searchsorted(hidden[order], queries, side="right")] / max(cumulative[-1], 1e-12)
    return (share * n + 1) / (n + 1)


def split(proba: Array, labels: Labels, queries: Array, score: Callable[[Array], Array] = lac) -> Array:
    """(m, C) split-conformal p-values from answers about calibration contacts and about queries."""
    return p_values(score(proba)[np.arange(len(labels)), labels], score(queries))


def split_by_class(proba: Array, labels: Labels, queries: Array) -> Array:
    """(m, C) the same, class by class (Mondrian: Vovk and others, 2003)."""
    true = proba[np.arange(len(labels)), labels]
    return np.stack([p_values(true[labels == c], queries[:, c]) for c in range(queries.shape[1])], axis=1)


def crossed(
    score: Callable[[Array], Array] = lac, group: Callable[[HeldOut], Labels] | None = None
) -> Possible:
    """Cross-conformal p-values; ``group`` numbers the classes that share their evidence (all do unless given)."""

    def possible(held: HeldOut) -> Array:
        m, C = held.queries.shape[1:]
        groups = np.zeros(C, np.intp) if group is None else group(held)
        at_most, weight = np.zeros((m, C)), np.zeros(C)
        frames = np.bincount(held.presses)[held.presses]
        for P, fold in zip(held.queries, np.unique(held.folds), strict=True):
            rows = np.flatnonzero(held.folds == fold)
            conforming = score(held.proba[rows])[np.arange(len(rows)), held.labels[rows]]
            asked = score(P)
            for g in np.unique(groups):
                mine = groups[held.labels[rows]] == g
                columns = groups == g
                order = np.argsort(conforming[mine])
                w = 1 / frames[rows][mine][order]  # a press counts once, however many frames it has
                cumulative = np.concatenate([[0.0], np.cumsum(w)])
                place = np.searchsorted(conforming[mine][order], asked[:, columns], side="right")
                at_most[:, columns] += cumulative[place]
                weight[columns] += cumulative[-1]
        return (at_most + 1) / (weight + 1)

    return possible


def class_among_all(held: HeldOut, others: float = 10.0) -> Array:
    """By class, where the evidence of all classes together counts as much as ``others`` presses of the class."""
    everyone, own = crossed()(held), crossed(group=each_class)(held)
    n = np.array([len(np.unique(held.presses[held.labels == c])) for c in range(own.shape[1])])
    return ((own * (n + 1) - 1) + others * everyone) / (n + others)


def each_class(held: HeldOut) -> Labels:
    """Every class for itself."""
    return np.arange(held.queries.shape[2])


def alike_classes(held: HeldOut) -> Labels:
    """Classes grouped by the mean conformity of their hidden contacts, so that a group has 20 presses or more."""
    C = held.queries.shape[2]
    true = held.proba[np.arange(len(held)), held.labels]
    counts = np.bincount(held.labels, minlength=C)
    means = np.bincount(held.labels, true, C) / np.maximum(counts, 1)
    groups = int(np.clip(held.n_presses // 20, 1, CLUSTERS))
    order = np.argsort(means)
    number = np.empty(C, np.intp)
    number[order] = np.arange(C) * groups // C
    return number


def half_by_press(adapted: Bideta, X: Readouts, rng: np.random.Generator) -> tuple[Array, Labels, Array]:
    """Half of every class's presses teaches, the other half calibrates: its answers and labels, and the queries'.

    Calibration contacts stand among the queries, so that they are answered alike. A class's only press teaches.
    """
    sensor = adapted.sensor_
    teaches = np.ones(len(sensor.labels), bool)
    for c in range(len(sensor.classes)):
        presses = rng.permutation(np.unique(sensor.presses[sensor.labels == c]))
        teaches &= ~((sensor.labels == c) & np.isin(sensor.presses, presses[-(-len(presses) // 2) :]))
    rest = tuple(S[~teaches] for S in sensor.support)
    taught = sensor.with_support(
        tuple(S[teaches] for S in sensor.support), sensor.labels[teaches], sensor.presses[teaches]
    )
    m = len(X[0])
    P = taught.infer(tuple(np.concatenate([H, R]) for H, R in zip(X, rest, strict=True))).proba
    return P[m:], sensor.labels[~teaches], P[:m]


def pooled(held: HeldOut, presses: NDArray[np.int64]) -> HeldOut:
    """Hidden contacts and queries with one answer per press: the geometric mean of its frames."""
    first, proba = pool_presses(held.proba, held.presses)
    asked = np.stack([pool_presses(P, presses)[1] for P in held.queries])
    return replace(
        held,
        labels=held.labels[first],
        folds=held.folds[first],
        presses=held.presses[first],
        proba=proba,
        queries=asked,
    )
