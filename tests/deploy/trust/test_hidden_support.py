from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.folds import fold_numbers
from bideta.deploy.trust.hidden_support import hidden_answers, hold_out
from bideta.deploy.trust.intervals import reliability_intervals
from support.sensor_shift import episode


def rest_of(data, kept):
    """The sensor that the kept contacts make, in the class frequencies of all."""
    frequencies = np.bincount(data.labels) / len(data.labels)
    return Bideta(prior=frequencies).fit(tuple(S[kept] for S in data.support), data.labels[kept])


def test_hidden_contacts_are_answered_as_queries_of_the_same_batch():
    data = episode(seed=1)
    adapted = Bideta().fit(data.support, data.labels)
    held = hold_out(adapted, data.queries)
    number = fold_numbers(data.support, adapted.sensor_.labels)
    m = len(data.truth)
    for fold in range(5):
        kept, rows = number != fold, np.flatnonzero(number == fold)
        both = tuple(np.concatenate([Q, S[rows]]) for Q, S in zip(data.queries, data.support, strict=True))
        model = rest_of(data, kept)
        proba = model.predict_proba(both)
        np.testing.assert_allclose(held.proba[held.folds == fold], proba[m:])
        np.testing.assert_allclose(held.queries[fold], proba[:m])
    assert held.right.mean() > 0.5


def test_labelled_contacts_tell_each_other_a_fold_at_a_time():
    data = episode(seed=1)
    adapted = Bideta().fit(data.support, data.labels)
    number, said = (
        fold_numbers(data.support, adapted.sensor_.labels),
        np.empty(len(data.labels), data.labels.dtype),
    )
    for fold in range(5):
        kept = number != fold
        model = rest_of(data, kept)
        said[~kept] = model.predict(tuple(S[~kept] for S in data.support))
    right = hidden_answers(adapted)
    assert right.sum() == (said == data.labels).sum()
    assert len(right) == len(data.labels)
    first = np.unique(data.labels, return_index=True)[1]
    one_each = Bideta().fit(tuple(S[first] for S in data.support), data.labels[first])
    assert len(hidden_answers(one_each)) == 0


def test_a_single_query_is_calibrated_on_single_contacts():
    data = episode(seed=2)
    adapted = Bideta().fit(data.support, data.labels)
    one = tuple(Q[:1] for Q in data.queries)
    held = hold_out(adapted, one)
    assert len(held) == len(data.labels)
    assert held.queries.shape == (5, 1, 5)
    number = fold_numbers(data.support, adapted.sensor_.labels)
    kept = number != 0
    model = rest_of(data, kept)
    alone = [model.predict_proba(tuple(S[[row]] for S in data.support))[0] for row in np.flatnonzero(~kept)]
    np.testing.assert_allclose(np.sort(held.proba[held.folds == 0], axis=0), np.sort(alone, axis=0))


@pytest.mark.parametrize("m", [64, 10])
def test_reliability_does_not_depend_on_the_order_of_the_labelled_contacts(m):
    data = episode(shots=12, seed=5)
    presses = np.arange(len(data.labels)) // 2
    order = np.random.default_rng(0).permutation(len(data.labels))
    batch = tuple(np.resize(Q, (m, Q.shape[1])) for Q in data.queries)
    told = []
    for rows in (np.arange(len(order)), order):
        adapted = Bideta(**presets.TOUCH).fit(
            tuple(S[rows] for S in data.support), data.labels[rows], presses[rows]
        )
        told.append(reliability_intervals(adapted, adapted.infer(batch), batch))
    assert told[0].known
    np.testing.assert_allclose(told[0].value, told[1].value, atol=1e-6)
    np.testing.assert_allclose(told[0].lower, told[1].lower, atol=1e-6)


def test_one_contact_per_class_hides_nothing():
    data = episode(shots=1)
    held = hold_out(Bideta().fit(data.support, data.labels), data.queries)
    assert len(held) == 0
    assert held.queries.shape == (0, len(data.truth), 5)


def test_settings_and_an_own_prior_are_kept_in_every_fold():
    data = episode(C=3)
    prior = np.array([0.6, 0.3, 0.1])
    adapted = Bideta(prior=prior, n_neighbors=7).fit(data.support, data.labels)
    held = hold_out(adapted, data.queries)
    np.testing.assert_allclose(held.queries.mean(axis=1), np.tile(prior, (5, 1)), atol=0.1)
