from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, label_ranking_average_precision_score

from bideta.protocol import metrics


@pytest.mark.parametrize("seed", range(5))
def test_numbers_agree_with_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    C, m = 6, 40
    truth, predicted = rng.integers(0, C - 1, m), rng.integers(0, C, m)  # one class never true
    assert metrics.accuracy(truth, predicted) == accuracy_score(truth, predicted)
    expected = f1_score(truth, predicted, labels=range(C), average="macro", zero_division=0)
    assert metrics.macro_f1(truth, predicted, C) == pytest.approx(expected)
    np.testing.assert_array_equal(
        metrics.confusion(truth, predicted, C), confusion_matrix(truth, predicted, labels=range(C))
    )
    scores = rng.random((m, C))
    places = metrics.ranks(scores, truth)
    assert metrics.mean_reciprocal_rank(places) == pytest.approx(
        label_ranking_average_precision_score(np.eye(C)[truth], scores)
    )
    assert metrics.recall_at_one(places) == accuracy_score(truth, scores.argmax(axis=1))


def test_a_class_that_never_occurs_counts_zero():
    assert metrics.macro_f1([0, 1], [0, 1], 3) == pytest.approx(2 / 3)


def test_equal_scores_keep_the_order_of_the_columns():
    assert metrics.ranks([[0.2, 0.4, 0.4]] * 3, [0, 1, 2]).tolist() == [3, 1, 2]


@pytest.mark.parametrize(
    "call",
    [
        lambda: metrics.accuracy([0], [0, 1]),
        lambda: metrics.accuracy([], []),
        lambda: metrics.confusion([0, 3], [0, 0], 3),
        lambda: metrics.ranks([[0.5, 0.5]], [0, 1]),
    ],
)
def test_input_that_does_not_fit_is_refused(call):
    with pytest.raises(ValueError, match="expected"):
        call()
