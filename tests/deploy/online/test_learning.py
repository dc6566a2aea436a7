"""A stream learns as a fit would: corrections, new classes, bounded support."""

from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.online import OnlineBideta
from bideta.extensions import class_prior
from bideta.extensions.batch import Batch
from support.sensor_shift import episode
from support.streams import NAMES, revised, row, stream


def fitted_again(adapted: Bideta) -> Bideta:
    sensor = adapted.sensor_
    return Bideta(**adapted.get_params()).fit(sensor.support, sensor.classes[sensor.labels])


def assert_same_sensor(one: Bideta, other: Bideta, queries) -> None:
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.classes_.dtype == other.classes_.dtype
    np.testing.assert_array_equal(one.sensor_.labels, other.sensor_.labels)
    first, second = one.infer(queries), other.infer(queries)
    np.testing.assert_allclose(first.anchor, second.anchor, atol=1e-9)
    np.testing.assert_allclose(first.proba, second.proba, atol=1e-9)


@pytest.mark.parametrize("shots", [1, 6])
def test_learning_equals_a_fit_on_the_concatenated_support(settings, shots):
    found = episode(per_class=16, shots=shots)
    names, truth = NAMES[found.labels], NAMES[found.truth]
    order = np.random.default_rng(0).permutation(80)
    asked = tuple(H[order[40:]] for H in found.queries)
    online = OnlineBideta(Bideta(**settings).fit(found.support, names))
    stream(online, asked, range(20))
    for count, i in enumerate(order[:40]):
        online.learn_one(row(found.queries, i), truth[i])
        if count in (0, 1, 13, 39):
            learned = order[: count + 1]
            support = tuple(
                np.vstack([S, H[learned]]) for S, H in zip(found.support, found.queries, strict=True)
            )
            expected = Bideta(**settings).fit(support, np.r_[names, truth[learned]])
            assert_same_sensor(online.current(), expected, asked)
            online.predict_one(row(asked, len(online.revise())))
            seen = expected.predict_proba(tuple(H[: len(online.revise())] for H in asked))
            np.testing.assert_allclose(revised(online), seen, atol=1e-9)


@pytest.mark.parametrize("name", ["a name longer than the others", "zinc", "beam"])
def test_a_label_not_seen_before_enrols_a_class(contacts, name):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(n_neighbors=15).fit(support, names))
    stream(online, queries, range(20))
    for i in (40, 50):
        online.learn_one(row(queries, i), name)
    assert name in online.current().classes_
    assert_same_sensor(online.current(), fitted_again(online.current()), queries)
    answer = online.predict_one(row(queries, 20))
    assert answer.proba.shape == (6,)
    batch = online.current().predict_proba(tuple(H[:21] for H in queries))
    np.testing.assert_allclose(revised(online), batch, atol=1e-9)


def test_a_contact_that_is_taught_again_takes_the_new_label(settings):
    found = episode(per_class=16, shots=4)
    names, truth = NAMES[found.labels], NAMES[found.truth]
    online = OnlineBideta(Bideta(**settings).fit(found.support, names))
    stream(online, found.queries, range(20))
    for i, said in (
        (3, "zinc"),
        (25, truth[25]),
        (40, NAMES[0]),
        (3, truth[3]),
        (40, truth[40]),
        (25, truth[25]),
    ):
        online.learn_one(row(found.queries, i), said)
    learned = [3, 40, 25]  # in the order in which they were last taught
    support = tuple(np.vstack([S, H[learned]]) for S, H in zip(found.support, found.queries, strict=True))
    expected = Bideta(**settings).fit(support, np.r_[names, truth[learned]])
    others = tuple(H[50:] for H in found.queries)  # a contact is as near to others as its labelled copy: ties
    assert "zinc" not in online.current().classes_
    assert_same_sensor(online.current(), expected, others)
    answer = next(answer for answer in online.revise() if answer.index == 3)
    assert answer.label == truth[3]


@pytest.mark.parametrize("label", [None, "", "  "])
def test_a_label_that_names_nothing_is_refused(contacts, label):
    support, names, queries = contacts
    online = OnlineBideta(Bideta().fit(support, names))
    with pytest.raises(ValueError, match="expected the name of a class"):
        online.learn_one(row(queries, 0), label)
    assert len(online.current().sensor_.labels) == len(names)


def test_a_prior_of_numbers_keeps_its_classes(contacts):
    support, names, _ = contacts
    alone = np.append(np.flatnonzero(names != names[0]), 0)
    few = tuple(H[alone] for H in support)
    classes = len(np.unique(names))
    online = OnlineBideta(Bideta(prior=np.full(classes, 1 / classes)).fit(few, names[alone]))
    other = str(names[names != names[0]][0])
    with pytest.raises(ValueError, match="leaves a class without contacts and prior= has"):
        online.learn_one(row(support, 0), other)


@pytest.mark.parametrize("name", ["bolt", "key", "beam"])
def test_a_contact_whose_label_was_learned_counts_as_that_from_then_on(contacts, name):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(**presets.ROBOT).fit(support, names), window=30, reservoir=0)
    stream(online, queries, range(30))
    online.learn_one(row(queries, 4), name)
    online.learn_one(row(queries, 9), "aaa")  # enrolled before all others: indices move
    answers, adapted = online.revise(), online.current()
    sensor = adapted.sensor_
    for i, label in ((4, name), (9, "aaa")):
        assert answers[i].label == label
        assert answers[i].proba.max() == 1
    window = tuple(H[:30] for H in queries)
    scores = [readout.scores(H) for readout, H in zip(sensor.readouts, window, strict=True)]
    for ell in scores:
        for i, label in ((4, name), (9, "aaa")):
            ell[i] = np.where(sensor.classes == label, 0.0, -np.inf)
    G = adapted.infer(window)
    labelled = G.support_graph @ np.eye(len(sensor.classes))[sensor.labels]
    batch = Batch(scores, G.graph, labelled)
    expected = class_prior.settle(batch, sensor.settings, sensor.class_prior).proba
    others = np.setdiff1d(np.arange(30), (4, 9))
    np.testing.assert_allclose(revised(online)[others], expected[others], atol=1e-9)
    stream(online, queries, range(30, 60))  # other contacts take the slots
    np.testing.assert_allclose(
        revised(online), online.current().predict_proba(tuple(H[30:] for H in queries)), atol=1e-9
    )


def test_corrections_after_a_long_hold_are_heard_at_once():
    found = episode(C=8, shots=4, per_class=60, signal=0.7)
    online = OnlineBideta(Bideta(**presets.ROBOT).fit(found.support, found.labels))
    wrong = np.zeros(3, int)
    for c in range(3):
        for i in np.flatnonzero(found.truth == c):
            if online.predict_one(row(found.queries, i)).label != c:
                wrong[c] += 1
                online.learn_one(row(found.queries, i), c)
    assert (wrong < 20).all(), wrong


def test_a_new_class_is_refused_where_the_prior_names_the_known_ones(contacts):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(prior=np.full(5, 0.2)).fit(support, names))
    online.learn_one(row(queries, 0), "bolt")
    with pytest.raises(ValueError, match="label 'gear' is new and prior= has 5 numbers"):
        online.learn_one(row(queries, 0), "gear")
    assert len(online.current().sensor_.labels) == len(names) + 1
    assert_same_sensor(online.current(), fitted_again(online.current()), queries)


def test_the_support_of_a_class_is_bounded_and_the_oldest_contact_leaves(contacts):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(n_neighbors=15).fit(support, names), max_support=6)
    for i in range(20):
        online.learn_one(row(queries, i), "key")
    adapted = online.current()
    assert np.bincount(adapted.sensor_.labels).tolist() == [6] * 5
    np.testing.assert_array_equal(adapted.sensor_.support[0][-6:], queries[0][14:20])
    assert_same_sensor(adapted, fitted_again(adapted), queries)


def test_learning_leaves_the_sensor_that_was_given_alone(contacts, tmp_path):
    support, names, queries = contacts
    adapted = Bideta(n_neighbors=15).fit(support, names)
    before = adapted.predict_proba(queries)
    online = OnlineBideta(adapted)
    online.learn_one(row(queries, 0), "coin")
    learned = online.current()
    then = learned.predict_proba(queries)
    online.learn_one(row(queries, 1), "gear")
    np.testing.assert_array_equal(adapted.predict_proba(queries), before)
    np.testing.assert_array_equal(learned.predict_proba(queries), then)
    online.current().save(tmp_path / "sensor.bideta")
    loaded = Bideta.load(tmp_path / "sensor.bideta")
    np.testing.assert_allclose(
        loaded.predict_proba(queries), online.current().predict_proba(queries), atol=1e-12
    )


def test_a_saved_sensor_goes_on_learning(contacts, tmp_path):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(n_neighbors=15).fit(support, names))
    online.learn_one(row(queries, 0), "coin")
    online.current().save(tmp_path / "sensor.bideta")
    again = OnlineBideta(Bideta.load(tmp_path / "sensor.bideta"))
    again.learn_one(row(queries, 1), "key")
    assert_same_sensor(again.current(), fitted_again(again.current()), queries)
