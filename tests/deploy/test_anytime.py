from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta
from bideta.deploy import AnytimePress, Frames, measure_frames, pool_presses

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


def test_frames_that_scatter_count_more_than_frames_that_are_alike() -> None:
    apart, alike = measure_frames(support(1.0, 5)), measure_frames(support(0.05, 5))
    assert apart.correlation < alike.correlation
    assert apart.effective(5) > alike.effective(5)
    assert apart.presses == 18


def test_single_frames_leave_the_cautious_values() -> None:
    assert measure_frames(support(1.0, 1)) == Frames()


def test_a_distribution_of_other_classes_is_refused() -> None:
    with pytest.raises(ValueError, match="one number for each of 2 classes"):
        AnytimePress(["a", "b"]).see([0.2, 0.3, 0.5])
