"""Which contacts to measure next: those that leave least doubt, computed the slow way."""

from __future__ import annotations

import numpy as np
import pytest

from bideta import BidetaRegressor
from bideta.deploy import suggest_quantities
from bideta.deploy.labelling.quantity_suggestions import NOISE, likeness
from support.quantities import contacts


def test_the_first_suggestion_removes_most_variance_from_the_pool() -> None:
    c = contacts(n=8, m=25)
    adapted = BidetaRegressor().fit(c.support, c.values)
    first, *_ = suggest_quantities(c.queries, 3, adapted)
    K = likeness(adapted.sensor_, c.queries)
    np.testing.assert_allclose(np.diagonal(K), 1.0, atol=1e-9)

    def left(rows: list[int]) -> float:
        known = [*range(8), *(8 + row for row in rows)]
        gain = K[8:][:, known] @ np.linalg.inv(K[np.ix_(known, known)] + NOISE * np.eye(len(known)))
        return float(np.trace(K[8:, 8:] - gain @ K[known][:, 8:]))

    best = min(range(25), key=lambda row: left([row]))
    assert first.row == best
    assert first.gain == pytest.approx((left([]) - left([best])) / left([]), rel=1e-6)


def test_suggested_contacts_teach_more_than_random_ones() -> None:
    gains = []
    for seed in range(6):
        c = contacts(n=160, m=200, seed=seed)
        rng = np.random.default_rng(seed)
        few = rng.permutation(160)[:4]
        start = BidetaRegressor().fit(tuple(H[few] for H in c.support), c.values[few])
        pool = np.setdiff1d(np.arange(160), few)
        picked = suggest_quantities(tuple(H[pool] for H in c.support), 8, start)
        errors = []
        for more in (pool[[one.row for one in picked]], rng.permutation(pool)[:8]):
            rows = np.concatenate([few, more])
            fitted = BidetaRegressor().fit(tuple(H[rows] for H in c.support), c.values[rows])
            errors.append(np.abs((fitted.predict(c.queries) - c.truth) / c.truth.std(axis=0)).mean())
        gains.append(errors[1] / errors[0])
    assert np.mean(gains) > 1


def test_copies_are_not_suggested_twice_and_presses_wait_for_each_other() -> None:
    c = contacts(n=6, m=10)
    adapted = BidetaRegressor().fit(c.support, c.values)
    doubled = tuple(np.concatenate([H, H]) for H in c.queries)
    rows = [one.row % 10 for one in suggest_quantities(doubled, 5, adapted)]
    assert len(set(rows)) == 5
    by_press = suggest_quantities(c.queries, 10, adapted, np.arange(10) // 5)
    assert {one.row // 5 for one in by_press[:2]} == {0, 1}
    assert len({one.row for one in by_press}) == 10
    doubts = [one.doubt for one in by_press]
    assert 0 <= min(doubts) <= max(doubts) <= 1


def test_a_budget_larger_than_the_pool_is_refused() -> None:
    c = contacts(n=6, m=10)
    with pytest.raises(ValueError, match="budget=11"):
        suggest_quantities(c.queries, 11, BidetaRegressor().fit(c.support, c.values))
