from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from bideta import load_method
from bideta.baselines.logistic import GRID, choose
from support.change_of_sensor import change


def test_is_scikit_learns_regression_on_both_readouts() -> None:
    data = change()
    S, X = np.hstack(data.support), np.hstack(data.queries)
    scaler = StandardScaler().fit(S)
    model = LogisticRegression(C=0.1, tol=1e-8, max_iter=5000).fit(scaler.transform(S), data.labels)
    method = load_method("logistic", inverse_penalty=0.1).fit(data.support, data.labels)
    np.testing.assert_allclose(
        method.predict_proba(data.queries), model.predict_proba(scaler.transform(X)), atol=2e-3
    )


def test_noise_is_penalised_more_than_signal() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    noise = rng.normal(size=(60, 20))
    signal = noise + 4 * y[:, None]
    assert choose(noise, y, seed=0) == GRID[0]
    assert choose(signal, y, seed=0) > GRID[0]


def test_one_contact_per_class_takes_the_middle_of_the_grid() -> None:
    assert choose(np.eye(3), np.arange(3), seed=0) == GRID[2]
