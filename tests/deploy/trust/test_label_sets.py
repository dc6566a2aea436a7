from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta
from bideta.deploy.trust.hidden_support import hold_out
from bideta.deploy.trust.label_sets import conformal_sets, possibility
from support.sensor_shift import episode


def test_the_p_value_counts_hidden_contacts_that_were_no_surer():
    data = episode(C=3, shots=4, per_class=30)
    held = hold_out(Bideta().fit(data.support, data.labels), data.queries)
    slow = np.empty((90, 3))
    for j in range(90):
        for c in range(3):
            count = 1
            for i in range(len(held)):
                fold = int(held.folds[i])
                count += held.proba[i, held.labels[i]] <= held.queries[fold, j, c]
            slow[j, c] = count / (len(held) + 1)
    np.testing.assert_allclose(possibility(held), slow)


def test_sets_hold_the_true_class_as_often_as_asked():
    """Exchangeable support and queries: the mean over draws is close to the promise, however the classes overlap."""
    hit, size = [], []
    for seed in range(10):
        data = episode(seed=seed, C=4, shots=15, per_class=25, signal=0.5)
        held = hold_out(Bideta().fit(data.support, data.labels), data.queries)
        sets = [conformal_sets(held, coverage) for coverage in (0.8, 0.9, 0.95)]
        hit.append([each[np.arange(100), data.truth].mean() for each in sets])
        size.append([each.sum(axis=1).mean() for each in sets])
    np.testing.assert_allclose(np.mean(hit, axis=0), [0.8, 0.9, 0.95], atol=0.045)
    assert 1 < np.mean(size, axis=0)[0] < np.mean(size, axis=0)[2] < 4


def test_one_contact_per_class_excludes_nothing():
    data = episode(shots=1)
    assert conformal_sets(hold_out(Bideta().fit(data.support, data.labels), data.queries)).all()


def test_coverage_is_a_share():
    data = episode()
    held = hold_out(Bideta().fit(data.support, data.labels), data.queries)
    with pytest.raises(ValueError, match="coverage"):
        conformal_sets(held, 90)


def test_by_class_is_the_same_rule_on_the_hidden_contacts_of_one_class():
    data = episode(C=3, shots=12, per_class=20)
    held = hold_out(Bideta().fit(data.support, data.labels), data.queries)
    p = possibility(held, by_class=True)
    for c in range(3):
        mine = held.labels == c
        slow = [
            1 + sum(held.proba[i, c] <= held.queries[held.folds[i], j, c] for i in np.flatnonzero(mine))
            for j in range(60)
        ]
        np.testing.assert_allclose(p[:, c], np.array(slow) / (mine.sum() + 1))


def test_by_class_keeps_its_promise_to_the_hardest_class():
    """One class is made to overlap with the others: on average all are held, alone it is not."""
    alone, by_class = [], []
    for seed in range(12):
        data = episode(seed=seed, C=4, shots=20, per_class=25, signal=0.6)
        rng = np.random.default_rng(seed)
        hard = [labels == 0 for labels in (data.labels, data.truth)]
        support, queries = (
            tuple(np.where(rows[:, None], H + rng.normal(0, 2 * H.std(), H.shape), H) for H in X)
            for X, rows in zip((data.support, data.queries), hard, strict=True)
        )
        held = hold_out(Bideta(prior=None).fit(support, data.labels), queries)
        rows = np.flatnonzero(hard[1])
        alone.append(conformal_sets(held, 0.9)[rows, 0].mean())
        by_class.append(conformal_sets(held, 0.9, by_class=True)[rows, 0].mean())
    assert np.mean(by_class) > 0.86
    assert np.mean(by_class) > np.mean(alone)


def test_by_class_excludes_no_class_with_fewer_presses_than_it_takes():
    data = episode(C=3, shots=8, per_class=20)
    held = hold_out(Bideta().fit(data.support, data.labels), data.queries)
    assert conformal_sets(held, 0.9, by_class=True).all()
    assert not conformal_sets(held, 0.8, by_class=True).all()
