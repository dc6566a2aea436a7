"""Risk against coverage: what share of errors remains when only the surest answers are given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bideta.method import Floats64


@dataclass(frozen=True)
class RiskCoverage:
    """The curve, surest answers first; contacts of equal score are accepted together.

    Attributes:
        coverage: (p,) share of contacts answered
        risk: (p,) share of errors among them
        area: AURC: mean risk over the contacts' coverages; lower is better
        excess: AURC minus that of an oracle that sorts all right answers first
    """

    coverage: Floats64
    risk: Floats64
    area: float
    excess: float


def risk_coverage(scores: ArrayLike, right: ArrayLike) -> RiskCoverage:
    """Risk–coverage curve of scores that grow with sureness (El-Yaniv and Wiener, 2010; Geifman and others, 2019).

    Args:
        scores: (m,) how sure each answer is.
        right: (m,) whether it was right.

    >>> curve = risk_coverage([0.9, 0.8, 0.4, 0.2], [True, True, False, True])
    >>> curve.coverage.tolist(), [round(value, 2) for value in curve.risk.tolist()]
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.33, 0.25])
    """
    s, ok = np.asarray(scores, float), np.asarray(right, bool)
    if s.ndim != 1 or s.shape != ok.shape or not len(s):
        raise ValueError(f"scores have shape {s.shape} and right {ok.shape}; expected the same (m,), m ≥ 1")
    order = np.argsort(-s, kind="stable")
    last = np.flatnonzero(np.diff(s[order], append=-np.inf) != 0)  # last contact of each run of equal scores
    errors = np.cumsum(~ok[order])[last]
    accepted = last + 1
    risk = errors / accepted
    area = float(np.sum(risk * np.diff(accepted, prepend=0)) / len(s))
    return RiskCoverage(accepted / len(s), risk, area, area - oracle_area(ok.mean(), len(s)))


def oracle_area(accuracy: float, m: int) -> float:
    """AURC of scores that put every right answer before every wrong one."""
    right = round(accuracy * m)
    k = np.arange(right + 1, m + 1)
    return float(((k - right) / k).sum() / m)
