from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from bideta import Bideta
from bideta.deploy.trust.hidden_support import hold_out
from bideta.deploy.trust.no_contact import touch
from bideta.deploy.trust.novelty import LIMIT, TIE, _score, find_unknown, novelty
from support.sensor_shift import episode


def open_set(seed, shots=12, per_class=40, signal=0.6):
    """Six classes touched, four of them enrolled."""
    data = episode(seed=seed, C=6, shots=shots, per_class=per_class, signal=signal)
    known = data.labels < 4
    adapted = Bideta().fit(tuple(S[known] for S in data.support), data.labels[known])
    return adapted, data.queries, data.truth >= 4


def test_unknown_objects_are_found_better_than_by_probability():
    ours, baseline = [], []
    for seed in range(5):
        adapted, queries, strange = open_set(seed)
        result = adapted.infer(queries)
        ours.append(roc_auc_score(strange, novelty(adapted, result, queries)))
        baseline.append(roc_auc_score(strange, 1 - result.proba.max(axis=1)))
    assert np.mean(ours) > np.mean(baseline) + 0.02
    assert np.mean(ours) > 0.75


def test_false_alarms_are_as_rare_as_asked_and_unknown_ones_are_called():
    alarms, found = [], []
    for seed in range(5):
        adapted, queries, strange = open_set(seed, shots=25)
        called = find_unknown(adapted, adapted.infer(queries), queries, 0.1).unknown
        alarms.append(called[~strange].mean())
        found.append(called[strange].mean())
    assert np.mean(alarms) < 0.2
    assert np.mean(found) > 2 * np.mean(alarms)


@pytest.mark.parametrize("m", [1, 2, 70])
def test_batches_of_any_size_have_a_novelty(m):
    adapted, queries, _ = open_set(0)
    some = tuple(Q[:m] for Q in queries)
    score = novelty(adapted, adapted.infer(some), some)
    assert score.shape == (m,)
    assert np.isfinite(score).all()


def test_the_order_of_the_batch_does_not_matter():
    adapted, queries, strange = open_set(1)
    held = hold_out(adapted, queries)
    order = np.random.default_rng(0).permutation(len(strange))
    mixed = tuple(Q[order] for Q in queries)
    score = novelty(adapted, adapted.infer(queries), queries, held)
    np.testing.assert_allclose(novelty(adapted, adapted.infer(mixed), mixed, held), score[order], atol=1e-5)


def test_too_few_contacts_call_nothing_unknown():
    adapted, queries, _ = open_set(0, shots=1)
    result = find_unknown(adapted, adapted.infer(queries), queries, 0.05)
    assert result.threshold == np.inf
    assert not result.unknown.any()
    with pytest.raises(ValueError, match="false_alarms"):
        find_unknown(adapted, adapted.infer(queries), queries, 1.5)


def test_contacts_that_reach_the_limit_of_every_clue_are_still_told_apart():
    hidden = np.random.default_rng(0).normal(size=(100, 2))
    hidden[:10] += 50  # a tenth of the labelled contacts reach the limit of both clues
    asked = np.array([[0.0, 0.0], [40.0, 40.0], [60.0, 60.0], [1e6, 1e6]])
    score, known = _score(asked, hidden), _score(hidden, hidden)
    assert (np.diff(score) > 0).all()
    assert score.max() < 2 * (LIMIT + TIE)  # no clue decides alone
    threshold = np.sort(known)[-6]  # of 5 % false alarms: it lies at the limit
    assert threshold > 2 * LIMIT
    assert (score > threshold).tolist() == [False, False, True, True]
    assert np.isfinite(_score(np.array([[1e308, -1e308]]), hidden)).all()


def test_an_untouched_sensor_is_told_from_contacts_by_a_few_frames_of_it():
    data = episode(seed=4, signal=1.5)
    rng = np.random.default_rng(0)
    adapted = Bideta().fit(data.support, data.labels)
    still = tuple(
        S.mean(axis=0) + 0.1 * S.std(axis=0) * rng.normal(size=(25, S.shape[1])) for S in data.support
    )
    background = tuple(B[:5] for B in still)
    assert (touch(adapted, tuple(B[5:] for B in still), background) < 0).mean() > 0.9
    assert (touch(adapted, data.queries, background) > 0).mean() > 0.8
