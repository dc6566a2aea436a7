"""Streams of a few simulated contacts, for tests of ``OnlineBideta``."""

from __future__ import annotations

import numpy as np

from bideta.deploy.online import OnlineBideta

NAMES = np.array(["bolt", "coin", "key", "nut", "washer"])


def row(views, i):
    return tuple(H[i] for H in views)


def stream(online: OnlineBideta, views, rows) -> list:
    return [online.predict_one(row(views, i)) for i in rows]


def revised(online: OnlineBideta) -> np.ndarray:
    return np.array([answer.proba for answer in online.revise()])
