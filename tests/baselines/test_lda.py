from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import StandardScaler

from bideta import Bideta, load_method
from support.change_of_sensor import change


@pytest.mark.parametrize("shrinkage", [0.1, 0.5, 1.0])
def test_is_the_mean_of_scikit_learns_lda_on_both_readouts(shrinkage: float) -> None:
    data = change(shots=6)
    expected = np.zeros((48, 4))
    for H, Q in zip(data.support, data.queries, strict=True):
        scaler = StandardScaler().fit(H)
        model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)
        expected += model.fit(scaler.transform(H), data.labels).predict_proba(scaler.transform(Q)) / 2
    found = load_method("lda", shrinkage=shrinkage).fit(data.support, data.labels).predict_proba(data.queries)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_is_the_anchor_of_bideta() -> None:
    data = change(1)
    anchor = Bideta().fit(data.support, data.labels).infer(data.queries).anchor
    found = load_method("lda").fit(data.support, data.labels).predict_proba(data.queries)
    np.testing.assert_allclose(found, anchor, atol=1e-12)
