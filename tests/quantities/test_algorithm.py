"""Stacking, intervals, angles, scaling, foreign contacts, and what must hold for the whole."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.quantities import algorithm
from bideta.quantities.algorithm import adapt, half_widths, infer
from bideta.quantities.foreign import is_foreign
from bideta.quantities.intervals import quantile
from bideta.quantities.scaling import FLOOR, fit_scaler
from bideta.quantities.stacking import PULL, SUM_PULL, mixture, stack
from bideta.quantities.targets import Target, from_columns, parse_column, to_columns, wrap
from support.quantities import contacts, literal_stack

PAIR = (Target("depth", "mm"), Target("tilt", "deg"))
TURN = Target("turn", "deg", 360.0)


def test_weights_are_those_of_the_literal_least_squares() -> None:
    rng = np.random.default_rng(0)
    for E, n in ((3, 5), (10, 40)):
        answers, y = rng.normal(size=(E, n)), rng.normal(size=n)
        fixed = rng.dirichlet(np.ones(E))
        expected = literal_stack(answers, y, fixed, PULL, SUM_PULL)
        np.testing.assert_allclose(stack(answers, y, fixed), expected, atol=1e-9)


def test_without_evidence_the_weights_are_the_fixed_ones() -> None:
    fixed = np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(stack(np.zeros((3, 4)), np.zeros(4), fixed), fixed, atol=1e-12)


def test_mixture_counts_disagreement_as_doubt() -> None:
    mean, variance = mixture(np.array([[[1.0]], [[3.0]]]), np.full((2, 1, 1), 0.5), np.full((2, 1), 0.5))
    assert (mean.item(), variance.item()) == (2.0, 1.5)


def test_residuals_are_judged_with_weights_that_did_not_see_them(monkeypatch) -> None:
    c = contacts()
    presses = np.arange(30) // 2
    model = adapt(c.support, c.values, presses, PAIR)
    means = np.stack([memory.left_out for memory in model.memories])
    y = (c.values - model.center) / model.spread
    V = len(c.support)
    fixed = np.append(np.full(V, 0.5 / V), 0.5)
    for press in range(15):  # fewer presses than folds: each is a fold
        rest = presses != press
        for k in range(2):
            w = literal_stack(means[:, rest, k], y[rest, k], fixed, PULL, SUM_PULL)
            here = w @ means[:, ~rest, k] * model.spread[k] + model.center[k]
            np.testing.assert_allclose(model.left_out[~rest, k], here, atol=1e-8)


def test_left_out_answers_are_as_good_as_answers_about_new_contacts() -> None:
    c = contacts(n=60, m=400)
    model = adapt(c.support, c.values, np.arange(60), PAIR)
    promised = np.abs(model.left_out - c.values).mean(axis=0)
    found = np.abs(infer(model, c.queries).value - c.truth).mean(axis=0)
    np.testing.assert_allclose(promised, found, rtol=0.35)
    assert (found < 0.25 * np.abs(c.truth).mean(axis=0)).all()


@pytest.mark.parametrize("coverage", [0.8, 0.9])
def test_intervals_hold_the_truth_as_often_as_promised(coverage) -> None:
    shares = []
    for seed in range(8):
        c = contacts(n=40, m=200, seed=seed)
        model = adapt(c.support, c.values, np.arange(40), PAIR)
        answers = infer(model, c.queries)
        half = half_widths(model, answers.deviation, coverage)
        shares.append((np.abs(answers.value - c.truth) <= half).mean())
    assert abs(np.mean(shares) - coverage) < 0.05


def test_quantile_is_the_conformal_one_counted_in_presses() -> None:
    scores = np.arange(1.0, 41.0)
    assert quantile(scores, 40, 0.8) == np.ceil(0.8 * 41)
    assert quantile(scores, 10, 0.8) == 36  # the ninth of ten presses, of four frames each
    assert quantile(scores, 1, 0.8) == np.inf
    assert quantile(scores[:5], 5, 0.9) > 5  # the sixth of five: Student's t, and never below the largest


def test_scaling_a_target_scales_everything() -> None:
    c = contacts()
    plain = adapt(c.support, c.values, np.arange(30), PAIR)
    scaled = adapt(c.support, c.values * (1000.0, -1e-3) + (5.0, 7.0), np.arange(30), PAIR)
    a, b = infer(plain, c.queries), infer(scaled, c.queries)
    np.testing.assert_allclose(b.value, a.value * (1000.0, -1e-3) + (5.0, 7.0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(b.deviation, a.deviation * (1000.0, 1e-3), rtol=1e-7)
    wide, thousandfold = (half_widths(model, x.deviation, 0.9) for model, x in ((plain, a), (scaled, b)))
    np.testing.assert_allclose(thousandfold, wide * (1000.0, 1e-3), rtol=1e-7)


def test_the_order_of_labelled_contacts_and_queries_does_not_matter() -> None:
    c = contacts()
    rng = np.random.default_rng(3)
    n, m = rng.permutation(30), rng.permutation(60)
    first = infer(adapt(c.support, c.values, np.arange(30), PAIR), c.queries)
    model = adapt(tuple(H[n] for H in c.support), c.values[n], n, PAIR)
    other = infer(model, tuple(H[m] for H in c.queries))
    np.testing.assert_allclose(other.value, first.value[m], atol=1e-8)
    np.testing.assert_allclose(other.deviation, first.deviation[m], atol=1e-8)


def test_a_contact_is_answered_by_itself() -> None:
    c = contacts()
    model = adapt(c.support, c.values, np.arange(30), PAIR)
    whole, one = infer(model, c.queries), infer(model, tuple(H[7:8] for H in c.queries))
    np.testing.assert_allclose(one.value, whole.value[7:8], atol=1e-10)
    np.testing.assert_allclose(one.strangeness, whole.strangeness[7:8], atol=1e-10)


def test_many_contacts_are_answered_block_by_block(monkeypatch) -> None:
    c = contacts()
    model = adapt(c.support, c.values, np.arange(30), PAIR)
    whole = infer(model, c.queries)
    monkeypatch.setattr(algorithm, "BLOCK", 7)
    parts = infer(model, c.queries)
    np.testing.assert_allclose(parts.value, whole.value, atol=1e-10)
    np.testing.assert_allclose(parts.deviation, whole.deviation, atol=1e-10)
    assert len(parts.strangeness) == 60


def test_a_constant_target_is_that_constant() -> None:
    c = contacts()
    values = np.stack([c.values[:, 0], np.full(30, 0.1)], axis=1)
    model = adapt(c.support, values, np.arange(30), PAIR)
    answers = infer(model, c.queries)
    np.testing.assert_array_equal(answers.value[:, 1], np.full(60, 0.1))
    np.testing.assert_array_equal(half_widths(model, answers.deviation, 0.9)[:, 1], 0.0)


@pytest.mark.parametrize("n", [5, 30])
def test_a_constant_target_has_no_say_in_the_answers_of_the_others(n) -> None:
    c = contacts(n=n)
    values = np.column_stack([c.values, np.full(n, 2.5)])
    answers = infer(adapt(c.support, values, np.arange(n), (*PAIR, Target("force", "N"))), c.queries)
    without = infer(adapt(c.support, c.values, np.arange(n), PAIR), c.queries)
    np.testing.assert_allclose(answers.value[:, :2], without.value, atol=1e-9)
    np.testing.assert_allclose(answers.deviation[:, :2], without.deviation, atol=1e-9)


def test_one_label_is_the_answer_to_everything_and_promises_nothing() -> None:
    c = contacts(n=1)
    model = adapt(c.support, c.values, np.zeros(1, np.intp), PAIR)
    answers = infer(model, c.queries)
    np.testing.assert_allclose(answers.value, np.tile(c.values, (60, 1)))
    assert np.isposinf(half_widths(model, answers.deviation, 0.8)).all()


def test_copies_in_one_press_promise_no_more_than_one_contact() -> None:
    c = contacts()
    single = adapt(c.support, c.values, np.arange(30), PAIR)
    doubled = adapt(
        tuple(np.repeat(H, 3, axis=0) for H in c.support),
        np.repeat(c.values, 3, axis=0),
        np.arange(90) // 3,
        PAIR,
    )
    a, b = (infer(model, c.queries) for model in (single, doubled))
    wide, wide3 = (
        half_widths(model, x.deviation, 0.9).mean(axis=0) for model, x in ((single, a), (doubled, b))
    )
    np.testing.assert_allclose(wide3, wide, rtol=0.3)
    as_contacts = adapt(
        tuple(np.repeat(H, 3, axis=0) for H in c.support), np.repeat(c.values, 3, axis=0), np.arange(90), PAIR
    )
    bold = half_widths(as_contacts, infer(as_contacts, c.queries).deviation, 0.9).mean(axis=0)
    assert (bold < 0.7 * wide3).all()  # what presses are for


def test_equal_contacts_with_unlike_labels_and_constant_features_do_no_harm() -> None:
    same = np.ones((6, 4))
    model = adapt((same,), np.arange(6.0)[:, None], np.arange(6), PAIR[:1])
    answers = infer(model, (np.ones((2, 4)),))
    np.testing.assert_allclose(answers.value, 2.5, atol=0.1)
    assert np.isfinite(answers.deviation).all()


def test_features_at_the_ends_of_double_range_give_finite_answers() -> None:
    c = contacts()
    for size in (1e-300, 1e300):
        support, queries = (tuple(H * size for H in readouts) for readouts in (c.support, c.queries))
        answers = infer(adapt(support, c.values, np.arange(30), PAIR), queries)
        plain = infer(adapt(c.support, c.values, np.arange(30), PAIR), c.queries)
        np.testing.assert_allclose(answers.value, plain.value, rtol=1e-6, atol=1e-6)
    far = infer(adapt(c.support, c.values, np.arange(30), PAIR), tuple(H * 1e200 for H in c.queries))
    assert np.isfinite(far.value).all()


def test_scaler_divides_by_a_spread_that_cannot_vanish() -> None:
    H = np.random.default_rng(0).normal(size=(20, 5)) * (1, 2, 3, 1e-9, 0)
    scaler = fit_scaler(H)
    spread = H.std(axis=0)
    np.testing.assert_allclose(scaler.scale, np.sqrt(spread**2 + FLOOR * np.mean(spread**2)) * np.sqrt(5))
    np.testing.assert_allclose(scaler(H), (H - H.mean(axis=0)) / scaler.scale)


def test_angles_are_points_on_a_circle() -> None:
    y = np.array([0.0, 90.0, 359.0, 720.5])
    value, _ = from_columns(to_columns(y, TURN), np.zeros((4, 2)), TURN)
    np.testing.assert_allclose(value, [0, 90, 359, 0.5], atol=1e-9)
    half = Target("edge", "deg", 180.0, signed=True)
    value, deviation = from_columns(
        to_columns(np.array([-80.0, 100.0]), half) / 2, np.full((2, 2), 0.01), half
    )
    np.testing.assert_allclose(value, [-80, -80], atol=1e-9)
    np.testing.assert_allclose(deviation, np.rad2deg(0.1 / 0.5) / 2)
    nowhere, doubt = from_columns(np.zeros((1, 2)), np.ones((1, 2)), TURN)
    assert np.isfinite(nowhere).all()
    assert doubt.item() == 180
    np.testing.assert_allclose(wrap(np.array([358.0, -181.0, 10.0]), TURN), [-2, 179, 10])


def test_an_angle_is_learned_across_the_end_of_its_period() -> None:
    rng = np.random.default_rng(0)
    angle = (rng.uniform(-40, 40, 90)) % 360
    point = np.stack([np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))], axis=1)
    H = point @ rng.normal(size=(2, 6)) + rng.normal(size=(90, 6)) / 50
    errors = {}
    for target in (TURN, Target("turn", "deg")):
        model = adapt((H[:40],), angle[:40, None], np.arange(40), [target])
        answers = infer(model, (H[40:],))
        errors[target.period] = np.abs(wrap(answers.value[:, 0] - angle[40:], TURN)).mean()
        assert (half_widths(model, answers.deviation, 0.9) <= 180).all() or target.period is None
    assert errors[360.0] < 3 < errors[None]


def test_columns_are_names_with_units() -> None:
    assert parse_column("force_z_N") == Target("force_z", "N")
    assert parse_column("grip") == Target("grip", "")
    assert parse_column("_mm").column == "_mm"


def test_foreign_contacts_are_farther_than_labelled_ones_from_each_other() -> None:
    c = contacts(n=60, m=200)
    model = adapt(c.support, c.values, np.arange(60), PAIR)
    own, strange = model.own_strangeness, infer(model, c.queries).strangeness
    assert is_foreign(strange, own, 60, 0.05).mean() < 0.15
    elsewhere = infer(model, tuple(np.random.default_rng(5).normal(size=H.shape) * 3 for H in c.queries))
    assert is_foreign(elsewhere.strangeness, own, 60, 0.05).mean() > 0.95
    assert not is_foreign(strange, np.zeros(0), 1, 0.05).any()
    few = own[:5]
    np.testing.assert_array_equal(is_foreign(few * 2.1, few, 5, 0.05), few * 2.1 > 2 * few.max())


def test_the_scales_of_an_earlier_fit_give_the_same_answers() -> None:
    c = contacts()
    first = adapt(c.support, c.values, np.arange(30), PAIR)
    again = adapt(c.support, c.values, np.arange(30), PAIR, first.scales)
    assert set(first.scales) <= set(algorithm.SCALES)
    np.testing.assert_array_equal(infer(again, c.queries).value, infer(first, c.queries).value)
