"""The paper's support memory (Eqs. 1–3) on every readout: several comparisons use it."""

from __future__ import annotations

from typing import Any

import numpy as np

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
    return fuse(
        [
            posterior(scores(readout.memory, readout.standardizer(H)), temperature)
            for readout, H in zip(adapted, readouts, strict=True)
        ],
        alpha,
    )
