from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta
from bideta.deploy.labelling import suggestions as module
from bideta.deploy.labelling.suggestions import doubts, suggest, suggestions
from support.sensor_shift import episode


def test_the_lazy_choice_is_the_greedy_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    K = module._near(*(2 * (X / np.linalg.norm(X, axis=1, keepdims=True),)))
    weights, labelled = rng.random(40), K[:3]
    lazy = [i for i, *_ in module._cover(K, labelled, weights, np.arange(40), 12)]
    covered, slow = labelled.max(axis=0), []
    for _ in range(12):
        gains = (np.maximum(K - covered, 0) * weights).sum(axis=1)
        gains[slow] = -1
        slow.append(int(gains.argmax()))
        covered = np.maximum(covered, K[slow[-1]])
    assert lazy == slow


def test_a_cold_start_shows_more_classes_than_chance():
    shown, random = [], []
    for seed in range(10):
        data = episode(seed=seed, C=8, per_class=30, signal=2.0)
        shown.append(len(set(data.truth[suggest(data.queries, 8)])))
        random.append(len(set(np.random.default_rng(seed).choice(data.truth, 8, replace=False))))
    assert np.mean(shown) > np.mean(random) + 0.5


def test_labels_go_where_the_doubt_is():
    data = episode(seed=0, C=4, per_class=40, signal=1.5)
    adapted = Bideta().fit(data.support, data.labels)
    doubt = doubts(adapted.infer(data.queries))
    chosen = suggest(data.queries, 20, adapted)
    assert doubt[chosen].mean() > doubt.mean()


def test_copies_and_frames_of_a_press_are_suggested_once():
    data = episode(seed=1)
    twice = tuple(np.concatenate([Q, Q]) for Q in data.queries)
    chosen = suggest(twice, 30)
    assert len(set(chosen % 100)) == 30
    presses = np.arange(100) // 10
    chosen = suggest(data.queries, 10, presses=presses)
    assert len(set(presses[chosen])) == 10
    assert len(set(suggest(data.queries, 25, presses=presses))) == 25  # then a second frame of each


def test_what_is_labelled_is_not_asked_again():
    data = episode(seed=2, C=3, per_class=30)
    first = suggest(data.queries, 9)
    adapted = Bideta().fit(tuple(Q[first] for Q in data.queries), data.truth[first].astype(str))
    assert not set(first) & set(suggest(data.queries, 30, adapted))


def test_the_answer_repeats_and_comes_best_first(monkeypatch):
    data = episode(seed=3)
    found = suggestions(data.queries, 12)
    np.testing.assert_array_equal([one.row for one in found], suggest(data.queries, 12))
    gains = [one.gain for one in found]
    assert gains == sorted(gains, reverse=True)
    np.testing.assert_array_equal(suggest(data.queries, 5), suggest(data.queries, 12)[:5])
    monkeypatch.setattr(module, "LARGEST", 40)
    np.testing.assert_array_equal(suggest(data.queries, 5, seed=1), suggest(data.queries, 5, seed=1))
    assert max(suggest(data.queries, 100)) < 100


def test_bad_input_is_named():
    data = episode()
    with pytest.raises(ValueError, match="budget"):
        suggest(data.queries, 101)
    with pytest.raises(ValueError, match=r"presses has shape \(3,\)"):
        suggest(data.queries, 5, presses=[0, 1, 2])
