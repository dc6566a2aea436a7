"""Frames without a contact: nearer to the untouched sensor than to any class."""

from __future__ import annotations

from typing import Any

import numpy as np

from bideta.classifier import Classifier
from bideta.deploy.geometry import class_means, whitened
from bideta.method import Floats64


def touch(adapted: Classifier, X: Any, background: Any) -> Floats64:
    """(m,) how much farther the untouched sensor is than the nearest class; below zero nothing is touched.

    ``background`` are the readouts of a few untouched frames (five are plenty). Squared distances per dimension in
    units of the within-class spread, mean of the readouts. Novelty cannot do this: a light touch looks much like no
    touch, so an untouched frame lies among the labelled contacts, not far from them.

    Args:
        adapted: a fitted ``Bideta``.
        X: the readouts of m frames.
        background: readouts of a few untouched frames.
    """
    contacts, untouched = adapted.readouts(X), adapted.readouts(background, "background")
    sensor = adapted.sensor_
    margin = np.zeros(len(contacts[0]))
    for readout, H, S, B in zip(sensor.readouts, contacts, sensor.support, untouched, strict=True):
        A = whitened(readout, H)
        means = class_means(whitened(readout, S), sensor.labels)
        empty = whitened(readout, B).mean(axis=0)
        nearest = ((A**2).sum(axis=1)[:, None] - 2 * A @ means.T + (means**2).sum(axis=1)).min(axis=1)
        margin += (((A - empty) ** 2).sum(axis=1) - nearest) / A.shape[1]
    return margin / len(contacts)
