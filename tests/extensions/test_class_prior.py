from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import softmax

from bideta.extensions import batch as joint
from bideta.extensions import class_prior
from bideta.extensions.batch import Batch
from bideta.extensions.class_prior import Rule
from bideta.method.settings import Settings

SETTINGS = Settings()
C = 8
EVEN = np.full(C, 1 / C)
EIGHT_EACH = np.full(C, 8)


def scores(truth: np.ndarray, seed: int = 0, strength: float = 4.0) -> list[np.ndarray]:
    """Calibrated class scores of both readouts: Gaussian classes with unit noise, one coordinate each."""
    rng = np.random.default_rng(seed)
    means = np.eye(C) * np.sqrt(strength)
    return [(means[truth] + rng.normal(size=(len(truth), C))) @ means.T - strength / 2 for _ in range(2)]


def batch(truth: np.ndarray, seed: int = 0) -> Batch:
    """Scores, a graph among the queries that knows nothing, and labelled neighbours that know a little."""
    rng = np.random.default_rng(seed + 1)
    m = len(truth)
    G = (1 - np.eye(m)) / max(m - 1, 1) / 2 if m > 1 else np.zeros((1, 1))
    E = (np.eye(C)[truth] + 0.5 * rng.dirichlet(np.ones(C), m)) / (3 if m > 1 else 1.5)
    return Batch(scores(truth, seed), csr_array(G), E)


def test_without_pseudo_contacts_the_estimate_is_the_likeliest_label_shift() -> None:
    truth = np.random.default_rng(0).choice(C, 400, p=[0.4, 0.2, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05])
    P = softmax(scores(truth)[0], axis=1)
    W = P / EVEN

    def surprise(free: np.ndarray) -> float:
        return -np.log(W @ softmax(free)).sum()

    want = softmax(minimize(surprise, np.zeros(C), tol=1e-10).x)
    np.testing.assert_allclose(class_prior.estimate_prior(P, EVEN, 0.0), want, atol=2e-3)


@pytest.mark.parametrize("m", [2, 5, 50, 2000])
def test_estimates_sum_to_one_and_leave_no_class_out(m: int) -> None:
    P = softmax(scores(np.zeros(m, int))[0] * 100, axis=1)  # far too sure
    estimate = class_prior.estimate_prior(P, EVEN, C / 2)
    assert estimate.sum() == pytest.approx(1)
    assert estimate.min() >= 0.49 / (m + C / 2)
    assert estimate.argmax() == 0


def test_a_few_contacts_do_not_collapse_the_estimate() -> None:
    P = softmax(scores(np.zeros(3, int))[0] * 100, axis=1)
    assert class_prior.estimate_prior(P, EVEN, C / 2).max() < 0.6  # (3 + ½)/(3 + 4)


def test_uninformative_contacts_leave_the_reference() -> None:
    reference = np.array([0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05])
    P = np.tile(reference, (500, 1))
    np.testing.assert_allclose(class_prior.estimate_prior(P, reference, C / 2), reference, atol=1e-12)


def test_concentration_is_zero_for_the_reference_and_one_for_a_single_class() -> None:
    rng = np.random.default_rng(0)
    drawn = [np.bincount(rng.integers(0, C, 6), minlength=C) / 6 for _ in range(4000)]
    values = [class_prior.concentration(h, EVEN, 6) for h in drawn]
    assert abs(np.mean(values)) < 0.01  # unbiased, however small the batch
    assert class_prior.concentration(np.eye(C)[2], EVEN, 6) == pytest.approx(1)
    assert class_prior.concentration(np.ones(1), np.ones(1), 6) == 0


def test_the_temperature_undoes_a_wrong_scale() -> None:
    truth = np.arange(4000) % C
    right = class_prior.fit_temperature(scores(truth)[:1], truth, 0.5)
    wrong = class_prior.fit_temperature([ell * 4 for ell in scores(truth)[:1]], truth, 0.5)
    assert right == pytest.approx(1, rel=0.1)
    assert wrong == pytest.approx(4, rel=0.1)


def test_a_large_balanced_batch_gets_the_papers_rule() -> None:
    b = batch(np.random.default_rng(0).permutation(np.arange(800) % C))
    answers = class_prior.settle(b, SETTINGS, Rule(EIGHT_EACH, 1.0))
    np.testing.assert_array_equal(answers.proba, joint.settle(b, SETTINGS, EVEN).proba)
    np.testing.assert_array_equal(answers.prior, EVEN)


@pytest.mark.parametrize("m", [4, 16, 64, 256])
def test_one_class_is_recognised_at_every_size(m: int) -> None:
    truth = np.full(m, 3)
    b = batch(truth)
    answers = class_prior.settle(b, SETTINGS, Rule(EIGHT_EACH, 1.0))
    free = joint.settle(b, SETTINGS, None)
    assert answers.prior.argmax() == 3
    assert answers.prior.sum() == pytest.approx(1)
    accuracy, before = ((P.argmax(axis=1) == truth).mean() for P in (answers.proba, free.proba))
    assert accuracy >= before
    assert accuracy > 0.9


def test_a_single_query_is_answered_freely() -> None:
    b = batch(np.array([2]))
    answers = class_prior.settle(b, SETTINGS, Rule(EIGHT_EACH, 1.0))
    np.testing.assert_allclose(answers.proba, joint.settle(b, SETTINGS, None).proba)


def test_an_uncalibrated_memory_estimates_nothing() -> None:
    b = batch(np.arange(24) % C)
    answers = class_prior.settle(b, SETTINGS, Rule(EIGHT_EACH, None))
    assert answers.prior is None
    np.testing.assert_allclose(answers.proba, joint.settle(b, SETTINGS, None).proba)


def test_a_small_batch_of_many_classes_is_free_with_the_estimate_in_its_memory() -> None:
    b = batch(np.arange(24) % C)
    answers = class_prior.settle(b, SETTINGS, Rule(EIGHT_EACH, 1.0))
    assert answers.prior is not None
    want = joint.settle(b, SETTINGS, None, ratio=answers.prior / EVEN)
    np.testing.assert_array_equal(answers.proba, want.proba)


def test_a_large_batch_between_is_held_between() -> None:
    frequencies = np.array([0.3, 0.25, 0.15, 0.1, 0.05, 0.05, 0.05, 0.05])
    b = batch(np.random.default_rng(3).choice(C, 400, p=frequencies))
    answers = class_prior.settle(b, SETTINGS, Rule(EIGHT_EACH, 1.0))
    assert answers.prior is not None
    assert 0 < np.abs(answers.prior - EVEN).sum() < np.abs(frequencies - EVEN).sum() + 0.05
    np.testing.assert_array_equal(answers.proba, joint.settle(b, SETTINGS, answers.prior).proba)


def test_the_same_histogram_is_taken_for_the_supports_where_the_memory_is_poor() -> None:
    frequencies = np.array([0.2, 0.2, 0.2, 0.1, 0.1, 0.1, 0.05, 0.05])
    b = batch(np.random.default_rng(3).choice(C, 400, p=frequencies))
    held = [class_prior.settle(b, SETTINGS, Rule(np.full(C, n), 1.0)).prior for n in (1, 8, 80)]
    np.testing.assert_array_equal(held[0], EVEN)
    assert np.abs(held[1] - EVEN).sum() < np.abs(held[2] - EVEN).sum()


def test_mixed_is_half_way_between_support_and_estimate() -> None:
    truth = np.full(200, 3)
    b = batch(truth)
    estimate = class_prior.estimate_prior(sum(softmax(ell, axis=1) for ell in b.scores) / 2, EVEN, 50)
    answers = class_prior.settle(b, SETTINGS, Rule(EIGHT_EACH, 1.0, "mixed"))
    np.testing.assert_allclose(answers.prior, (EVEN + estimate) / 2)
    np.testing.assert_allclose(answers.proba.mean(axis=0), answers.prior, atol=0.05)


def test_without_labelled_neighbours_many_classes_are_held_to_the_supports() -> None:
    truth = np.arange(64) % C
    b = Batch(scores(truth), batch(truth).graph * 2)
    answers = class_prior.settle(b, SETTINGS, Rule(EIGHT_EACH, 1.0))
    np.testing.assert_array_equal(answers.proba, joint.settle(b, SETTINGS, EVEN).proba)


def test_relaxed_holds_what_follows_the_support_and_frees_what_does_not():
    rule = Rule(EIGHT_EACH, kind="relaxed")
    even, one = np.repeat(np.arange(C), 12), np.zeros(12 * C, np.intp)
    held = class_prior.settle(batch(even), SETTINGS, rule)
    np.testing.assert_array_equal(held.proba, joint.settle(batch(even), SETTINGS, EVEN).proba)
    free = class_prior.settle(batch(one), SETTINGS, rule)
    np.testing.assert_array_equal(free.proba, joint.settle(batch(one), SETTINGS, None).proba)
    assert free.prior is None


def test_agreement_is_the_chance_that_a_contact_and_its_neighbour_share_a_class():
    b = batch(np.arange(40) % C)
    P = joint.settle(b, SETTINGS, None).proba
    edges, literal = np.asarray(b.graph.todense()), []
    for i in range(len(P)):
        neighbours = sum(edges[i, j] * P[j] for j in range(len(P))) + b.labelled[i]
        literal.append(float(P[i] @ neighbours))
    assert class_prior.agreement(b, P) == pytest.approx(np.mean(literal), rel=1e-12)


def test_relaxed_takes_the_tightest_hold_that_keeps_neighbours_together():
    rule = Rule(EIGHT_EACH, kind="relaxed")
    seen = set()
    for share in np.linspace(0, 1, 21):  # from even to a single class
        ones = round(share * 12 * C)
        truth = np.concatenate([np.zeros(ones, np.intp), np.arange(12 * C - ones) % C])
        b = batch(truth)
        free = joint.settle(b, SETTINGS, None)
        least = class_prior.KEPT_AGREEMENT * class_prior.agreement(b, free.proba)
        by_hold = {
            name: joint.settle(b, SETTINGS, EVEN, strength=strength)
            for name, strength in (("held", 1.0), ("halfway", class_prior.RELAXATION))
        }
        kept = [name for name, held in by_hold.items() if class_prior.agreement(b, held.proba) >= least]
        expected = by_hold[kept[0]] if kept else free
        seen.add(kept[0] if kept else "free")
        np.testing.assert_array_equal(class_prior.settle(b, SETTINGS, rule).proba, expected.proba)
    assert seen == {"held", "halfway", "free"}
