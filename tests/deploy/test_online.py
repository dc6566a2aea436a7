"""A stream of contacts is answered as the batch would be, and learns as a fit would."""

from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.online import OnlineBideta
from bideta.method import joint, priors

from shift import episode

NAMES = np.array(["bolt", "coin", "key", "nut", "washer"])
SETTINGS = {
    "paper": {"n_neighbors": 15},
    "free": {"n_neighbors": 15, "prior": None},
    "arithmetic": {"n_neighbors": 15, "fusion": "arithmetic"},
    "raw": {"n_neighbors": 15, "geometry": "raw"},
    "anchor": {"n_iter": 0},
    "nodes": {"n_neighbors": 15, "prior": None, "support_nodes": True},
    "nodes and prior": {"n_neighbors": 15, "support_nodes": True, "fusion": "arithmetic"},
    "robot": {**presets.ROBOT, "n_neighbors": 15},
    "mixed": {"n_neighbors": 15, "prior": "mixed"},
    "many": {"n_neighbors": 500, "gamma": 0.0, "alpha": 0.3},
}


def row(views, i):
    return tuple(H[i] for H in views)


def stream(online: OnlineBideta, views, rows) -> list:
    return [online.predict_one(row(views, i)) for i in rows]


def revised(online: OnlineBideta) -> np.ndarray:
    return np.array([answer.proba for answer in online.revise()])


@pytest.fixture(params=SETTINGS.values(), ids=SETTINGS)
def settings(request):
    return request.param


@pytest.fixture
def contacts():
    found = episode(per_class=12)
    order = np.random.default_rng(0).permutation(len(found.truth))
    return found.support, NAMES[found.labels], tuple(H[order] for H in found.queries)


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


def fitted_again(adapted: Bideta) -> Bideta:
    return Bideta(**adapted.get_params()).fit(adapted.support_, adapted.classes_[adapted.support_labels_])


def assert_same_sensor(one: Bideta, other: Bideta, queries) -> None:
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.classes_.dtype == other.classes_.dtype
    np.testing.assert_array_equal(one.support_labels_, other.support_labels_)
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
            assert_same_sensor(online.adapted, expected, asked)
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
    assert name in online.adapted.classes_
    assert_same_sensor(online.adapted, fitted_again(online.adapted), queries)
    answer = online.predict_one(row(queries, 20))
    assert answer.proba.shape == (6,)
    batch = online.adapted.predict_proba(tuple(H[:21] for H in queries))
    np.testing.assert_allclose(revised(online), batch, atol=1e-9)


@pytest.mark.parametrize("name", ["bolt", "key", "beam"])
def test_a_contact_whose_label_was_learned_counts_as_that_from_then_on(contacts, name):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(**presets.ROBOT).fit(support, names), window=30, reservoir=0)
    stream(online, queries, range(30))
    online.learn_one(row(queries, 4), name)
    online.learn_one(row(queries, 9), "aaa")  # enrolled before all others: indices move
    answers, sensor = online.revise(), online.adapted
    for i, label in ((4, name), (9, "aaa")):
        assert answers[i].label == label
        assert answers[i].proba.max() == 1
    window = tuple(H[:30] for H in queries)
    scores = [
        readout.projection(H.dtype).scores(readout.projection(H.dtype).centered(H), H)
        for readout, H in zip(sensor.readouts_, window, strict=True)
    ]
    for ell in scores:
        for i, label in ((4, name), (9, "aaa")):
            ell[i] = np.where(sensor.classes_ == label, 0.0, -np.inf)
    G, prior = sensor.infer(window), sensor.class_prior()
    batch = joint.Batch(
        scores, G.graph, G.support_graph @ np.eye(len(sensor.classes_))[sensor.support_labels_]
    )
    expected = priors.settle(batch, joint.Settings(1.0, 0.5, 0.5, 0.05, 0.7, 0.9, 10), prior).proba
    others = np.setdiff1d(np.arange(30), (4, 9))
    np.testing.assert_allclose(revised(online)[others], expected[others], atol=1e-9)
    stream(online, queries, range(30, 60))  # other contacts take the slots
    np.testing.assert_allclose(
        revised(online), online.adapted.predict_proba(tuple(H[30:] for H in queries)), atol=1e-9
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
    assert len(online.adapted.support_labels_) == len(names) + 1
    assert_same_sensor(online.adapted, fitted_again(online.adapted), queries)


def test_the_support_of_a_class_is_bounded_and_the_oldest_contact_leaves(contacts):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(n_neighbors=15).fit(support, names), max_support=6)
    for i in range(20):
        online.learn_one(row(queries, i), "key")
    adapted = online.adapted
    assert np.bincount(adapted.support_labels_).tolist() == [6] * 5
    np.testing.assert_array_equal(adapted.support_[0][-6:], queries[0][14:20])
    assert_same_sensor(adapted, fitted_again(adapted), queries)


def test_learning_leaves_the_sensor_that_was_given_alone(contacts, tmp_path):
    support, names, queries = contacts
    adapted = Bideta(n_neighbors=15).fit(support, names)
    before = adapted.predict_proba(queries)
    online = OnlineBideta(adapted)
    online.learn_one(row(queries, 0), "coin")
    learned = online.adapted
    then = learned.predict_proba(queries)
    online.learn_one(row(queries, 1), "gear")
    np.testing.assert_array_equal(adapted.predict_proba(queries), before)
    np.testing.assert_array_equal(learned.predict_proba(queries), then)
    online.adapted.save(tmp_path / "sensor.bideta")
    loaded = Bideta.load(tmp_path / "sensor.bideta")
    np.testing.assert_allclose(
        loaded.predict_proba(queries), online.adapted.predict_proba(queries), atol=1e-12
    )


def test_a_saved_sensor_goes_on_learning(contacts, tmp_path):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(n_neighbors=15).fit(support, names))
    online.learn_one(row(queries, 0), "coin")
    online.adapted.save(tmp_path / "sensor.bideta")
    again = OnlineBideta(Bideta.load(tmp_path / "sensor.bideta"))
    again.learn_one(row(queries, 1), "key")
    assert_same_sensor(again.adapted, fitted_again(again.adapted), queries)


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
        (("a", "b"), "expected one contact"),
        ((np.full(12, "x"), np.zeros(18)), "readout 1 of the contact does not hold numbers"),
    ],
    ids=str,
)
def test_a_contact_that_does_not_fit_is_refused_and_changes_nothing(contacts, contact, message):
    support, names, queries = contacts
    online = OnlineBideta(Bideta(n_neighbors=15).fit(support, names), window=16)
    stream(online, queries, range(20))
    before, sensor = revised(online), online.adapted
    for attempt in (online.predict_one, lambda contact: online.learn_one(contact, "coin")):
        with pytest.raises(ValueError, match=message):
            attempt(contact)
    np.testing.assert_array_equal(revised(online), before)
    assert online.adapted is sensor
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
