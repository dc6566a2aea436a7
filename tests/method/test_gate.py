from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from bideta.method import gate
from bideta.method.settings import Settings


def rows(m: int = 40, C: int = 6, seed: int = 0, concentration: float = 0.5):
    return np.random.default_rng(seed).dirichlet(np.full(C, concentration), m)


def test_ambiguity_equals_scipys_entropy_over_log_c() -> None:
    P = rows()
    np.testing.assert_allclose(gate.ambiguity(P), entropy(P, axis=1) / np.log(6), atol=1e-14)


def test_disagreement_equals_scipys_jensen_shannon_distance() -> None:
    P, R = rows(seed=1), rows(seed=2)
    np.testing.assert_allclose(gate.disagreement([P, R]), jensenshannon(P, R, axis=1, base=2), atol=1e-12)


def test_ambiguity_of_nearly_certain_rows_is_exact() -> None:
    for tail in (1e-9, 1e-17, 1e-40, 1e-200):
        t = mpmath.mpf(tail)
        want = (-2 * t * mpmath.log(t) - (1 - 2 * t) * mpmath.log(1 - 2 * t)) / mpmath.log(3)
        got = gate.ambiguity(np.array([[tail, 1 - 2 * tail, tail]]))[0]
        assert got == pytest.approx(float(want), rel=1e-7)


def exact_disagreement(rows: list[list[mpmath.mpf]]) -> float:
    """√(JS/log V) of these distributions, JS the mean of their Kullback–Leibler divergences to their mean."""
    V = len(rows)
    middle = [sum(column) / V for column in zip(*rows, strict=True)]
    js = sum(p * mpmath.log(p / q) for row in rows for p, q in zip(row, middle, strict=True) if p > 0) / V
    return float(mpmath.sqrt(js / mpmath.log(V)))


# What two classes get where the rest is certain of the third; in units of the tail, one pair for each readout.
TAILS = {
    "two": [(1, 2), (3, 1)],
    "three": [(1, 2), (3, 1), (0.5, 0.25)],
    "three, two of them equal": [(1, 2), (1, 2), (3, 1)],
    "four": [(1, 2), (3, 1), (0.5, 0.25), (2, 2)],
    "three, one without a tail": [(1, 2), (3, 1), (0, 0)],
}


@pytest.mark.parametrize("tails", TAILS.values(), ids=TAILS)
@pytest.mark.parametrize("tail", [1e-5, 1e-9, 1e-17, 1e-40, 1e-100])
def test_disagreement_of_nearly_certain_rows_is_exact(tail: float, tails) -> None:
    with mpmath.workdps(500):
        exact = [[mpmath.mpf(t * tail) for t in pair] for pair in tails]
        exact = [[1 - sum(pair), *pair] for pair in exact]
        want = exact_disagreement(exact)
    got = gate.disagreement([np.array([[float(p) for p in row]]) for row in exact])[0]
    assert got == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("V", [2, 3, 4, 7])
@pytest.mark.parametrize("concentration", [0.01, 0.5, 20.0])
def test_disagreement_of_any_number_of_readouts_is_the_divergence_over_log_v(
    V: int, concentration: float
) -> None:
    views = [rows(30, 5, seed, concentration) for seed in range(V)]
    got = gate.disagreement(views)
    with mpmath.workdps(60):
        exact = [[[mpmath.mpf(float(p)) for p in row] for row in at] for at in zip(*views, strict=True)]
        want = [exact_disagreement([[p / sum(row) for p in row] for row in at]) for at in exact]
    np.testing.assert_allclose(got, want, atol=1e-9)
    assert ((got >= 0) & (got <= 1)).all()


@pytest.mark.parametrize("difference", [1e-2, 1e-4, 1e-6, 1e-8])
def test_readouts_that_hardly_differ_have_a_small_disagreement_and_an_exact_one(difference: float) -> None:
    base = np.array([0.5, 0.3, 0.2])
    views = [base + difference * np.array(move) for move in ((1, -1, 0), (0, 1, -1), (-1, 0, 1))]
    with mpmath.workdps(60):
        want = exact_disagreement([[mpmath.mpf(float(p)) for p in row] for row in views])
    assert gate.disagreement([row[None] for row in views])[0] == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("V", [2, 3, 5])
def test_equal_rows_do_not_disagree_and_disjoint_certain_rows_disagree_fully(V: int) -> None:
    P = rows(30, 6, concentration=0.1)
    np.testing.assert_array_equal(gate.disagreement([np.eye(6)] * V), 0)
    np.testing.assert_allclose(gate.disagreement([P] * V), 0, atol=1e-8)
    np.testing.assert_allclose(gate.disagreement([np.roll(np.eye(6), v, axis=1) for v in range(V)]), 1)


def test_the_order_of_the_readouts_does_not_matter() -> None:
    views = [rows(seed=seed) for seed in range(4)]
    np.testing.assert_allclose(gate.disagreement(views[::-1]), gate.disagreement(views), atol=1e-12)


def test_two_disagree_as_much_as_the_general_formula_says() -> None:
    views = [rows(seed=seed) for seed in range(2)]
    general = np.sqrt(gate._divergence(views) / np.log(2))
    np.testing.assert_allclose(gate.disagreement(views), general, atol=1e-12)


def test_one_readout_does_not_disagree_with_itself() -> None:
    np.testing.assert_array_equal(gate.disagreement([rows()]), np.zeros(40))


def test_identical_rows_do_not_disagree_and_opposite_rows_disagree_fully() -> None:
    P = np.eye(3)
    np.testing.assert_array_equal(gate.disagreement([P, P]), 0)
    np.testing.assert_allclose(gate.disagreement([P, P[[1, 2, 0]]]), 1)
    np.testing.assert_array_equal(gate.ambiguity(P), 0)
    np.testing.assert_allclose(gate.ambiguity(np.full((2, 5), 0.2)), 1)


def test_one_class_is_never_ambiguous() -> None:
    np.testing.assert_array_equal(gate.ambiguity(np.ones((3, 1))), 0)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("exponent", [1e-6, 0.05, 1.0, 1e300])
def test_recurrence_weight_stays_within_its_bounds(weight: float, exponent: float) -> None:
    a, d = np.array([0, 1e-300, 0.3, 1.0]), np.array([1.0, 0, 1e-17, 1.0])
    r = gate.recurrence_weight(
        a, d, Settings(disagreement_weight=weight, gate_exponent=exponent, r_min=0.7, r_max=0.9)
    )
    assert (r >= 0.7).all()
    assert (r <= 0.9).all()
    assert r[3] == pytest.approx(0.9)


def test_certain_and_agreeing_query_gets_the_lower_bound() -> None:
    zero = np.zeros(1)
    r = gate.recurrence_weight(zero, zero, Settings(r_min=0.7, r_max=0.9))
    assert r[0] == 0.7
