"""Where contacts lie: unit vectors in the spectral geometry, and distances in the discriminant space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bideta.extensions.whitening import whitening
from bideta.method import Floats, Floats64, Indices, spectrum
from bideta.method.readout import AdaptedReadout
from bideta.sensor import Sensor


def spectral(readouts: Sequence[AdaptedReadout], contacts: Sequence[Floats]) -> Floats:
    """(m, Σd) unit rows whose products are the mean of the readouts' cosines, as the graph sees them."""
    rows = [readout.directions(H).rows for readout, H in zip(readouts, contacts, strict=True)]
    return np.hstack(rows) / len(rows) ** 0.5


def discriminant_distances(sensor: Sensor, contacts: Sequence[Floats]) -> Floats64:
    """(m, C) squared distance to every class mean among the C − 1 discriminants, per dimension, mean of the readouts.

    About one for a contact of the class, on any sensor: lengths are in within-class standard deviations.
    """
    total = np.zeros((len(contacts[0]), len(sensor.classes)))
    for readout, H, S in zip(sensor.readouts, contacts, sensor.support, strict=True):
        whiten = whitening(readout.covariance)
        means = whiten(class_means(readout.standardizer(S), sensor.labels))
        centre = means.mean(axis=0)
        axes = np.linalg.svd(means - centre, full_matrices=False)[2][: max(1, len(means) - 1)]  # (C − 1, d)
        # A symmetric matrix may as well be applied to the few axes as to the many contacts.
        B, M = readout.standardizer(H) @ whiten(axes).T - centre @ axes.T, (means - centre) @ axes.T
        squared = (B**2).sum(axis=1)[:, None] - 2 * B @ M.T + (M**2).sum(axis=1)
        total += np.maximum(squared, 0.0) / len(axes)
    return total / len(sensor.readouts)


def whitened(readout: AdaptedReadout, H: Floats) -> Floats64:
    """(m, d) standardised features in units of the shrunk within-class spread, Σ^−½ z."""
    return whitening(readout.covariance)(readout.standardizer(H))


def class_means(A: Floats64, y: Indices) -> Floats64:
    """(C, d) mean of every class; rows in any order."""
    return spectrum.class_means(A[np.argsort(y, kind="stable")], np.bincount(y))
