"""Where contacts lie: unit vectors in the spectral geometry, and distances in the discriminant space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bideta.estimator import Bideta
from bideta.method import covariance
from bideta.method.algorithm import AdaptedReadout
from bideta.method.covariance import MatrixFunction
from bideta.method.standardize import Floats, Floats64


def spectral(adapted: Bideta, views: Sequence[Floats]) -> Floats:
    """(m, d1 + d2) unit rows whose products are the mean of the readouts' cosines, as the graph sees them."""
    rows = [spectral_rows(readout, H) for readout, H in zip(adapted.readouts_, views, strict=True)]
    return np.hstack(rows) / len(rows) ** 0.5


def spectral_rows(readout: AdaptedReadout, H: Floats) -> Floats:
    """(m, d) unit rows of one readout in its spectral geometry, up to a rotation that all contacts share."""
    projection = readout.projection(H.dtype)
    return projection.unit_rows(projection.centered(H), H)


def discriminant_distances(adapted: Bideta, views: Sequence[Floats]) -> Floats64:
    """(m, C) squared distance to every class mean among the C − 1 discriminants, per dimension, mean of the readouts.

    About one for a contact of the class, on any sensor: lengths are in within-class standard deviations.
    """
    total = np.zeros((len(views[0]), len(adapted.classes_)))
    for readout, H, S in zip(adapted.readouts_, views, adapted.support_, strict=True):
        whiten = whitening(readout)
        means = whiten(class_means(readout.standardizer(S), adapted.support_labels_))
        centre = means.mean(axis=0)
        axes = np.linalg.svd(means - centre, full_matrices=False)[2][: max(1, len(means) - 1)]  # (C − 1, d)
        # A symmetric matrix may as well be applied to the few axes as to the many contacts.
        B, M = readout.standardizer(H) @ whiten(axes).T - centre @ axes.T, (means - centre) @ axes.T
        squared = (B**2).sum(axis=1)[:, None] - 2 * B @ M.T + (M**2).sum(axis=1)
        total += np.maximum(squared, 0.0) / len(axes)
    return total / len(adapted.readouts_)


def whitened(readout: AdaptedReadout, H: Floats) -> Floats64:
    """(m, d) standardised features in units of the shrunk within-class spread, Σ^−½ z."""
    return whitening(readout)(readout.standardizer(H))


def whitening(readout: AdaptedReadout) -> MatrixFunction:
    """Σ^−½ of the shrunk within-class covariance."""
    values, rest = readout.covariance.shrunk(readout.covariance.intensity)
    return readout.covariance.function(values**-0.5, rest**-0.5)


def class_means(A: Floats64, y: NDArray[np.intp]) -> Floats64:
    """(C, d) mean of every class; rows in any order."""
    return covariance.class_means(A[np.argsort(y, kind="stable")], np.bincount(y))
