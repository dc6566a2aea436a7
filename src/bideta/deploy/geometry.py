"""Where contacts lie: unit vectors in the spectral geometry, and distances in the discriminant space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bideta.estimator import Bideta
from bideta.method import graph
from bideta.method.algorithm import AdaptedReadout
from bideta.method.readouts import Floats, Floats64


def spectral(adapted: Bideta, views: Sequence[Floats]) -> Floats64:
    """(m, d1 + d2) unit rows whose products are the mean of the readouts' cosines, as the graph sees them."""
    return np.hstack(
        [spectral_rows(readout, H) for readout, H in zip(adapted.readouts_, views, strict=True)]
    ) / np.sqrt(len(adapted.readouts_))


def spectral_rows(readout: AdaptedReadout, H: Floats) -> Floats64:
    """(m, d) unit rows of one readout in its spectral geometry."""
    Z = readout.standardizer(H)
    return np.asarray(graph.unit_rows(Z if readout.transform is None else readout.transform(Z)), np.float64)


def discriminant_distances(adapted: Bideta, views: Sequence[Floats]) -> Floats64:
    """(m, C) squared distance to every class mean among the C − 1 discriminants, per dimension, mean of the readouts.

    About one for a contact of the class, on any sensor: lengths are in within-class standard deviations.
    """
    total = np.zeros((len(views[0]), len(adapted.classes_)))
    for readout, H, S in zip(adapted.readouts_, views, adapted.support_, strict=True):
        means = class_means(whitened(readout, S), adapted.support_labels_)
        centre = means.mean(axis=0)
        axes = np.linalg.svd(means - centre, full_matrices=False)[2][: max(1, len(means) - 1)]  # (C − 1, d)
        B, M = (whitened(readout, H) - centre) @ axes.T, (means - centre) @ axes.T
        squared = (B**2).sum(axis=1)[:, None] - 2 * B @ M.T + (M**2).sum(axis=1)
        total += np.maximum(squared, 0.0) / len(axes)
    return total / len(adapted.readouts_)


def whitened(readout: AdaptedReadout, H: Floats) -> Floats64:
    """(m, d) standardised features in units of the shrunk within-class spread, Σ^−½ z."""
    values, rest = readout.covariance.shrunk(readout.covariance.intensity)
    return readout.covariance.function(values**-0.5, rest**-0.5)(readout.standardizer(H))


def class_means(A: Floats64, y: NDArray[np.intp]) -> Floats64:
    """(C, d) mean of every class; rows in any order."""
    order = np.argsort(y, kind="stable")
    counts = np.bincount(y)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    means: Floats64 = np.add.reduceat(A[order], starts, axis=0) / counts[:, None]
    return means
