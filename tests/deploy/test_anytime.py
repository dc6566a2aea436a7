from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy import AnytimePress, Frames, measure_frames, pool_presses
from bideta.deploy.online import anytime
from bideta.deploy.online.some_presses import EACH, some_presses
from bideta.method.algorithm import Inference
from bideta.sensor import Sensor

P = np.array([[0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.4, 0.5, 0.1]])


def test_frames_that_are_all_alike_give_the_geometric_mean() -> None:
    press = AnytimePress(["a", "b", "c"])
    answer = [press.see(row) for row in P][-1]
    np.testing.assert_allclose(answer.proba, pool_presses(P, [0, 0, 0])[1][0])
    assert (answer.frames, answer.effective, answer.verdict) == (3, 1, "going on")


def test_independent_frames_are_multiplied() -> None:
    press = AnytimePress(["a", "b", "c"], Frames(0.0))
    answer = [press.see(row) for row in P][-1]
    product = P.prod(axis=0)
    np.testing.assert_allclose(answer.proba, product / product.sum())
    assert answer.effective == 3


def test_a_press_stops_when_it_is_sure() -> None:
    press = AnytimePress(["a", "b"], Frames(0.1), sure=0.9)
    verdicts = [press.see([0.7, 0.3]).verdict for _ in range(6)]
    assert verdicts[0] == "going on"
    assert verdicts[-1] == "sure"


def test_a_doubtful_press_asks_for_another_and_presses_are_multiplied() -> None:
    press = AnytimePress(["a", "b"], sure=0.9)
    press.see([0.8, 0.2])
    assert press.lift().verdict == "press again"
    again = press.see([0.8, 0.2])
    np.testing.assert_allclose(again.proba, [16 / 17, 1 / 17])
    assert again.verdict == "sure"
    press.forget()
    np.testing.assert_allclose(press.see([0.8, 0.2]).proba, [0.8, 0.2])


def test_a_press_without_frames_says_nothing() -> None:
    answer = AnytimePress(["a", "b"]).lift()
    assert (answer.verdict, answer.frames) == ("press again", 0)
    np.testing.assert_allclose(answer.proba, [0.5, 0.5])


def support(within: float, frames: int) -> Bideta:
    """Six presses of each of three classes; ``within`` is how far frames of a press lie apart."""
    rng = np.random.default_rng(0)
    y, press = np.repeat(np.arange(3), 6 * frames), np.repeat(np.arange(18), frames)
    between = (1 - within**2) ** 0.5
    h1, h2 = (
        rng.normal(size=(3, 6))[y]
        + between * rng.normal(size=(18, 6))[press]
        + within * rng.normal(size=(len(y), 6))
        for _ in range(2)
    )
    return Bideta().fit((h1, h2), y, press)


def test_presses_that_are_told_wrongly_make_their_frames_count_less() -> None:
    def touched(apart: float) -> Bideta:
        """Classes this far apart, among presses that scatter by one."""
        rng = np.random.default_rng(1)
        y, press = np.repeat(np.arange(3), 30), np.repeat(np.arange(18), 5)
        middle = apart * np.eye(3, 6)[y] + rng.normal(size=(18, 6))[press]
        return Bideta(**presets.TOUCH).fit(
            tuple(middle + 0.1 * rng.normal(size=middle.shape) for _ in range(2)), y, press
        )

    clear, doubtful = measure_frames(touched(12.0)), measure_frames(touched(1.5))
    assert doubtful.presses == clear.presses == 18
    assert doubtful.effective(5) / doubtful.temperature < clear.effective(5) / clear.temperature / 2


def test_each_hidden_press_is_asked_by_itself_and_held_to_no_class_frequencies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    adapted, asked = support(0.3, 5), []

    def infer(self: Sensor, batch: tuple[np.ndarray, ...]) -> Inference:
        asked.append((self.prior, self.rule, len(batch[0])))
        return answered(self, batch)

    answered = Sensor.infer
    monkeypatch.setattr(Sensor, "infer", infer)
    assert measure_frames(adapted).presses == len(asked) == 18
    assert asked == [(None, None, 5)] * 18


def test_single_frames_leave_the_cautious_values() -> None:
    assert measure_frames(support(1.0, 1)) == Frames()


def test_nothing_is_measured_where_no_press_that_can_be_hidden_has_two_frames(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hidden_folds(*_: object, **__: object) -> None:
        raise AssertionError("folds were adapted")

    monkeypatch.setattr(anytime, "hidden_folds", hidden_folds)
    assert measure_frames(support(1.0, 1)) == Frames()
    sensor = support(1.0, 2)
    y, press = sensor.sensor().labels, sensor.sensor().presses
    first = (y == 0) & (press == 0)  # two frames, but no other press of its class
    single = (y > 0) & (np.arange(len(y)) % 2 == 0)
    rows = first | single
    once = Bideta().fit(tuple(H[rows] for H in sensor.sensor().support), y[rows], press[rows])
    assert measure_frames(once) == Frames()


def test_of_many_labelled_frames_whole_presses_of_every_class_are_measured() -> None:
    y, presses = np.repeat([0, 1, 2], [200, 40, 8]), np.arange(248) // 2
    rows = some_presses(y, presses, 60)
    assert len(rows) == 60
    assert (np.bincount(presses[rows])[np.unique(presses[rows])] == 2).all()
    assert np.bincount(y[rows]).tolist() == [26, 26, 8]
    assert np.bincount(y[some_presses(y, presses, 5)]).tolist() == [2 * EACH] * 3
    np.testing.assert_array_equal(rows, some_presses(y, presses, 60))
    np.testing.assert_array_equal(some_presses(y, presses, 248), np.arange(248))


def test_contacts_of_an_earlier_sensor_are_the_first_to_be_left_out() -> None:
    y, presses = np.zeros(100, np.intp), np.arange(100) // 2
    assert some_presses(y, presses, 40, earlier=60).tolist() == list(range(60, 100))


def test_fewer_presses_are_measured_where_fewer_frames_are_allowed() -> None:
    adapted = support(0.3, 5)
    assert measure_frames(adapted, most=75).presses == 15
    assert measure_frames(adapted, most=90) == measure_frames(adapted)


def test_a_distribution_of_other_classes_is_refused() -> None:
    with pytest.raises(ValueError, match="one number for each of 2 classes"):
        AnytimePress(["a", "b"]).see([0.2, 0.3, 0.5])
