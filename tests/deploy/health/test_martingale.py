from __future__ import annotations

import numpy as np

from bideta.deploy.health.martingale import ChangeTest


def alarm(scores: np.ndarray, groups: np.ndarray, seed: int, limit: float) -> int | None:
    test = ChangeTest(np.random.default_rng((seed, 1)))
    for number, (score, group) in enumerate(zip(scores, groups, strict=True)):
        if test.see(float(score), int(group)) >= limit:
            return number
    return None


def test_false_alarms_stay_below_their_bound() -> None:
    rng = np.random.default_rng(0)
    # 200 streams of 100 contacts; the bound for a limit of 2,000 is 5 %.
    alarms = [alarm(rng.normal(size=100), rng.integers(0, 4, 100), seed, 2000) for seed in range(200)]
    assert np.mean([one is not None for one in alarms]) <= 0.05


def test_the_evidence_of_a_healthy_stream_is_its_length_on_average() -> None:
    rng = np.random.default_rng(1)
    ends = []
    for seed in range(4000):
        test = ChangeTest(np.random.default_rng((seed, 2)))
        ends.append([test.see(float(score), 0) for score in rng.normal(size=3)][-1])
    assert abs(np.mean(ends) - 3) < 0.15


def test_a_change_after_many_healthy_contacts_is_found() -> None:
    rng = np.random.default_rng(2)
    scores = np.concatenate([rng.normal(size=400), rng.normal(3, 1, size=100)])
    found = alarm(scores, np.zeros(500), 0, 1e5)
    assert found is not None
    assert 400 < found < 460


def test_falling_scores_are_found_too() -> None:
    rng = np.random.default_rng(3)
    scores = np.concatenate([rng.normal(size=200), rng.normal(-3, 1, size=100)])
    assert (alarm(scores, np.zeros(300), 0, 1e5) or 0) > 200


def test_objects_in_any_order_are_no_change() -> None:
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(6), 50)
    assert alarm(3.0 * groups + rng.normal(size=300), groups, 0, 1e5) is None


def test_equal_scores_are_no_change() -> None:
    assert alarm(np.zeros(300), np.zeros(300), 0, 1e5) is None
