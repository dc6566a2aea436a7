"""Class means, distances to them, and the normalisations that prototype methods begin with."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bideta.baselines._inputs import Floats, Labels, Task, require_source

Center = Literal["support", "source", "none"]  # of what the mean is subtracted


def unit_rows(X: Floats) -> Floats:
    """Rows divided by their Euclidean length; a zero row stays zero (dividing would give NaN)."""
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(length == 0, 1.0, length)


def one_hot(y: Labels, n_classes: int) -> Floats:
    """(n, C) indicator of the class."""
    return np.eye(n_classes)[y]


def prototypes(X: Floats, weights: Floats) -> Floats:
    """(C, d) means of X under the columns of ``weights`` (n, C), each with a positive sum."""
    means: Floats = (weights.T @ X) / weights.sum(axis=0)[:, None]
    return means


def squared_distances(X: Floats, M: Floats) -> Floats:
    """(n, C) squared Euclidean distances of rows to prototypes, never below zero."""
    D: Floats = np.square(X).sum(axis=1)[:, None] - 2 * X @ M.T + np.square(M).sum(axis=1)
    return np.maximum(D, 0.0, out=D)


def closeness(X: Floats, M: Floats) -> Floats:
    """(n, C) minus half the squared distances, up to a number that is the same for all prototypes."""
    scores: Floats = X @ M.T - np.square(M).sum(axis=1) / 2
    return scores


def softmax(scores: Floats) -> Floats:
    """Rows to distributions; scores far below the best one become zero."""
    P: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    return P


def centre(task: Task, center: Center, method: str) -> Floats:
    """(d,) what CL2N subtracts from the earlier readout: mean of the support, of the source, or nothing."""
    if center == "none":
        return np.zeros(task.support.readouts[0].shape[1])
    contacts = task.support if center == "support" else require_source(task, f"{method} with center='source'")
    b: Floats = contacts.readouts[0].mean(axis=0)
    return b
