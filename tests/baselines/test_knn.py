from __future__ import annotations

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bideta import load_method
from support.change_of_sensor import change


def test_votes_agree_with_scikit_learn() -> None:
    data = change(shots=8)
    weights = lambda distance: np.exp(-distance / 0.07)  # noqa: E731 - cosine distance = 1 − cosine
    model = KNeighborsClassifier(5, metric="cosine", weights=weights, algorithm="brute")
    oracle = make_pipeline(StandardScaler(), model).fit(np.hstack(data.support), data.labels)
    expected = oracle.predict_proba(np.hstack(data.queries))
    found = load_method("knn").fit(data.support, data.labels).predict_proba(data.queries)
    np.testing.assert_allclose(found, expected, atol=5e-3)  # ours adds a vote of 0.001 to every class
    np.testing.assert_array_equal(found.argmax(axis=1), expected.argmax(axis=1))


def test_more_neighbours_than_contacts_are_cut() -> None:
    data = change(1, shots=1)
    P = load_method("knn", n_neighbors=50).fit(data.support, data.labels).predict_proba(data.queries)
    assert P.shape == (48, 4)
