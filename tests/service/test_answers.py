from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.trust.hidden_support import JOINT, hold_out
from bideta.deploy.trust.reliability import reliability
from bideta.images.looks import sketches
from bideta.service.answers import COLUMNS, COMPANY, answer, hide_among, joins_batch
from support.sensor_shift import episode


def contacts(n, seed, classes=4, widths=(6, 5)):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % classes
    return tuple(
        (2.5 * np.eye(classes, d)[labels] + rng.normal(size=(n, d))).astype(np.float32) for d in widths
    ), np.array(["bolt", "coin", "key", "nut"])[labels]


@pytest.fixture(scope="module")
def adapted():
    return Bideta(**presets.ROBOT).fit(*contacts(24, 0))


@pytest.mark.parametrize("m", [1, 5, JOINT, 90])
def test_rows_say_what_the_sensor_says(adapted, m):
    queries = contacts(m, 1)[0]
    answers = answer(adapted, queries)
    rows = answers.rows()
    ranking = adapted.rank(queries)
    assert [tuple(row) for row in rows] == [COLUMNS] * m
    assert [row["label"] for row in rows] == ranking[:, 0].tolist()
    assert [row["second_choice"] for row in rows] == ranking[:, 1].tolist()
    assert [row["probability"] for row in rows] == adapted.predict_proba(queries).max(axis=1).tolist()
    expected = reliability(adapted, adapted.infer(queries), queries, hold_out(adapted, queries))
    assert [row["reliability"] for row in rows] == expected.tolist()
    assert answers.classes == ["bolt", "coin", "key", "nut"]
    assert np.array(answers.classes)[answers.order].tolist() == ranking.tolist()


def test_columns_are_the_rows_as_text(adapted):
    answers = answer(adapted, contacts(7, 2)[0])
    columns = answers.columns()
    assert list(columns) == list(COLUMNS)
    for i, row in enumerate(answers.rows()):
        assert columns["label"][i] == row["label"]
        assert columns["probability"][i] == f"{row['probability']:.6f}"
        assert columns["reliability"][i] == f"{row['reliability']:.6f}"


def test_one_class_has_no_second_choice():
    adapted = Bideta().fit(*contacts(3, 0, classes=1))
    assert answer(adapted, contacts(2, 1, classes=1)[0]).columns()["second_choice"] == ["", ""]


def test_one_readout_is_answered_too():
    support, labels = contacts(24, 0, widths=(6,))
    adapted = Bideta().fit(support, labels)
    assert len(answer(adapted, contacts(9, 1, widths=(6,))[0]).rows()) == 9


def test_what_is_given_as_hidden_is_not_computed_again(adapted):
    first, second = contacts(5, 3)[0], contacts(5, 4)[0]
    assert not joins_batch(5)
    hidden = hide_among(adapted, first)
    assert answer(adapted, second, hidden).hidden is hidden
    np.testing.assert_array_equal(
        answer(adapted, second, hidden).intervals.value, answer(adapted, second).intervals.value
    )


def test_labelled_contacts_hide_among_a_part_of_a_large_batch(adapted, monkeypatch):
    monkeypatch.setattr("bideta.service.answers.COMPANY", 100)
    assert COMPANY > 100
    assert hide_among(adapted, contacts(300, 5)[0]).queries.shape[1] == 100


def test_a_foreign_batch_is_answered_without_a_reliability():
    support, labels = contacts(24, 0)
    rng = np.random.default_rng(0)
    own, other = (sketches(rng.integers(low, low + 20, (24, 24, 32, 3), dtype=np.uint8)) for low in (90, 200))
    adapted = Bideta(**presets.ROBOT).fit(support, labels, sketches=own)
    queries = contacts(24, 1)[0]
    fine, foreign = (answer(adapted, queries, sketches=some) for some in (own, other))
    assert fine.check.level == "fine"
    assert foreign.check.level == "foreign"
    assert [row["label"] for row in fine.rows()] == [row["label"] for row in foreign.rows()]
    assert {row["reliability"] for row in foreign.rows()} == {None}
    assert set(foreign.columns()["reliability"] + foreign.columns()["reliability_lower"]) == {""}


def test_without_pictures_far_readouts_are_noticed(adapted):
    queries = contacts(24, 1)[0]
    assert answer(adapted, queries).check.level == "fine"
    assert answer(adapted, tuple(100 + 100 * H for H in queries)).check.level == "foreign"


def test_one_press_of_a_class_says_nothing_about_reliability():
    adapted = Bideta(**presets.ROBOT).fit(*contacts(4, 0))
    assert {row["reliability"] for row in answer(adapted, contacts(9, 1)[0]).rows()} == {None}


def test_strangers_get_no_reliability_as_frames_or_as_presses():
    e = episode(C=8, shots=10, signal=1.5)
    known, strange = e.labels < 4, e.truth >= 4
    adapted = Bideta().fit(tuple(S[known] for S in e.support), e.labels[known])
    answers = answer(adapted, tuple(Q[strange] for Q in e.queries))
    _, pressed = answers.by_press(np.arange(strange.sum()) // 4)
    for some in (answers, pressed):
        assert some.check.kind == "strangers"
        assert {row["reliability"] for row in some.rows()} == {None}
    assert answer(adapted, tuple(Q[~strange] for Q in e.queries)).check.level == "fine"


def test_single_foreign_pictures_have_no_reliability_and_do_not_count_in_their_press():
    support, labels = contacts(24, 0)
    rng = np.random.default_rng(0)
    own = rng.integers(90, 110, (24, 24, 32, 3), dtype=np.uint8)
    adapted = Bideta(**presets.ROBOT).fit(support, labels, sketches=sketches(own))
    mixed = rng.integers(90, 110, (24, 24, 32, 3), dtype=np.uint8)
    mixed[[1, 2, 12, 13, 14, 15]] = rng.integers(200, 220, (6, 24, 32, 3), dtype=np.uint8)
    answers = answer(adapted, contacts(24, 1)[0], sketches=sketches(mixed))
    assert answers.check.odd == (1, 2, 12, 13, 14, 15)
    assert [i for i, row in enumerate(answers.rows()) if row["reliability"] is None] == [*answers.check.odd]
    _, pressed = answers.by_press(np.arange(24) // 4)
    assert [row["reliability"] is None for row in pressed.rows()] == [False, False, False, True, False, False]
    first = np.mean([answers.intervals.value[i] for i in (0, 3)])
    assert pressed.rows()[0]["reliability"] == pytest.approx(first)
