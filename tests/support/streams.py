"""Streams of a few simulated contacts, for tests of ``OnlineBideta``."""

from __future__ import annotations

import numpy as np

from bideta.deploy.online import OnlineBideta

NAMES = np.array(["bolt", "coin", "key", "nut", "washer"])


def row(readouts, i):
    return tuple(H[i] for H in readouts)


def stream(online: OnlineBideta, readouts, rows) -> list:
    return [online.predict_one(row(readouts, i)) for i in rows]


def revised(online: OnlineBideta) -> np.ndarray:
    return np.array([answer.proba for answer in online.revise()])
