from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from bideta.method import gate


def rows(m: int = 40, C: int = 6, seed: int = 0, concentration: float = 0.5):
    return np.random.default_rng(seed).dirichlet(np.full(C, concentration), m)


def test_ambiguity_equals_scipys_entropy_over_log_c() -> None:
    P = rows()
    np.testing.assert_allclose(gate.ambiguity(P), entropy(P, axis=1) / np.log(6), atol=1e-14)


def test_disagreement_equals_scipys_jensen_shannon_distance() -> None:
    P, R = rows(seed=1), rows(seed=2)
    np.testing.assert_allclose(gate.disagreement(P, R), jensenshannon(P, R, axis=1, base=2), atol=1e-12)


def test_ambiguity_of_nearly_certain_rows_is_exact() -> None:
    for tail in (1e-9, 1e-17, 1e-40, 1e-200):
        t = mpmath.mpf(tail)
        want = (-2 * t * mpmath.log(t) - (1 - 2 * t) * mpmath.log(1 - 2 * t)) / mpmath.log(3)
        got = gate.ambiguity(np.array([[tail, 1 - 2 * tail, tail]]))[0]
        assert got == pytest.approx(float(want), rel=1e-7)


def test_disagreement_of_nearly_certain_rows_is_exact() -> None:
    mpmath.mp.dps = 500
    try:
        for tail in (1e-5, 1e-9, 1e-17, 1e-40, 1e-100):
            u, v = [mpmath.mpf(tail), mpmath.mpf(2 * tail)], [mpmath.mpf(3 * tail), mpmath.mpf(tail)]
            u, v = [1 - sum(u), *u], [1 - sum(v), *v]
            middle = [(a + b) / 2 for a, b in zip(u, v, strict=True)]
            js = (
                sum(
                    a * mpmath.log(a / c) + b * mpmath.log(b / c)
                    for a, b, c in zip(u, v, middle, strict=True)
                )
                / 2
            )
            got = gate.disagreement(*(np.array([[float(p) for p in row]]) for row in (u, v)))[0]
            assert got == pytest.approx(float(mpmath.sqrt(js / mpmath.log(2))), rel=1e-6)
    finally:
        mpmath.mp.dps = 60


def test_identical_rows_do_not_disagree_and_opposite_rows_disagree_fully() -> None:
    P = np.eye(3)
    np.testing.assert_array_equal(gate.disagreement(P, P), 0)
    np.testing.assert_allclose(gate.disagreement(P, P[[1, 2, 0]]), 1)
    np.testing.assert_array_equal(gate.ambiguity(P), 0)
    np.testing.assert_allclose(gate.ambiguity(np.full((2, 5), 0.2)), 1)


def test_one_class_is_never_ambiguous() -> None:
    np.testing.assert_array_equal(gate.ambiguity(np.ones((3, 1))), 0)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("exponent", [1e-6, 0.05, 1.0, 1e300])
def test_recurrence_weight_stays_within_its_bounds(weight: float, exponent: float) -> None:
    a, d = np.array([0, 1e-300, 0.3, 1.0]), np.array([1.0, 0, 1e-17, 1.0])
    r = gate.recurrence_weight(a, d, disagreement_weight=weight, gate_exponent=exponent, r_min=0.7, r_max=0.9)
    assert (r >= 0.7).all()
    assert (r <= 0.9).all()
    assert r[3] == pytest.approx(0.9)


def test_certain_and_agreeing_query_gets_the_lower_bound() -> None:
    zero = np.zeros(1)
    r = gate.recurrence_weight(zero, zero, disagreement_weight=0.5, gate_exponent=0.05, r_min=0.7, r_max=0.9)
    assert r[0] == 0.7
