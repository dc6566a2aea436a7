from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

from bideta import Bideta
from bideta.deploy.trust import reliability as module
from bideta.deploy.trust.hidden_support import hold_out
from bideta.deploy.trust.novelty import find_unknown
from bideta.deploy.trust.reliability import (
    fit_rule,
    least_risk,
    reject,
    reliability,
    risk_threshold,
    rule_probability,
    upper_bound,
)
from support.sensor_shift import episode


def adapted_to(data, **settings):
    return Bideta(**settings).fit(data.support, data.labels)


def test_the_rule_is_penalised_logistic_regression(monkeypatch):
    """With the borrowed rule at zero and equal trust in all weights, scikit-learn solves the same problem."""
    rng = np.random.default_rng(0)
    clues = rng.normal(size=(300, 4)) * module.SPREAD + module.CENTRE
    right = rng.random(300) < rule_probability(np.array([0.5, 1.0, -1.0, 0.5, 0.3]), clues)
    monkeypatch.setattr(module, "BORROWED", np.zeros(5))
    monkeypatch.setattr(module, "TRUST", np.array([1e4, 2.0, 2.0, 2.0, 2.0]))
    oracle = LogisticRegression(C=4.0, tol=1e-10, max_iter=1000).fit(
        (clues - module.CENTRE) / module.SPREAD, right
    )
    w = fit_rule(clues, right)
    np.testing.assert_allclose(w, np.r_[oracle.intercept_, oracle.coef_[0]], atol=1e-4)


def test_contacts_that_are_all_right_leave_the_rule_near_the_borrowed_one():
    clues = np.tile(module.CENTRE, (20, 1))
    w = fit_rule(clues, np.ones(20, bool))
    assert np.isfinite(w).all()
    assert 0.8 < rule_probability(w, clues)[0] < 1
    np.testing.assert_array_equal(fit_rule(np.zeros((0, 4)), np.zeros(0, bool)), module.ONE_SHOT)


def test_reliability_is_close_to_the_share_of_right_answers():
    shares, promised = [], []
    for seed in range(4):
        data = episode(seed=seed, C=6, shots=12, per_class=60, signal=0.55)
        adapted = adapted_to(data)
        result = adapted.infer(data.queries)
        sure = reliability(adapted, result, data.queries)
        right = result.proba.argmax(axis=1) == data.truth
        assert sure.shape == right.shape
        assert ((sure >= 0) & (sure <= 1)).all()
        shares.append(right)
        promised.append(sure)
    right, sure = np.concatenate(shares), np.concatenate(promised)
    assert 0.6 < right.mean() < 0.95  # neither trivial nor hopeless
    for low, high in ((0, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1)):
        part = (sure >= low) & (sure <= high)
        # Too cautious is a smaller fault than too sure.
        assert -0.16 < sure[part].mean() - right[part].mean() < 0.12, (low, high)
    assert right[sure >= np.median(sure)].mean() > right.mean() + 0.05  # and it orders them


@pytest.mark.parametrize(
    "settings", [{}, {"prior": None}, {"n_iter": 0}, {"gamma": 0.0}, {"support_nodes": True}]
)
@pytest.mark.parametrize("m", [1, 3, 100])
def test_any_batch_and_setting_has_a_reliability(settings, m):
    data = episode(seed=3)
    adapted = adapted_to(data, **settings)
    queries = tuple(Q[:m] for Q in data.queries)
    sure = reliability(adapted, adapted.infer(queries), queries)
    assert ((sure >= 0) & (sure <= 1)).all()


@pytest.mark.filterwarnings("ignore:all labels are:UserWarning")
def test_one_shot_one_readout_and_one_class_have_a_reliability_too():
    data = episode(shots=1)
    adapted = adapted_to(data)
    sure = reliability(adapted, adapted.infer(data.queries), data.queries)
    assert 0 < sure.min() < sure.max() < 1
    single = Bideta().fit(data.support[0], data.labels)
    assert len(reliability(single, single.infer(data.queries[0]), data.queries[0])) == len(data.truth)
    lonely = Bideta().fit(data.support, np.zeros(5, int))
    assert len(reliability(lonely, lonely.infer(data.queries), data.queries)) == len(data.truth)


def test_the_bound_is_clopper_and_pearsons():
    bound = upper_bound(3, 50, 0.9)
    assert binom.cdf(3, 50, bound) == pytest.approx(0.1)
    assert upper_bound(5, 5, 0.9) == 1.0


def test_the_promised_risk_is_kept_in_nine_of_ten_draws():
    """Scores and errors from a known law: the true risk of the chosen threshold may exceed the promise in 10 %."""
    broken = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        scores = rng.random(200)
        right = rng.random(200) < 0.5 + scores / 2
        threshold = risk_threshold(scores, right, 0.1)
        # Accepted scores are uniform on [threshold, 1]; their mean error is (1 − (1 + threshold)/2)/2.
        broken.append(np.isfinite(threshold) and (1 - threshold) / 4 > 0.1)
    assert np.mean(broken) < 0.13


def test_too_few_contacts_promise_nothing():
    scores = np.linspace(0, 1, 40)
    assert risk_threshold(scores, np.ones(40, bool), 0.05) == np.inf
    assert risk_threshold(np.linspace(0, 1, 50), np.ones(50, bool), 0.05) == 0.0
    with pytest.raises(ValueError, match="risk"):
        risk_threshold(scores, np.ones(40, bool), 0.0)


def test_the_least_risk_is_the_smallest_that_is_promised():
    data = episode(seed=1, C=4, shots=20, per_class=20, signal=0.45)
    adapted = adapted_to(data)
    held = hold_out(adapted, data.queries)
    result, least = adapted.infer(data.queries), least_risk(held)
    assert 0.01 < least < 1
    assert np.isfinite(reject(adapted, result, data.queries, least, held=held).threshold)
    assert np.isinf(reject(adapted, result, data.queries, least - 0.01, held=held).threshold)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"result": None}, r"result is a NoneType, expected what adapted\.infer"),
        ({"X": lambda X: tuple(H[:5] for H in X)}, "result is about 48 contacts and X holds 5"),
        ({"X": lambda X: X[0]}, r"expecting|readouts of"),
        ({"X": lambda X: X[::-1]}, "X has readouts of"),
        ({"held": 5}, "held is a int, expected what hold_out"),
    ],
)
@pytest.mark.parametrize("asked", [reject, find_unknown])
def test_arguments_that_do_not_belong_together_are_refused(asked, change, message):
    data = episode(seed=1, C=4, shots=4, per_class=12)
    adapted = adapted_to(data)
    X = change.get("X", lambda X: X)(data.queries)
    result = change.get("result", adapted.infer(data.queries))
    with pytest.raises(ValueError, match=message):
        asked(adapted, result, X, held=change.get("held"))


def test_a_smaller_risk_answers_less():
    data = episode(seed=1, C=4, shots=40, per_class=40, signal=0.55)
    adapted = adapted_to(data)
    result = adapted.infer(data.queries)
    held = hold_out(adapted, data.queries)
    answered = [
        reject(adapted, result, data.queries, risk, held=held).accepted.mean() for risk in (0.3, 0.1, 0.03)
    ]
    assert answered[0] >= answered[1] >= answered[2]
    assert answered[0] > answered[2]
