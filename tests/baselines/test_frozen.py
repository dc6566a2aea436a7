from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from baselines.sensors import change
from bideta import load_method


@pytest.mark.parametrize("C", [2, 4])
def test_is_scikit_learns_regression_on_the_source(C: int) -> None:
    data = change(C=C)
    unit = [10 * (H / np.linalg.norm(H, axis=1, keepdims=True)) for H in (data.source[0][1], data.queries[1])]
    expected = LogisticRegression(C=10, max_iter=2000).fit(unit[0], data.source[1]).predict_proba(unit[1])
    found = (
        load_method("frozen").fit(data.support, data.labels, source=data.source).predict_proba(data.queries)
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_target_contacts_change_nothing() -> None:
    data = change(1)
    other = tuple(H + 1 for H in data.support)
    first, second = (
        load_method("frozen").fit(S, data.labels, source=data.source).predict_proba(data.queries)
        for S in (data.support, other)
    )
    np.testing.assert_array_equal(first, second)


def test_works_at_home_and_fails_abroad() -> None:
    data = change(2, shift=4.0)
    method = load_method("frozen").fit(data.support, data.labels, source=data.source)
    assert np.mean(method.predict(data.source[0]) == data.source[1]) > 0.8
    assert np.mean(method.predict(data.queries) == data.truth) < 0.5
