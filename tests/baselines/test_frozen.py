from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bideta import load_method
from bideta.baselines import _source_head
from bideta.baselines._inputs import Labelled
from support.change_of_sensor import change


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


def test_the_head_of_the_same_source_is_fitted_once_and_only_a_few_are_kept() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 10)

    def source(shift: float) -> Labelled:
        H = rng.normal(size=(30, 4)) + shift
        return Labelled((H, H), y)

    first = source(0.0)
    head = _source_head.fit_source_head(first)
    copy = Labelled((first.readouts[0], first.readouts[1].copy()), y.copy())
    assert _source_head.fit_source_head(copy) is head
    others = [_source_head.fit_source_head(source(i)) for i in range(1, 1 + _source_head.KEPT)]
    assert len({id(other) for other in [head, *others]}) == 1 + _source_head.KEPT
    again = _source_head.fit_source_head(first)
    assert again is not head
    assert np.array_equal(again.coef_, head.coef_)
