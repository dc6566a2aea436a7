from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from bideta import Bideta, presets
from bideta.deploy import hold_out, reliability, reliability_intervals
from bideta.deploy.trust.intervals import FEWEST
from bideta.images.batch_check import BatchCheck
from support.sensor_shift import episode


@pytest.fixture(scope="module")
def answered():
    e = episode()
    adapted = Bideta(**presets.ROBOT).fit(e.support, e.labels)
    return adapted, adapted.infer(e.queries), e.queries, hold_out(adapted, e.queries)


def test_an_interval_holds_its_reliability(answered) -> None:
    adapted, result, X, held = answered
    found = reliability_intervals(adapted, result, X, held)
    assert found.known
    np.testing.assert_array_equal(found.value, reliability(adapted, result, X, held))
    assert (found.lower <= found.value).all()
    assert (found.value <= found.upper).all()
    assert (found.lower >= 0).all()
    assert (found.upper <= 1).all()


def test_few_presses_are_counted_as_clopper_and_pearson_do(answered) -> None:
    adapted, result, X, held = answered
    rows = np.arange(15)
    few = replace(
        held,
        **{
            name: getattr(held, name)[rows]
            for name in ("labels", "folds", "proba", "agreement", "strangeness")
        },
        presses=rows,
    )
    found = reliability_intervals(adapted, result, X, few)
    exact = binomtest(int(few.right.sum()), 15).proportion_ci(0.8, "exact")  # 0.9 on either side
    np.testing.assert_allclose(found.lower, np.minimum(exact.low, found.value))
    np.testing.assert_allclose(found.upper, np.maximum(exact.high, found.value))


def test_too_few_hidden_presses_say_nothing(answered) -> None:
    adapted, result, X, held = answered
    one_press = replace(held, presses=np.arange(len(held)) % (FEWEST - 1))
    found = reliability_intervals(adapted, result, X, one_press)
    assert not found.known
    assert np.isnan(found.lower).all()
    assert np.isnan(found.upper).all()


def test_more_presses_narrow_the_interval(answered) -> None:
    adapted, result, X, held = answered
    frames = replace(held, presses=np.arange(len(held)) % FEWEST)  # the same answers, fewer presses
    few, many = (reliability_intervals(adapted, result, X, some) for some in (frames, held))
    assert (few.upper - few.lower).mean() > (many.upper - many.lower).mean()


def test_a_foreign_batch_gets_no_number_and_a_shifted_one_has_contacts_of_its_own(answered) -> None:
    adapted, result, X, held = answered
    fine, shifted, foreign = (
        reliability_intervals(adapted, result, X, held, check=BatchCheck(level))
        for level in ("fine", "shifted", "foreign")
    )
    assert not foreign.known
    assert fine.held is held
    assert shifted.known
    assert shifted.held is not held
    assert len(shifted.held) == len(held)
    np.testing.assert_array_equal(shifted.value, reliability(adapted, result, X, shifted.held))


def test_a_shifted_batch_of_single_foreign_pictures_has_no_number(answered) -> None:
    adapted, _, X, held = answered
    two = tuple(H[:2] for H in X)
    found = reliability_intervals(
        adapted, adapted.infer(two), two, held, check=BatchCheck("shifted", odd=(0, 1))
    )
    assert not found.known
