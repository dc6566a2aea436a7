from __future__ import annotations

import numpy as np
import pytest

from bideta.deploy.trust.risk_coverage import risk_coverage


def test_the_area_is_the_mean_risk_of_every_prefix():
    rng = np.random.default_rng(0)
    scores, right = rng.permutation(100) / 100, rng.random(100) < 0.7
    order = np.argsort(-scores)
    slow = np.mean([1 - right[order[:k]].mean() for k in range(1, 101)])
    curve = risk_coverage(scores, right)
    assert curve.area == pytest.approx(slow)
    assert curve.risk[-1] == pytest.approx(1 - right.mean())


def test_an_oracle_has_no_excess_and_equal_scores_cost_the_error_rate():
    right = np.array([True] * 7 + [False] * 3)
    assert risk_coverage(right, right).excess >= 0
    assert risk_coverage(np.arange(10)[::-1], right).excess == pytest.approx(0)
    flat = risk_coverage(np.zeros(10), right)
    assert flat.coverage.tolist() == [1.0]
    assert flat.area == pytest.approx(0.3)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"\(3,\) and right \(2,\)"):
        risk_coverage([1, 2, 3], [True, False])
