"""Where the transductive rivals live: the raw readouts, or the subspace in which LDA separates the classes.

``"raw"`` puts the readouts side by side, each centred on the support and divided by its typical length, so
that neither outweighs the other. ``"lda"`` whitens each readout by its shrunk within-class covariance and keeps
the span of the class means (at most C − 1 directions): a squared distance to a class mean is then the mean of
the readouts' Mahalanobis distances, minus a constant, and half of it is what LDA scores are made of. There
the published algorithms become strong; on raw readouts most lose to plain LDA.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from bideta.baselines._adapter import Infer
from bideta.baselines._anchor import adapt_readouts, standardize
from bideta.baselines._inputs import Floats, Readouts, Task
from bideta.baselines._prototypes import one_hot, prototypes
from bideta.extensions.whitening import whitening
from bideta.method.readout import AdaptedReadout

Solve = Callable[[Floats, Floats, Floats], Floats]  # (n, D), (n, C), (m, D) → (m, C)

SpaceName = Literal["lda", "raw"]
RANK_FLOOR = 1e-9  # singular values of the class means below this part of the largest are rounding


@dataclass(frozen=True)
class Space:
    """Affine maps of the readouts; the images are put side by side."""

    offsets: Readouts  # (d1,), (d2,), …
    matrices: Readouts | None  # (d1, r1), (d2, r2), …; None: the identity
    scales: tuple[float, ...]

    def __call__(self, readouts: Readouts) -> Floats:
        """(m, D) coordinates."""
        images = [(H - b) * s for H, b, s in zip(readouts, self.offsets, self.scales, strict=True)]
        if self.matrices is not None:
            images = [X @ A for X, A in zip(images, self.matrices, strict=True)]
        return np.hstack(images)


def in_space(task: Task, space: SpaceName, solve: Solve) -> Infer:
    """A rival ``solve(S, Y, X)`` at work in a space: support coordinates, one-hot labels, query coordinates."""
    coordinates = fit_space(task, space)
    S, Y = coordinates(task.support.readouts), one_hot(task.support.y, task.n_classes)
    return partial(_infer, coordinates=coordinates, S=S, Y=Y, solve=solve)


def _infer(readouts: Readouts, coordinates: Space, S: Floats, Y: Floats, solve: Solve) -> Floats:
    return solve(S, Y, coordinates(readouts))


def fit_space(task: Task, space: SpaceName) -> Space:
    """The space named ``space``, from the support alone."""
    readouts = task.support.readouts
    if space == "raw":
        offsets = tuple(H.mean(axis=0) for H in readouts)
        scales = tuple(_scale(H - b, len(readouts)) for H, b in zip(readouts, offsets, strict=True))
        return Space(offsets, None, scales)
    Y = one_hot(task.support.y, task.n_classes)
    offsets, matrices = zip(
        *(
            _discriminant(readout, prototypes(H, Y))
            for readout, H in zip(adapt_readouts(task), readouts, strict=True)
        ),
        strict=True,
    )
    # Squared distances add over readouts; divided by their number, the sum is the mean.
    return Space(offsets, matrices, (np.sqrt(1 / len(readouts)),) * len(readouts))


def _scale(X: Floats, V: int) -> float:
    """Factor that brings the root-mean-square length of all V readouts together to one."""
    square = float(np.square(X).sum(axis=1).mean())
    return np.sqrt(1 / V / square) if square > 0 else 1.0


def _discriminant(readout: AdaptedReadout, means: Floats) -> tuple[Floats, Floats]:
    """Offset (d,) and map (d, r): standardise, whiten by Σ^−½, project on the span of the class means."""
    whiten = whitening(readout.covariance)
    M = whiten(standardize(readout, means))  # (C, d)
    _, singular, Vt = np.linalg.svd(M - M.mean(axis=0), full_matrices=False)
    V = Vt[singular > RANK_FLOOR * singular[0]]  # (r, d)
    return readout.standardizer.mean, whiten(V).T / readout.standardizer.scale[:, None]
