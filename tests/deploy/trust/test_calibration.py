from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.trust.calibration import (
    Calibration,
    _temperature,
    calibrate,
    expected_calibration_error,
    reliability_diagram,
    tempered,
)
from support.sensor_shift import episode


def drawn(m: int = 20_000, C: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Distributions, and labels drawn from them: calibrated by construction."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(C, 0.5), m)
    return P, (P.cumsum(axis=1) > rng.random((m, 1))).argmax(axis=1)


def test_labels_drawn_from_the_distributions_have_no_calibration_error() -> None:
    P, y = drawn()
    assert expected_calibration_error(P, y) < 0.01
    assert expected_calibration_error(tempered(P, 0.3), y) > 0.1


def test_the_error_is_the_mean_gap_between_confidence_and_accuracy() -> None:
    P = np.array([[0.9, 0.1], [0.8, 0.2], [0.45, 0.55], [0.3, 0.7]])
    diagram = reliability_diagram(P, np.array([0, 1, 1, 1]), bins=5)
    assert diagram.count.tolist() == [0, 0, 1, 1, 2]
    np.testing.assert_allclose(diagram.accuracy[2:], [1, 1, 0.5])
    np.testing.assert_allclose(diagram.confidence, [0.1, 0.3, 0.55, 0.7, 0.85])
    assert diagram.error == pytest.approx((0.45 + 0.3 + 2 * 0.35) / 4)


@pytest.mark.parametrize("temperature", [0.25, 1.0, 4.0])
def test_the_fitted_temperature_undoes_a_wrong_one(temperature: float) -> None:
    P, y = drawn()
    assert _temperature(tempered(P, temperature), y) == pytest.approx(1 / temperature, rel=0.1)


def test_tempering_keeps_answers_rows_and_zeros() -> None:
    P = np.array([[0.7, 0.3, 0.0], [0.2, 0.2, 0.6]])
    for temperature in (0.1, 1.0, 10.0):
        T = tempered(P, temperature)
        np.testing.assert_allclose(T.sum(axis=1), 1)
        np.testing.assert_array_equal(T.argmax(axis=1), P.argmax(axis=1))
        assert T[0, 2] == 0
    np.testing.assert_allclose(tempered(P, 1.0), P)


def test_calibration_on_the_support_lowers_the_error_on_queries() -> None:
    before, after = [], []
    for seed in range(4):
        e = episode(seed, C=6, shots=10, per_class=40, dims=(40, 60), signal=0.6)
        adapted = Bideta(**presets.ROBOT).fit(e.support, e.labels)
        chosen, result = calibrate(adapted), adapted.infer(e.queries)
        before.append([expected_calibration_error(P, e.truth) for P in (result.anchor, result.proba)])
        calibrated = chosen.of_anchor(result), chosen.of_joint(result)
        after.append([expected_calibration_error(P, e.truth) for P in calibrated])
        assert chosen == calibrate(adapted)
    assert (np.mean(after, axis=0) < np.mean(before, axis=0)).all()


def test_distributions_in_place_of_a_result_are_refused() -> None:
    with pytest.raises(ValueError, match=r"result is a ndarray, expected what adapted\.infer"):
        Calibration(1.0, 2.0).of_joint(np.eye(3))


def test_one_contact_per_class_leaves_probabilities_alone() -> None:
    e = episode(shots=1)
    assert calibrate(Bideta().fit(e.support, e.labels)) == Calibration(1.0, 1.0)


def test_a_class_with_one_contact_and_a_split_array_are_no_obstacle() -> None:
    e = episode(shots=4)
    kept = np.flatnonzero((e.labels > 0) | (np.arange(len(e.labels)) == 0))  # class 0 keeps one contact
    X = np.hstack(e.support)[kept]
    chosen = calibrate(Bideta(split=12).fit(X, e.labels[kept]), folds=2)
    assert chosen.anchor > 0
    assert chosen.joint > 0


def test_a_single_fold_is_refused() -> None:
    e = episode()
    with pytest.raises(ValueError, match="folds=1: expected an integer >= 2"):
        calibrate(Bideta().fit(e.support, e.labels), folds=1)
