"""Clues to whether an answer is right, and to whether a contact is of any enrolled class; one row per contact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from bideta.classifier import Classifier
from bideta.deploy.geometry import discriminant_distances, spectral
from bideta.method import Floats, Floats64, Indices
from bideta.method.algorithm import Inference
from bideta.sensor import Sensor

CEILING = 12.0  # of a log ratio of probabilities: the prior step clips at 1e-8, beyond is noise
TINY = 1e-12  # added inside logarithms
AGREEMENT = ("lead", "disagreement", "neighbours", "nearest")
STRANGENESS = ("doubt", "nearest", "distance", "crowd")
CLOSEST = 10  # contacts of the batch that a strange one is averaged with
BLOCK = 1024  # contacts compared with the whole batch at a time


def check_result(result: Any) -> Inference:
    """``result`` itself, or an error where it is something else."""
    if not isinstance(result, Inference):
        raise ValueError(f"result is a {type(result).__name__}, expected what adapted.infer(X) returns")
    return result


def batch_of(adapted: Classifier, result: Inference, X: Any) -> tuple[Floats, ...]:
    """The readouts of X, checked to be the batch that ``result`` is about."""
    batch = adapted.readouts(X)
    if len(batch[0]) != len(check_result(result).proba):
        raise ValueError(
            f"result is about {len(result.proba)} contacts and X holds {len(batch[0])}, expected adapted.infer(X)"
        )
    return batch


def agreement(
    sensor: Sensor, result: Inference, batch: Sequence[Floats], rows: slice = slice(None)
) -> Floats64:
    """(m, 4) clues to a right answer, as named in ``AGREEMENT``, for some rows of the batch.

    lead: log ratio of the two best final probabilities. disagreement: of the readouts. neighbours: probability
    that the graph's neighbours give to the answer. nearest: how much closer, in cosine, the nearest labelled contact
    of the answer is than that of any other class. How far a contact is from all of them is no clue here: a gel that has
    changed is far from everything, and its answers may be as right as before.
    """
    P = result.proba[rows]
    if P.shape[1] < 2:
        return np.zeros((len(P), len(AGREEMENT)))
    asked = tuple(H[rows] for H in batch)
    each, answer = np.arange(len(P)), P.argmax(axis=1)
    around, weight = _neighbours(sensor, result, rows)
    return np.column_stack(
        [
            _lead(np.log(P + TINY), answer),
            result.disagreement[rows],
            # Without a graph the answer stands alone.
            np.where(weight > 0, around[each, answer], P[each, answer]),
            _lead(class_similarities(sensor, asked), answer),
        ]
    )


def strangeness(
    sensor: Sensor, result: Inference, batch: Sequence[Floats], batches: Indices | None = None
) -> Floats64:
    """(m, 4) clues to a contact of no enrolled class, as named in ``STRANGENESS``; each grows with strangeness.

    doubt: 1 − the best final probability. nearest: cosine distance to the nearest labelled contact. distance: log
    discriminant distance to the nearest class mean. crowd: how many contacts of the batch are nearer than that
    labelled one, on a log scale: an object nobody enrolled is touched again and again, and its contacts resemble
    each other more than anything labelled. Every clue is averaged with those of up to ten such nearer contacts.
    ``batches`` numbers the batch of each contact where there are several, all of one size.
    """
    Q = spectral(sensor.readouts, batch)
    nearest = (Q @ spectral(sensor.readouts, sensor.support).T).max(axis=1)
    m = len(Q) if batches is None else int(np.bincount(batches).max())
    n = len(sensor.labels)
    company, crowd = _nearer_than(Q, nearest, batches)
    clues = np.column_stack(
        [
            1 - result.proba.max(axis=1),
            1 - nearest,
            np.log(discriminant_distances(sensor, batch).min(axis=1) + TINY),
            np.log1p(crowd * n / (m + n)),  # few in a small batch say as much as many in a large one
        ]
    )
    return np.asarray(company @ clues, np.float64)


def class_similarities(sensor: Sensor, batch: Sequence[Floats]) -> Floats64:
    """(m, C) cosine of the nearest labelled contact of every class in the spectral geometry."""
    order = np.argsort(sensor.labels, kind="stable")
    support = spectral(sensor.readouts, [S[order] for S in sensor.support])
    starts = np.concatenate([[0], np.cumsum(np.bincount(sensor.labels))[:-1]])
    cosines = spectral(sensor.readouts, batch) @ support.T
    return np.maximum.reduceat(cosines, starts, axis=1).astype(np.float64)


def _neighbours(sensor: Sensor, result: Inference, rows: slice) -> tuple[Floats64, Floats64]:
    """(m, C) mean distribution of the graph's neighbours, labelled ones included, and the (m,) weight of the edges."""
    G = csr_array(result.graph[rows])
    around, weight = G @ result.proba, G.sum(axis=1)
    if result.support_graph is not None:
        to_support = csr_array(result.support_graph[rows])
        around = around + to_support @ np.eye(len(sensor.classes))[sensor.labels]
        weight = weight + to_support.sum(axis=1)
    return np.asarray(around, np.float64), np.asarray(weight, np.float64)


def _lead(values: Floats64, answer: Indices) -> Floats64:
    """(m,) value of the answer minus the best other one."""
    rows = np.arange(len(values))
    others = values.copy()
    others[rows, answer] = -np.inf
    return np.clip(values[rows, answer] - others.max(axis=1), -CEILING, CEILING)


def _nearer_than(Q: Floats, limit: Floats, batches: Indices | None) -> tuple[csr_array, Floats64]:
    """Means of each contact with the closest ones above its limit in cosine (row-stochastic), and how many are.

    Only contacts of the same batch count.
    """
    m, Q = len(Q), Q.astype(np.float32, copy=False)  # ties do not matter here
    k = min(CLOSEST, m - 1)
    crowd = np.zeros(m)
    rows, columns = [np.arange(m)], [np.arange(m)]
    for start in range(0, m, BLOCK):
        block = np.arange(start, min(start + BLOCK, m))
        S = Q[block] @ Q.T
        S[np.arange(len(block)), block] = -np.inf
        if batches is not None:
            S[batches[block, None] != batches] = -np.inf
        crowd[block] = (limit[block, None] < S).sum(axis=1)
        if k < 1:
            continue
        closest = np.argpartition(S, m - k, axis=1)[:, m - k :]
        kept = np.take_along_axis(S, closest, axis=1) > limit[block, None]
        rows.append(np.repeat(block, kept.sum(axis=1)))
        columns.append(closest[kept])
    i, j = np.concatenate(rows), np.concatenate(columns)
    weights = 1 / np.bincount(i, minlength=m)
    return csr_array((weights[i], (i, j)), shape=(m, m)), crowd
