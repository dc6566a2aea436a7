"""The paper's metrics. Labels are class indices 0 … C − 1; C is fixed by the label space, not by the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def accuracy(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Share of contacts with the right label."""
    t, p = _pair(truth, predicted)
    return float((t == p).mean())


def confusion(truth: ArrayLike, predicted: ArrayLike, C: int) -> NDArray[np.int64]:
    """(C, C) counts: row is the true class, column the predicted one."""
    t, p = _pair(truth, predicted)
    if min(t.min(), p.min()) < 0 or max(t.max(), p.max()) >= C:
        raise ValueError(
            f"labels run from {min(t.min(), p.min())} to {max(t.max(), p.max())}, expected 0 to {C - 1}"
        )
    return np.bincount(t * C + p, minlength=C * C).reshape(C, C)


def macro_f1(truth: ArrayLike, predicted: ArrayLike, C: int) -> float:
    """Mean F1 over all C classes; a class that is neither present nor predicted counts 0."""
    counts = confusion(truth, predicted, C)
    hits = np.diag(counts)
    total = counts.sum(axis=0) + counts.sum(axis=1)
    return float(np.divide(2 * hits, total, out=np.zeros(C), where=total > 0).mean())


def ranks(scores: ArrayLike, truth: ArrayLike) -> NDArray[np.int64]:
    """(m,) place of the true class when each row of ``scores`` (m, C) is sorted, 1 is first.

    Equal scores keep the order of the columns, as sorting them does.
    """
    S, t = np.asarray(scores, float), np.asarray(truth)
    if S.ndim != 2 or t.shape != S.shape[:1] or not len(t):
        raise ValueError(f"scores have shape {S.shape} and truth {t.shape}; expected (m, C) and (m,), m ≥ 1")
    true = S[np.arange(len(t)), t][:, None]
    before = (true == S) & (np.arange(S.shape[1]) < t[:, None])
    return 1 + (true < S).sum(axis=1) + before.sum(axis=1)


def mean_reciprocal_rank(places: ArrayLike) -> float:
    """MRR of places that start at 1."""
    return float((1 / np.asarray(places)).mean())


def recall_at_one(places: ArrayLike) -> float:
    """R@1: share of contacts whose true identity comes first."""
    return float((np.asarray(places) == 1).mean())


def _pair(truth: ArrayLike, predicted: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    t, p = np.asarray(truth), np.asarray(predicted)
    if t.shape != p.shape or t.ndim != 1 or not len(t):
        raise ValueError(f"truth has shape {t.shape}, predicted {p.shape}; expected the same (m,), m ≥ 1")
    return t, p
