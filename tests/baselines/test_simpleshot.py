from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid

from bideta import load_method
from support.change_of_sensor import Change, change


def literal(data: Change, centre: np.ndarray, temperature: float) -> np.ndarray:
    """CL2N as the paper writes it, one query and one class at a time."""
    support = [(h - centre) / np.sqrt(((h - centre) ** 2).sum()) for h in data.support[0]]
    rows = []
    for h in data.queries[0]:
        x = (h - centre) / np.sqrt(((h - centre) ** 2).sum())
        scores = []
        for c in np.unique(data.labels):
            mean = (
                sum(s for s, y in zip(support, data.labels, strict=True) if y == c) / (data.labels == c).sum()
            )
            scores.append(np.exp(-((x - mean) ** 2).sum() / temperature))
        rows.append(np.array(scores) / sum(scores))
    return np.array(rows)


@pytest.mark.parametrize("center", ["support", "source", "none"])
def test_agrees_with_the_literal_algorithm(center: str) -> None:
    data = change()
    means = {"support": data.support[0].mean(axis=0), "source": data.source[0][0].mean(axis=0), "none": 0.0}
    method = load_method("simpleshot", center=center, temperature=0.3)
    P = method.fit(data.support, data.labels, source=data.source).predict_proba(data.queries)
    np.testing.assert_allclose(P, literal(data, np.asarray(means[center]), 0.3), atol=1e-12)


def test_takes_the_nearest_centroid_of_scikit_learn() -> None:
    data = change(1)
    b = data.support[0].mean(axis=0)
    unit = [
        (H - b) / np.linalg.norm(H - b, axis=1, keepdims=True) for H in (data.support[0], data.queries[0])
    ]
    expected = NearestCentroid().fit(unit[0], data.labels).predict(unit[1])
    found = load_method("simpleshot").fit(data.support, data.labels).predict(data.queries)
    np.testing.assert_array_equal(found, expected)


def test_the_final_readout_plays_no_part() -> None:
    data = change(2)
    method = load_method("simpleshot").fit(data.support, data.labels)
    other = (data.queries[0], np.zeros_like(data.queries[1]))
    np.testing.assert_array_equal(method.predict_proba(other), method.predict_proba(data.queries))


def test_the_source_centre_needs_the_source() -> None:
    data = change()
    with pytest.raises(ValueError, match="center='source' needs source data"):
        load_method("simpleshot", center="source").fit(data.support, data.labels)


def test_an_unknown_centre_is_refused() -> None:
    data = change()
    with pytest.raises(ValueError, match="center='middle'"):
        load_method("simpleshot", center="middle").fit(data.support, data.labels)
