from __future__ import annotations

import numpy as np
import pytest

from bideta import load_method
from bideta.method.readout import adapt
from bideta.method.settings import Settings
from bideta.method.spectrum import MatrixFunction, gains
from support.change_of_sensor import Change, change


def literal(data: Change, geometry: str, k: int) -> np.ndarray:
    """F = (1 − α)(I − αS)⁻¹Y of the paper, on the symmetric k-nearest-neighbour graph."""
    rows = []
    for H, Q in zip(data.support, data.queries, strict=True):
        X = np.vstack([H, Q])
        if geometry == "spectral":
            readout = adapt(H, data.labels, np.full(4, 0.25), Settings(gamma=0.6))
            spectral = MatrixFunction(readout.covariance.vectors, *gains(readout.covariance, readout.gamma))
            X = spectral(readout.standardizer(X))
        rows.append(X / np.linalg.norm(X, axis=1, keepdims=True))
    cosine = (rows[0] @ rows[0].T + rows[1] @ rows[1].T) / 2
    N, n = len(cosine), len(data.labels)
    W = np.zeros((N, N))
    for i in range(N):
        others = sorted((j for j in range(N) if j != i), key=lambda j: -cosine[i, j])[:k]
        for j in others:
            W[i, j] = np.exp((cosine[i, j] - 1) / 0.2)
    W = np.maximum(W, W.T)
    degree = W.sum(axis=1)
    S = W / np.sqrt(np.outer(degree, degree))
    Y = np.zeros((N, 4))
    Y[np.arange(n), data.labels] = 1
    F = np.linalg.solve(np.eye(N) - 0.8 * S, Y)[n:]
    return F / F.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("geometry", ["spectral", "raw"])
@pytest.mark.parametrize("k", [5, 40])
def test_agrees_with_the_closed_form(geometry: str, k: int) -> None:
    data = change()
    method = load_method("label-spreading", geometry=geometry, n_neighbors=k).fit(data.support, data.labels)
    np.testing.assert_allclose(method.predict_proba(data.queries), literal(data, geometry, k), atol=1e-5)


def test_a_query_that_no_label_reaches_is_given_every_class_alike() -> None:
    rng = np.random.default_rng(0)
    near, far = rng.normal(size=(8, 3)) * 0.01 + [1, 0, 0], rng.normal(size=(6, 3)) * 0.01 + [0, 0, 1]
    y = np.repeat([0, 1], 4)
    method = load_method("label-spreading", geometry="raw", n_neighbors=2).fit((near, near), y)
    np.testing.assert_allclose(method.predict_proba((far, far)), 0.5)


def test_many_classes_and_few_contacts_are_no_reason_to_warn() -> None:
    rng = np.random.default_rng(0)
    H, labels = rng.normal(size=(30, 6)), np.arange(30)
    method = load_method("label-spreading").fit((H, H), labels)
    P = method.predict_proba((H[:1], H[:1]))  # 30 classes of 31 contacts: scikit-learn would
    assert P.shape == (1, 30)
    assert P[0].argmax() == 0
