from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bideta import load_method
from bideta.baselines import _source_head
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


def test_a_prepared_source_is_checked_copied_and_learned_from_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that neither a hundred cells nor a clock pay for the source sensor again."""
    data = change()
    prepared = load_method("frozen").prepare(data.source, data.labels)
    fits = []
    fit = _source_head.fit_source_head
    monkeypatch.setattr(_source_head, "fit_source_head", lambda source: fits.append(1) or fit(source))
    answers = [
        load_method(name).fit(data.support, data.labels, source=prepared).predict_proba(data.queries)
        for name in ("frozen", "frozen", "tip-adapter")
    ]
    assert len(fits) == 1
    plain = load_method("frozen").fit(data.support, data.labels, source=data.source)
    np.testing.assert_array_equal(answers[1], plain.predict_proba(data.queries))


def test_a_source_that_was_prepared_for_other_classes_is_refused() -> None:
    data = change()
    prepared = load_method("frozen").prepare(data.source, data.labels)
    some = data.labels < 3
    with pytest.raises(ValueError, match="source was prepared for 4 classes"):
        load_method("frozen").fit(tuple(H[some] for H in data.support), data.labels[some], source=prepared)
