"""The spectral geometry made visible: unit features, a flat map of them, neighbours of one contact, the gains."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.classifier import Classifier
from bideta.encoders import Readouts
from bideta.method import spectrum

Floats = NDArray[np.float64]


def spectral(adapted: Classifier, readouts: Readouts) -> tuple[Floats, ...]:
    """For each readout (n, d): standardised, transformed (Eq. 5), unit length. Cosines are inner products."""
    rows = (readout.directions(H).rows for readout, H in zip(adapted.sensor_.readouts, readouts, strict=True))
    return tuple(np.asarray(Q, np.float64) for Q in rows)


def flat_map(features: tuple[Floats, ...]) -> Floats:
    """(n, 2) first two principal components of all readouts side by side, scaled into [−1, 1]."""
    X = np.concatenate(features, axis=1)
    X = X - X.mean(axis=0)
    _, vectors = np.linalg.eigh(X.T @ X)
    axes = vectors[:, ::-1][:, :2]
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.sign(axes[largest, np.arange(axes.shape[1])])  # an eigenvector's sign is arbitrary
    places: Floats = X @ axes
    if places.shape[1] < 2:
        places = np.pad(places, ((0, 0), (0, 1)))
    return places / max(np.abs(places).max(), np.finfo(float).tiny)


def nearest(features: Floats, row: int, candidates: NDArray[np.intp], count: int) -> list[tuple[int, float]]:
    """(row, cosine) of the nearest candidates, nearest first, the row itself left out."""
    similarity = features[candidates] @ features[row]
    order = [i for i in np.argsort(-similarity, kind="stable") if candidates[i] != row][:count]
    return [(int(candidates[i]), float(similarity[i])) for i in order]


def gains(adapted: Classifier) -> list[dict[str, Any]]:
    """For each readout the gains of Eq. 5 by falling variance within a class; ``n_rest`` directions share ``rest``."""
    rows = []
    for readout in adapted.sensor_.readouts:
        values, rest = spectrum.gains(readout.covariance, readout.gamma)
        d, r = readout.covariance.vectors.shape
        rows.append(
            {
                "values": [float(value) for value in values],
                "rest": float(rest),
                "n_rest": d - r,
                "shrinkage": float(readout.covariance.intensity),
            }
        )
    return rows
