"""The paper's support memory (Eqs. 1–3) on every readout: several comparisons use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import log_softmax, logsumexp

from bideta.baselines._inputs import Floats, Readouts, Task
from bideta.method.memory import fuse, posterior, scores
from bideta.method.readout import AdaptedReadout, adapt
from bideta.method.settings import Settings

Adapted = tuple[AdaptedReadout, ...]


def adapt_readouts(task: Task, shrinkage: Any = "auto", gamma: float = 0.0) -> Adapted:
    """Scaler, covariance and memory of every readout; the prior is the support's class frequencies."""
    counts = np.bincount(task.support.y, minlength=task.n_classes)
    prior, settings = counts / counts.sum(), Settings(shrinkage=shrinkage, gamma=gamma)
    return tuple(adapt(H, task.support.y, prior, settings) for H in task.support.readouts)


def standardize(readout: AdaptedReadout, H: Floats) -> Floats:
    """Features in units of the support's spread (Eq. 1)."""
    return np.asarray(readout.standardizer(H), dtype=np.float64)


def anchor(adapted: Adapted, readouts: Readouts, temperature: float = 1.0, alpha: float = 0.5) -> Floats:
    """(m, C) fused distributions P₀ (Eq. 3)."""
    return fuse([posterior(ell, temperature) for ell in memory_scores(adapted, readouts)], alpha)


def log_anchor(adapted: Adapted, readouts: Readouts, temperature: float = 1.0, alpha: float = 0.5) -> Floats:
    """(m, C) log P₀, finite where P₀ underflows."""
    V = len(adapted)
    weights = np.array([alpha, 1 - alpha] if V == 2 else [1 / V] * V)
    return log_mean([ell / temperature for ell in memory_scores(adapted, readouts)], weights)


def memory_scores(adapted: Adapted, readouts: Readouts) -> list[Floats]:
    """(m, C) scores of every readout (Eq. 2)."""
    return [scores(r.memory, r.standardizer(H)) for r, H in zip(adapted, readouts, strict=True)]


def log_mean(views: Sequence[Floats], weights: Floats) -> Floats:
    """(m, C) logarithm of the weighted mean of the softmax of every (m, C) view."""
    with np.errstate(divide="ignore"):  # a view of weight zero, a class of prior zero: −∞ is meant
        logs = np.log(weights)[:, None, None] + log_softmax(np.array(views), axis=2)
    mean: Floats = logsumexp(logs, axis=0)
    return mean
