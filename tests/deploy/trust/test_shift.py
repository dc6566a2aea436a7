from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy import hold_out, reliability_intervals
from bideta.deploy.trust.reliability import upper_bound
from bideta.deploy.trust.shift import hold_out_moved, moved_support
from bideta.images.batch_check import BatchCheck
from support.sensor_shift import episode, replaced

SHIFTED = BatchCheck("shifted", "the gel has changed", "shifted")


@pytest.fixture(scope="module")
def adapted():
    e = episode(shots=8)
    return Bideta(**presets.ROBOT).fit(e.support, e.labels), e.queries, e.truth


def answers_of(adapted, classes):
    """Sure answers, whatever the readouts are."""
    proba = np.eye(len(adapted.classes_))[classes]
    return replace(adapted.infer(tuple(H[: len(classes)] for H in adapted.sensor_.support)), proba=proba)


def test_moved_contacts_are_those_of_a_loop_over_classes(adapted):
    sensor, batch = adapted[0].sensor_, adapted[1]
    result = adapted[0].infer(batch)
    for moved, S, H in zip(moved_support(sensor, result, batch), sensor.support, batch, strict=True):
        expected = np.zeros(S.shape[1])
        for c in range(len(sensor.classes)):
            expected += result.proba[:, c].mean() * S[sensor.labels == c].mean(axis=0)
        np.testing.assert_allclose(moved - S, np.tile(H.mean(axis=0) - expected, (len(S), 1)))


def test_a_constant_shift_is_found_and_the_mix_of_classes_is_none(adapted):
    sensor = adapted[0].sensor_
    only = sensor.labels == 2  # a batch of one class, as it was labelled, is where the labelled contacts are
    for offset in (0.0, 3.0):
        batch = tuple(S[only] + offset for S in sensor.support)
        moved = moved_support(sensor, answers_of(adapted[0], sensor.labels[only]), batch)
        for M, S in zip(moved, sensor.support, strict=True):
            np.testing.assert_allclose(M, S + offset, atol=1e-9)


def test_single_foreign_pictures_say_nothing_of_the_shift(adapted):
    sensor, batch = adapted[0].sensor_, adapted[1]
    result, odd = adapted[0].infer(batch), (0, 7)
    rest = np.setdiff1d(np.arange(len(result.proba)), odd)
    expected = moved_support(sensor, replace(result, proba=result.proba[rest]), tuple(H[rest] for H in batch))
    found = moved_support(sensor, result, replaced(batch, list(odd), 1e6), odd)
    for M, E in zip(found, expected, strict=True):
        np.testing.assert_allclose(M, E)


def test_contacts_of_an_earlier_gel_do_not_say_where_this_one_was(adapted):
    sensor, batch = adapted[0].sensor_, adapted[1]
    # Of every class the first half is earlier.
    order = np.argsort(np.arange(len(sensor.labels)) % 8, kind="stable")
    support, labels = tuple(S[order].copy() for S in sensor.support), sensor.labels[order]
    result, half = adapted[0].infer(batch), len(labels) // 2
    mixed = replace(sensor, support=support, labels=labels, presses=sensor.presses[order], earlier=half)
    expected = moved_support(mixed, result, batch)
    for S in support:
        S[:half] += 50
    for M, E in zip(moved_support(mixed, result, batch), expected, strict=True):
        np.testing.assert_allclose(M[half:], E[half:])


def test_readouts_beyond_all_numbers_leave_the_contacts_where_they_were(adapted):
    sensor = adapted[0].sensor_
    batch = tuple(np.full_like(H, np.finfo(H.dtype).max) for H in adapted[1])
    for M, S in zip(moved_support(sensor, adapted[0].infer(adapted[1]), batch), sensor.support, strict=True):
        np.testing.assert_array_equal(M, S)


@pytest.mark.parametrize("m", [5, 100])
def test_contacts_that_are_not_moved_are_answered_as_before(adapted, m):
    batch = tuple(H[:m] for H in adapted[1])
    as_they_are = hold_out(adapted[0], batch)
    again = hold_out(adapted[0], batch, moved=adapted[0].sensor_.support)
    np.testing.assert_array_equal(again.proba, as_they_are.proba)
    np.testing.assert_array_equal(again.agreement, as_they_are.agreement)


def test_presses_that_only_the_caller_knows_stay_together(adapted):
    presses = np.arange(len(adapted[0].sensor_.labels)) // 2
    held = hold_out(adapted[0], adapted[1], presses=presses)
    moved = hold_out_moved(adapted[0], adapted[0].infer(adapted[1]), adapted[1], held)
    np.testing.assert_array_equal(moved.presses, held.presses)
    np.testing.assert_array_equal(moved.folds, held.folds)


def test_a_shift_that_costs_answers_lowers_what_is_promised(adapted):
    classifier, queries, truth = adapted
    moved = tuple(H + 0.9 * H.std(axis=0) for H in queries)
    result, before = classifier.infer(moved), classifier.infer(queries)
    right = float((result.proba.argmax(axis=1) == truth).mean())
    assert right < (before.proba.argmax(axis=1) == truth).mean() - 0.1
    shifted = reliability_intervals(classifier, result, moved, check=SHIFTED)
    genuine = reliability_intervals(classifier, before, queries, check=BatchCheck("fine"))
    assert shifted.lower.mean() < right
    assert shifted.value.mean() < genuine.value.mean() - 0.05
    assert shifted.held.right.mean() < genuine.held.right.mean() - 0.1
    farther = tuple(H + 1.5 * H.std(axis=0) for H in queries)  # nearly all get one label, hardly one is right
    collapsed = classifier.infer(farther)
    assert (collapsed.proba.argmax(axis=1) == truth).mean() < 0.3
    assert not reliability_intervals(classifier, collapsed, farther, check=SHIFTED).known


def test_all_moved_presses_bound_a_shifted_batch_together(adapted):
    classifier, queries, _ = adapted
    found = reliability_intervals(classifier, classifier.infer(queries), queries, check=SHIFTED)
    n, right = found.held.n_presses, found.held.right.sum()
    assert n == len(found.held)  # each contact is a press of its own
    np.testing.assert_allclose(found.lower, np.minimum(found.value, 1 - upper_bound(n - right, n, 0.9)))
    np.testing.assert_allclose(found.upper, np.maximum(found.value, upper_bound(right, n, 0.9)))
