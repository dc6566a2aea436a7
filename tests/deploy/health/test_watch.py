from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy import GelHealth, Health

RNG = np.random.default_rng(0)
MEANS = [RNG.normal(size=(3, d)) * 2 for d in (6, 9)]


def contacts(n: int, seed: int, worn: float = 0.0) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    return tuple(M[y] + rng.normal(size=(n, M.shape[1])) + worn for M in MEANS), y


def watched(adapted: Bideta, health: GelHealth, n: int, seed: int, worn: float = 0.0) -> list[Health]:
    X, _ = contacts(n, seed, worn)
    P = adapted.predict_proba(X)
    return [health.see(tuple(H[i] for H in X), P[i]) for i in range(n)]


@pytest.fixture(scope="module")
def adapted() -> Bideta:
    return Bideta(**presets.TOUCH).fit(*contacts(30, 1))


def test_a_healthy_stream_stays_healthy(adapted: Bideta) -> None:
    states = {one.state for one in watched(adapted, GelHealth(adapted), 200, 2)}
    assert states == {"healthy"}


def test_wear_is_called_worn_with_contacts_to_label_and_a_loss(adapted: Bideta) -> None:
    health = GelHealth(adapted)
    watched(adapted, health, 100, 2)
    last = watched(adapted, health, 100, 3, worn=2.0)[-1]
    assert (last.state, last.score) == ("worn", 0.0)
    assert len(set(last.to_label)) == 5
    assert all(100 <= number < 200 for number in last.to_label)
    assert last.loss is not None
    assert str(last).startswith("worn")
    assert "label these contacts" in str(last)


def test_contacts_of_a_healthy_time_show_wear_that_is_there_from_the_start(adapted: Bideta) -> None:
    X, _ = contacts(100, 4)
    health = GelHealth(adapted, healthy=(X, adapted.predict_proba(X)))
    assert watched(adapted, health, 60, 5, worn=2.0)[-1].state == "worn"
    alone = GelHealth(adapted)
    assert watched(adapted, alone, 60, 5, worn=2.0)[-1].state == "healthy"


def test_an_untouched_gel_that_looks_otherwise_is_said(adapted: Bideta) -> None:
    health = GelHealth(adapted)
    picture = RNG.integers(80, 120, (32, 32, 3))
    health.see_untouched(picture)
    assert health.now().state == "healthy"
    for _ in range(30):
        health.see_untouched(picture * 0.7)
    assert health.now().state == "changed"
    assert "light lost 30 %" in str(health.now())


def test_watching_changes_no_answer(adapted: Bideta) -> None:
    X, _ = contacts(20, 6)
    before = adapted.predict_proba(X)
    watched(adapted, GelHealth(adapted), 20, 6)
    np.testing.assert_array_equal(adapted.predict_proba(X), before)


def test_a_distribution_of_other_classes_is_refused(adapted: Bideta) -> None:
    X, _ = contacts(1, 6)
    with pytest.raises(ValueError, match="each of 3 classes"):
        GelHealth(adapted).see(tuple(H[0] for H in X), [0.5, 0.5])
