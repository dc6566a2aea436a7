"""One rule ranks every method: scores are sorted, equal ones keep the order of the classes."""

from __future__ import annotations

import numpy as np
import pytest

from bideta import load_method
from bideta.protocol.episode import Contacts, Episode
from bideta.protocol.experiments._scoring import rank
from bideta.protocol.metrics import ranks
from support.change_of_sensor import Change, change


def episode_of(data: Change) -> Episode:
    def contacts(readouts, labels):
        return Contacts(readouts, np.asarray(labels), np.arange(len(labels)))

    C = len(set(data.labels.tolist()))
    return Episode(
        contacts(*data.source),
        contacts(data.support, data.labels),
        contacts(data.queries, data.truth),
        tuple(map(str, range(C))),
        "",
        np.arange(0),
        lambda: (None, None),
    )


def loud() -> Change:
    """Classes so far apart, and so many queries wrong, that true classes have probability zero."""
    return change(3, C=6, shots=3, noise=3.0)


@pytest.mark.parametrize(
    ("method", "settings"),
    [("tip-adapter", {"mode": "cache", "alpha": 1e5}), ("lda", {"memory_temperature": 1e-4})],
)
def test_a_true_class_of_probability_zero_is_ranked_by_its_score(method, settings):
    data = loud()
    adapted = load_method(method, **settings).fit(data.support, data.labels)
    P, scores = adapted.predict_proba(data.queries), adapted.scores(data.queries)
    rows = np.arange(len(P))
    assert (P[rows, data.truth] == 0).mean() > 0.1  # ranked by P these would be told apart by class number
    places = ranks(scores, data.truth)
    found = rank(method, settings, episode_of(data)).values
    assert found["mrr"] == pytest.approx((1 / places).mean())
    assert found["mrr"] != pytest.approx((1 / ranks(P, data.truth)).mean())


@pytest.mark.parametrize("method", ["frozen", "tip-adapter", "lda", "em-lda", "paddle", "transclip"])
def test_probabilities_are_the_softmax_of_the_scores(method):
    data = change(1)
    given = {"source": data.source} if method in ("frozen", "tip-adapter") else {}
    adapted = load_method(method).fit(data.support, data.labels, **given)
    P, S = adapted.predict_proba(data.queries), adapted.scores(data.queries)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    np.testing.assert_allclose(P, E / E.sum(axis=1, keepdims=True), atol=1e-12)


def test_bideta_is_ranked_by_p_as_everybody_else():
    """Not by its anchor where P is equal: the paper sorts P, and no other method has a second opinion."""
    data = change(0, C=6, shots=2)

    class Tied:
        classes_ = np.arange(6)

        def fit(self, X, y):
            return self

        def predict_proba(self, X):
            return np.full((len(X[0]), 6), 1 / 6)

        def rank(self, X):
            return data.truth[:, None] * np.ones(6, int)  # would always be right

    import bideta.protocol.experiments._scoring as scoring

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "load_method", lambda name, **settings: Tied())
        found = rank("bideta", {}, episode_of(data)).values
    assert found["mrr"] == pytest.approx(np.mean([1 / (1 + c) for c in data.truth]))


def test_a_record_says_how_long_a_head_was_trained():
    pytest.importorskip("torch")
    found = rank("anytouch-match", {"epochs": 2}, episode_of(change(0))).values
    assert found["steps"] == 20
