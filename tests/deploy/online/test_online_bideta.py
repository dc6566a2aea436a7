"""A stream of contacts is answered as the batch would be; what does not fit is refused."""

from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.online import OnlineBideta
from support.sensor_shift import episode
from support.streams import NAMES, revised, row, stream


def test_after_the_last_contact_revise_is_the_batch_answer(settings, contacts):
    support, names, queries = contacts
    adapted = Bideta(**settings).fit(support, names)
    online = OnlineBideta(adapted, window=60)
    answers = stream(online, queries, range(60))
    assert [answer.index for answer in answers] == list(range(60))
    np.testing.assert_allclose(revised(online), adapted.predict_proba(queries), atol=1e-9)
    assert [answer.label for answer in online.revise()] == adapted.predict(queries).tolist()


def test_every_answer_is_the_batch_answer_for_the_contacts_so_far(settings, contacts):
    support, names, queries = contacts
    adapted = Bideta(**settings).fit(support, names)
    online = OnlineBideta(adapted)
    for i in range(25):
        answer = online.predict_one(row(queries, i))
        batch = adapted.infer(tuple(H[: i + 1] for H in queries))
        np.testing.assert_allclose(answer.proba, batch.proba[-1], atol=1e-9)
        np.testing.assert_allclose(answer.anchor, batch.anchor[-1], atol=1e-12)
        assert answer.label == NAMES[batch.proba[-1].argmax()]


@pytest.mark.parametrize("reservoir", [0, 8, 23])
def test_a_full_window_is_answered_as_the_batch_of_what_it_holds(settings, contacts, reservoir):
    support, names, queries = contacts
    adapted = Bideta(**settings).fit(support, names)
    online = OnlineBideta(adapted, window=24, reservoir=reservoir)
    for i in range(60):
        online.predict_one(row(queries, i))
        if i % 7 == 0:
            held = [answer.index for answer in online.revise()]
            assert len(held) == min(i + 1, 24)
            assert held == sorted(held)
            batch = adapted.predict_proba(tuple(H[held] for H in queries))
            np.testing.assert_allclose(revised(online), batch, atol=1e-9)


@pytest.mark.parametrize("V", [1, 3, 4])
def test_any_number_of_readouts_gives_the_batch_answer(settings, V):
    found = episode(per_class=6, dims=(12, 18, 7, 9)[:V])
    chosen = {**settings, "alpha": np.full(V, 1 / V)} if V > 2 and settings.get("alpha") else settings
    adapted = Bideta(**chosen).fit(found.support, NAMES[found.labels])
    online = OnlineBideta(adapted, window=20, reservoir=7)
    order = np.random.default_rng(0).permutation(30)
    stream(online, found.queries, order)
    held = order[[answer.index for answer in online.revise()]]
    batch = adapted.predict_proba(tuple(H[held] for H in found.queries))
    np.testing.assert_allclose(revised(online), batch, atol=1e-9)
    online.learn_one(row(found.queries, order[0]), "gear")
    sensor = online.current().sensor_
    again = Bideta(**chosen).fit(sensor.support, sensor.classes[sensor.labels])
    np.testing.assert_allclose(
        online.current().predict_proba(found.queries), again.predict_proba(found.queries), atol=1e-9
    )


@pytest.mark.parametrize("classes", [1, 2, 5])
def test_a_robot_that_holds_few_objects_gets_the_batch_answer(classes):
    found = episode(per_class=40)
    rows = np.flatnonzero(found.truth < classes)
    adapted = Bideta(**presets.ROBOT).fit(found.support, NAMES[found.labels])
    online = OnlineBideta(adapted, window=len(rows))
    for count, i in enumerate(rows, 1):
        answer = online.predict_one(row(found.queries, i))
        if count in (2, 9, 24, len(rows)):
            batch = adapted.predict_proba(tuple(H[rows[:count]] for H in found.queries))
            np.testing.assert_allclose(answer.proba, batch[-1], atol=1e-9)
            np.testing.assert_allclose(revised(online), batch, atol=1e-9)


def test_copies_of_a_contact_are_ordered_as_in_the_batch(contacts):
    support, names, queries = contacts
    rows = np.r_[np.zeros(8, int), np.arange(12), np.ones(8, int), np.zeros(8, int)]
    copies = tuple(H[rows] for H in queries)
    adapted = Bideta(n_neighbors=5).fit(support, names)
    online = OnlineBideta(adapted, window=20, reservoir=0)
    stream(online, copies, range(len(rows)))
    np.testing.assert_allclose(
        revised(online), adapted.predict_proba(tuple(H[-20:] for H in copies)), atol=1e-9
    )


def test_float32_contacts_give_the_batch_answer_to_the_precision_of_float32(contacts):
    support, names, queries = contacts
    support, queries = (tuple(H.astype(np.float32) for H in views) for views in (support, queries))
    adapted = Bideta(n_neighbors=15).fit(support, names)
    online = OnlineBideta(adapted)
    stream(online, queries, range(60))
    np.testing.assert_allclose(revised(online), adapted.predict_proba(queries), atol=1e-5)


def test_one_readout_and_a_split_array_work_too(contacts):
    support, names, queries = contacts
    joined, asked = np.hstack(support), np.hstack(queries)
    for split in (None, support[0].shape[1]):
        adapted = Bideta(split=split, n_neighbors=15).fit(joined, names)
        online = OnlineBideta(adapted)
        for h in asked:
            online.predict_one(h)
        np.testing.assert_allclose(revised(online), adapted.predict_proba(asked), atol=1e-9)
    alone = Bideta(n_neighbors=15).fit((support[0],), names)
    online = OnlineBideta(alone)
    for h in queries[0]:
        online.predict_one((h,))
    np.testing.assert_allclose(revised(online), alone.predict_proba((queries[0],)), atol=1e-9)


@pytest.mark.parametrize(
    ("contact", "message"),
    [
        ((np.full(12, np.nan), np.zeros(18)), "readout 1 of the contact contains NaN"),
        ((np.zeros(12), np.full(18, np.inf)), "readout 2 of the contact contains NaN or infinity"),
        (
            (np.zeros(12), np.zeros(17)),
            r"readouts of \[12, 17\] features, the sensor was adapted with \[12, 18\]",
        ),
        (
            (np.zeros((2, 12)), np.zeros((2, 18))),
            r"readout 1 of the contact has shape \(2, 12\): expected one contact",
        ),
        ((np.zeros(12),), r"readouts of \[12\] features"),
        (np.zeros(30), r"readouts of \[30\] features"),
        ((np.zeros(12), np.zeros(18), np.zeros(3)), r"readouts of \[12, 18, 3\] features"),
        (np.float64(3.0), "expected one contact"),
        (("a", "b"), "readout 1 of the contact does not hold numbers"),
        ((np.full(12, "x"), np.zeros(18)), "readout 1 of the contact does not hold numbers"),
    ],
    ids=str,
)
def test_a_contact_that_does_not_fit_is_refused_and_changes_nothing(contacts, contact, message):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(n_neighbors=15).fit(support, names), window=16)
    stream(online, queries, range(20))
    before, sensor = revised(online), online.current()
    for attempt in (online.predict_one, lambda contact: online.learn_one(contact, "coin")):
        with pytest.raises(ValueError, match=message):
            attempt(contact)
    np.testing.assert_array_equal(revised(online), before)
    assert online.current() is sensor
    assert online.predict_one(row(queries, 20)).index == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"window": 0}, "window=0: expected an integer >= 1"),
        ({"window": 8, "reservoir": 8}, "reservoir=8: expected an integer >= 0 and < 8, or None"),
        ({"max_support": 3}, "max_support=3: expected an integer >= 6.*already has 6 labelled contacts"),
    ],
    ids=str,
)
def test_wrong_settings_are_named(contacts, arguments, message):
    support, names, _ = contacts
    with pytest.raises(ValueError, match=message):
        OnlineBideta(Bideta().fit(support, names), **arguments)


def tables(graphs):
    """Shapes of everything that could grow."""
    return {
        name: [array.shape for array in value]
        for name, value in vars(graphs).items()
        if isinstance(value, tuple | np.ndarray) and name != "tie"
    }


def test_memory_is_bounded(contacts):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(n_neighbors=5).fit(support, names), window=16)
    stream(online, queries, range(16))
    state = online._state
    sizes = tables(state.graphs)
    stream(online, queries, [*range(16, 60)] * 3)
    assert online._state is state
    assert tables(state.graphs) == sizes
    assert len(online.revise()) == 16
    assert online.revise()[-1].index == 16 + 3 * 44 - 1
