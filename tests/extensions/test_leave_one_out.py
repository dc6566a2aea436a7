from __future__ import annotations

import numpy as np
import pytest

from bideta.extensions import leave_one_out
from bideta.extensions.presses import alone
from bideta.method.spectrum import class_means, within_class


def refitted(Z, y, mean_variance, rho, prior, presses):
    """Scores of every contact by a memory without its press: all over again, contact by contact."""
    n, d = Z.shape
    C = y.max() + 1
    ell = np.full((n, C), np.nan)
    for i in range(n):
        rest = (presses != presses[i]) | (y != y[i])
        if not (rest & (y == y[i])).any():
            rest[:] = True
        means = np.array([Z[rest & (y == c)].mean(axis=0) for c in range(C)])
        E = Z[rest] - means[y[rest]]
        Sigma = (1 - rho) * E.T @ E / rest.sum() + rho * mean_variance * np.eye(d)
        for c in range(C):
            delta = Z[i] - means[c]
            ell[i, c] = np.log(prior[c]) - delta @ np.linalg.solve(Sigma, delta) / 2
    return ell


def support(n: int, d: int):
    rng = np.random.default_rng(n)
    C = 4
    y = rng.permutation(np.r_[np.arange(C), np.arange(C), rng.integers(0, C, n - 2 * C)])
    Z = rng.normal(size=(C, d))[y] + rng.normal(size=(n, d))
    order = np.argsort(y, kind="stable")
    counts = np.bincount(y)
    covariance = within_class(Z[order], counts, class_means(Z[order], counts))
    return Z, y, covariance, rng.dirichlet(np.ones(C)), rng


def equal_up_to_a_constant(got, want) -> None:
    np.testing.assert_allclose(got - got[:, :1], want - want[:, :1], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(("n", "d"), [(12, 30), (60, 8), (40, 38)])
@pytest.mark.parametrize("rho", [0.05, 0.6])
def test_closed_form_equals_refitting_without_each_contact(n: int, d: int, rho: float) -> None:
    Z, y, covariance, prior, _ = support(n, d)
    got = leave_one_out.scores(Z, y, covariance, prior, rho)
    equal_up_to_a_constant(got, refitted(Z, y, covariance.mean_variance, rho, prior, np.arange(n)))


@pytest.mark.parametrize("pairs", [leave_one_out.PAIRS, 8])
@pytest.mark.parametrize(("n", "d"), [(20, 30), (60, 8), (40, 38)])
@pytest.mark.parametrize("rho", [0.05, 0.6])
def test_closed_form_equals_refitting_without_each_press(n, d, rho, pairs, monkeypatch) -> None:
    monkeypatch.setattr(leave_one_out, "PAIRS", pairs)
    Z, y, covariance, prior, rng = support(n, d)
    presses = 10 * rng.integers(0, 4, n)  # of several sizes, and numbers shared between classes
    presses[y == 3] = 7  # the only press of its class
    got = leave_one_out.scores(Z, y, covariance, prior, rho, presses)
    assert alone(y, presses)[y == 3].all()
    equal_up_to_a_constant(got, refitted(Z, y, covariance.mean_variance, rho, prior, presses))


def test_without_shrinkage_a_press_that_spans_its_directions_stays_finite() -> None:
    Z, y, covariance, prior, rng = support(20, 30)
    assert np.isfinite(leave_one_out.scores(Z, y, covariance, prior, 0.0, rng.integers(0, 3, 20))).all()


def test_the_only_contact_of_its_class_is_marked_and_finite() -> None:
    rng = np.random.default_rng(0)
    y = np.array([0, 0, 0, 1, 1, 2])
    Z = rng.normal(size=(6, 5))
    covariance = within_class(Z, np.bincount(y), class_means(Z, np.bincount(y)))
    assert alone(y).tolist() == [False] * 5 + [True]
    assert np.isfinite(leave_one_out.scores(Z, y, covariance, np.full(3, 1 / 3), 0.3)).all()
