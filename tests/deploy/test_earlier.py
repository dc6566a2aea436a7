from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy import OnlineBideta, keep_earlier
from bideta.deploy.folds import hidden_folds

NAMES = np.array(["bolt", "coin", "key", "nut"])
MEANS = np.random.default_rng(5).normal(size=(4, 10)) * 1.2


def contacts(
    n: int, seed: int, means: np.ndarray = MEANS
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(4), n)
    h1, h2 = (means[y] + rng.normal(size=(4 * n, 10)) for _ in range(2))
    return (h1, h2), NAMES[y]


def adapted(n: int, seed: int, means: np.ndarray = MEANS) -> Bideta:
    return Bideta(**presets.TOUCH).fit(*contacts(n, seed, means))


def test_labels_of_the_same_gel_are_all_kept_and_help() -> None:
    new, old = adapted(2, 1), adapted(12, 2)
    kept = keep_earlier(new, old, name="old.bideta")
    X, truth = contacts(50, 3)
    assert kept.share == 1
    assert kept.contacts == 48
    with_them, without = (np.exp(kept.evidence[share] / 8) for share in (1, 0))
    assert f"a probability of {with_them:.0%} with them, {without:.0%} without" in str(kept)
    assert (kept.adapted.predict(X) == truth).mean() > (new.predict(X) == truth).mean()


def test_all_together_is_the_fit_on_both() -> None:
    new, old = adapted(2, 1), adapted(12, 2)
    kept = keep_earlier(new, old)
    (a, y), (b, z) = contacts(12, 2), contacts(2, 1)
    both = Bideta(**presets.TOUCH).fit(
        tuple(np.concatenate(pair) for pair in zip(a, b, strict=True)), np.concatenate([y, z])
    )
    X = contacts(20, 3)[0]
    np.testing.assert_allclose(kept.adapted.predict_proba(X), both.predict_proba(X), atol=1e-12)


def test_labels_that_mislead_are_refused_and_nothing_changes() -> None:
    new, old = adapted(4, 1), adapted(12, 2, MEANS[[1, 2, 3, 0]])
    kept = keep_earlier(new, old)
    X = contacts(20, 3)[0]
    assert kept.contacts == 0
    assert "no earlier contacts kept" in str(kept)
    np.testing.assert_array_equal(kept.adapted.predict_proba(X), new.predict_proba(X))


def test_one_label_of_each_class_can_speak_for_the_earlier_ones() -> None:
    assert keep_earlier(adapted(1, 1, 3 * MEANS), adapted(12, 2, 3 * MEANS)).share == 1


def test_a_class_that_only_the_earlier_sensor_knows_is_kept() -> None:
    X, y = contacts(4, 1, 3 * MEANS)  # so easy that nothing can be gained
    some = y != "key"
    new = Bideta(**presets.TOUCH).fit(tuple(H[some] for H in X), y[some])
    kept = keep_earlier(new, adapted(12, 2, 3 * MEANS))
    assert kept.adapted.classes_.tolist() == NAMES.tolist()


def seen(n: int, seed: int, names: list[str], colour: float) -> Bideta:
    """Adapted to contacts whose pictures have this mean colour."""
    X, y = contacts(n, seed)
    rng = np.random.default_rng(seed)
    looks = np.hstack([colour + rng.normal(size=(len(y), 432)), np.full((len(y), 3), 9.0)])
    labels = np.array(names)[np.repeat(np.arange(4), n)]
    return Bideta(**presets.TOUCH).fit(X, labels, sketches=looks)


def test_of_another_sensor_nothing_is_kept_in_doubt() -> None:
    new = seen(1, 1, ["a", "b", "c", "d"], 100)
    kept = keep_earlier(new, seen(12, 2, ["e", "f", "g", "h"], 130))
    assert kept.another_sensor
    assert (kept.contacts, kept.common, kept.only_earlier) == (0, (), ("e", "f", "g", "h"))
    X = contacts(20, 3)[0]
    np.testing.assert_array_equal(kept.adapted.predict_proba(X), new.predict_proba(X))
    kept = keep_earlier(new, seen(12, 2, ["e", "f", "g", "h"], 103))  # as far as another gel may be
    assert (kept.share, kept.another_sensor, kept.spoken_for) == (1, False, False)


def test_labels_that_speak_for_another_sensor_are_heard() -> None:
    names = NAMES.tolist()
    kept = keep_earlier(seen(2, 1, names, 100), seen(12, 2, names, 130))
    assert (kept.share, kept.another_sensor, kept.spoken_for) == (1, True, True)
    assert (kept.common, kept.only_earlier) == (tuple(names), ())


def test_without_a_margin_all_is_kept_unasked() -> None:
    old = Bideta(**presets.TOUCH).fit(contacts(12, 2, MEANS[[1, 2, 3, 0]])[0], np.repeat([*"stuv"], 12))
    assert keep_earlier(adapted(4, 1), old).share == 0
    assert keep_earlier(adapted(4, 1), old, margin=-np.inf).share == 1


def test_the_file_says_where_labels_came_from(tmp_path: Path) -> None:
    kept = keep_earlier(adapted(2, 1), adapted(12, 2), name="old.bideta")
    kept.adapted.save(tmp_path / "new.bideta")
    again = Bideta.load(tmp_path / "new.bideta")
    told = again.sensor_.origin["labels"]
    assert (told["from"], told["share"], told["earlier_contacts"], told["new_contacts"]) == (
        "old.bideta",
        1,
        48,
        8,
    )
    assert again.sensor_.earlier == 48
    X = contacts(5, 3)[0]
    np.testing.assert_array_equal(again.predict_proba(X), kept.adapted.predict_proba(X))


def test_promises_are_measured_on_the_new_labels_alone() -> None:
    sensor = keep_earlier(adapted(2, 1), adapted(12, 2)).adapted.sensor()
    hidden = np.concatenate([rows for rows, _ in hidden_folds(sensor)])
    assert sorted(hidden.tolist()) == list(range(48, 56))


def test_a_stream_remembers_which_contacts_are_earlier_ones() -> None:
    online = OnlineBideta(keep_earlier(adapted(2, 1), adapted(12, 2)).adapted, max_support=14)
    X = contacts(1, 9)[0]
    online.learn_one((X[0][0], X[1][0]), "bolt")  # the oldest bolt makes room
    assert online.current().sensor_.earlier == 47


def test_every_fit_is_counted() -> None:
    seen: list[tuple[int, int]] = []
    keep_earlier(adapted(3, 1), adapted(3, 2), folds=3, step=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 18) for i in range(1, 19)]  # 3 shares, 2 deals into 3 folds


def test_other_readouts_are_refused() -> None:
    X, y = contacts(3, 1)
    with pytest.raises(ValueError, match="same encoder"):
        keep_earlier(Bideta().fit((X[0][:, :5], X[1]), y), adapted(3, 2))


def test_shares_without_a_start_anew_are_refused() -> None:
    with pytest.raises(ValueError, match="0 among them"):
        keep_earlier(adapted(2, 1), adapted(3, 2), shares=(1.0,))
