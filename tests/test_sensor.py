"""The one owner of an adapted sensor: frozen, never stale, and the same after it was on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from functools import cache

import numpy as np
import pytest

from bideta import Bideta, presets, sensor_file
from bideta.deploy import OnlineBideta, tune
from bideta.sensor import Sensor
from support.sensor_shift import episode

NAMES = np.array(["bolt", "coin", "key", "nut", "washer"])
PRIOR = np.array([0.3, 0.3, 0.2, 0.1, 0.1])
DIMS = (12, 18, 7)
BED = episode(per_class=16, dims=DIMS)
ONE_SHOT = episode(seed=3, shots=1, per_class=24, dims=DIMS, signal=1.5)


def fitted(V: int = 2, dtype: type = np.float64, layout=np.array, presses=None, **settings) -> Bideta:
    support = tuple(layout(H.astype(dtype)) for H in BED.support[:V])
    return Bideta(**settings).fit(support, NAMES[BED.labels], presses, origin={"encoder": "made up"})


def joined(V: int, split) -> Bideta:
    return Bideta(split=split).fit(np.hstack(BED.support[:V]), NAMES[BED.labels])


def learned(count: int, label: str | None = None, **settings) -> Bideta:
    online = OnlineBideta(fitted(**settings), window=20)
    for i in range(count):
        contact = tuple(H[5 * i] for H in BED.queries[: settings.get("V", 2)])
        online.predict_one(contact)
        online.learn_one(contact, label or NAMES[BED.truth[5 * i]])
    return online.current()


def another_memory(preset=presets.CLASSIFICATION) -> Bideta:
    """A memory that no fit gives: version 0.1 put logistic regressions there."""
    sensor = Bideta(**preset).fit(BED.support[:2], NAMES[BED.labels]).sensor_
    memories = [replace(r.memory, coefficients=r.memory.coefficients / 3) for r in sensor.readouts]
    readouts = [replace(r, memory=memory) for r, memory in zip(sensor.readouts, memories, strict=True)]
    return Bideta.of(sensor.with_readouts(readouts))


def loaded(adapted: Bideta, folder) -> Bideta:
    adapted.save(folder / "sensor.bideta")
    return Bideta.load(folder / "sensor.bideta")


FRAMES = np.arange(len(BED.labels)) // 2
MADE: dict[str, Callable[[], Bideta]] = {
    "classification": lambda: fitted(**presets.CLASSIFICATION),
    "ranking": lambda: fitted(**presets.RANKING),
    "robot": lambda: fitted(**presets.ROBOT),
    "robot, presses": lambda: fitted(**presets.ROBOT, presses=FRAMES),
    "auto": lambda: fitted(prior="auto"),
    "mixed": lambda: fitted(prior="mixed"),
    "mixed, nodes": lambda: fitted(prior="mixed", support_nodes=True),
    "prior of numbers": lambda: fitted(prior=PRIOR),
    "prior of numbers, nodes": lambda: fitted(prior=PRIOR.tolist(), support_nodes=True),
    "free": lambda: fitted(prior=None),
    "raw": lambda: fitted(geometry="raw", support_nodes=True),
    "no transform": lambda: fitted(gamma=0.0, shrinkage=0.2),
    "one readout": lambda: fitted(V=1),
    "one readout, robot": lambda: fitted(V=1, **presets.ROBOT),
    "three readouts": lambda: fitted(V=3),
    "three readouts, robot": lambda: fitted(V=3, **presets.ROBOT),
    "three readouts, weighed": lambda: fitted(V=3, alpha=np.array([0.2, 0.5, 0.3])),
    "float32": lambda: fitted(dtype=np.float32),
    "float32, robot": lambda: fitted(dtype=np.float32, **presets.ROBOT),
    "three readouts, float32": lambda: fitted(V=3, dtype=np.float32),
    "by columns": lambda: fitted(layout=np.asfortranarray),
    "by columns, robot": lambda: fitted(layout=np.asfortranarray, **presets.ROBOT),
    "by columns, float32": lambda: fitted(layout=np.asfortranarray, dtype=np.float32),
    "split": lambda: joined(2, 12),
    "split twice": lambda: joined(3, [12, 30]),
    "tune": lambda: tune(BED.support[:2], BED.labels).fit(BED.support[:2], NAMES[BED.labels]),
    "tune, three readouts": lambda: tune(BED.support, BED.labels).fit(BED.support, NAMES[BED.labels]),
    "another memory": another_memory,
    "another memory, robot": lambda: another_memory(presets.ROBOT),
    "learned": lambda: learned(3),
    "learned, robot": lambda: learned(3, **presets.ROBOT),
    "learned, float32": lambda: learned(2, dtype=np.float32),
    "learned, a new class": lambda: learned(2, "gear", **presets.ROBOT),
    "learned, three readouts": lambda: learned(2, V=3),
    "of a sensor": lambda: Bideta.of(fitted(**presets.ROBOT).sensor()),
}
make = cache(lambda name: MADE[name]())


def batches(adapted: Bideta) -> dict[str, tuple[np.ndarray, ...]]:
    """Contacts as the sensor reads them: many, of one class, a few, one; and many in float32."""
    bed = ONE_SHOT if len(adapted.sensor_.labels) < len(BED.labels) else BED
    queries = bed.queries[: len(adapted.sensor_.widths)]
    return {
        "many": queries,
        "one class": tuple(H[bed.truth == 1] for H in queries),
        "few": tuple(H[::20] for H in queries),
        "one": tuple(H[:1] for H in queries),
        "float32": tuple(H.astype(np.float32) for H in queries),
    }


@pytest.mark.parametrize("name", MADE)
def test_a_sensor_answers_the_same_to_the_bit_after_it_was_on_disk(name: str, tmp_path) -> None:
    adapted = make(name)
    again = loaded(adapted, tmp_path)
    for contacts in batches(adapted).values():
        before, after = adapted.infer(contacts), again.infer(contacts)
        for part in ("anchor", "ambiguity", "disagreement", "gate", "proba"):
            np.testing.assert_array_equal(getattr(after, part), getattr(before, part))
        np.testing.assert_array_equal(after.views, before.views)
        np.testing.assert_array_equal(after.graph.toarray(), before.graph.toarray())
        np.testing.assert_array_equal(after.prior, before.prior)
        assert after.classes.tolist() == before.classes.tolist()
    for part in fields(adapted.sensor_.settings):
        np.testing.assert_array_equal(
            getattr(again.sensor_.settings, part.name), getattr(adapted.sensor().settings, part.name)
        )
    assert again.sensor_.origin == adapted.sensor_.origin
    np.testing.assert_array_equal(again.sensor_.labels, adapted.sensor_.labels)


@pytest.mark.parametrize("name", ["robot, presses", "learned, a new class", "another memory"])
def test_what_is_made_of_a_loaded_sensor_is_what_is_made_of_the_sensor(name: str, tmp_path) -> None:
    adapted = make(name)
    again = loaded(adapted, tmp_path)
    contacts = batches(adapted)["many"]
    contact = tuple(H[3] for H in contacts)
    answers = []
    for sensor in (adapted, again):
        online = OnlineBideta(sensor, window=8)
        online.predict_one(contact)
        online.learn_one(contact, "key")
        online.predict_one(tuple(H[4] for H in contacts))
        answers.append([answer.proba for answer in online.revise()])
        answers[-1].append(online.current().predict_proba(contacts).ravel())
    for one, other in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "name", ["robot, presses", "another memory, robot", "three readouts, weighed", "learned"]
)
def test_a_file_written_again_is_the_same_file(name: str, tmp_path) -> None:
    adapted = make(name)
    adapted.save(tmp_path / "one.bideta")
    Bideta.load(tmp_path / "one.bideta").save(tmp_path / "two.bideta")
    assert (tmp_path / "one.bideta").read_bytes() == (tmp_path / "two.bideta").read_bytes()


def test_a_sensor_with_other_readouts_keeps_the_temperature_of_its_rule(tmp_path) -> None:
    """The rule was once made anew from the other readouts, and the file kept another one than the sensor used."""
    adapted = make("another memory, robot")
    again = loaded(adapted, tmp_path)
    temperature = make("robot").sensor_.rule.temperature
    assert adapted.sensor_.rule.temperature == temperature == again.sensor_.rule.temperature


def test_a_sensor_is_frozen() -> None:
    sensor = make("robot").sensor_
    for part in fields(Sensor):
        with pytest.raises(FrozenInstanceError):
            setattr(sensor, part.name, None)
    for readout in sensor.readouts:
        with pytest.raises(FrozenInstanceError):
            readout.memory = None
    with pytest.raises(FrozenInstanceError):
        sensor.rule.temperature = 1.0


def parts_of(sensor: Sensor) -> dict[str, object]:
    return {part.name: getattr(sensor, part.name) for part in fields(Sensor)}


@pytest.mark.parametrize("name", ["classification", "robot", "mixed", "prior of numbers"])
def test_other_labelled_contacts_make_the_sensor_that_a_fit_makes(name: str) -> None:
    adapted, contacts = make(name), BED.queries[:2]
    sensor = adapted.sensor_
    before, answers = parts_of(sensor), sensor.infer(contacts).proba
    rows = np.arange(len(BED.labels)) % 6 > 1
    other = sensor.with_support(
        tuple(S[rows] for S in sensor.support), sensor.labels[rows], sensor.presses[rows]
    )
    fresh = Bideta(**adapted.get_params()).fit(
        tuple(S[rows] for S in BED.support[:2]), NAMES[BED.labels[rows]]
    )
    np.testing.assert_array_equal(other.infer(contacts).proba, fresh.predict_proba(contacts))
    assert other.origin == sensor.origin
    if sensor.rule is not None:
        assert other.rule.temperature == fresh.sensor_.rule.temperature
        np.testing.assert_array_equal(other.rule.counts, fresh.sensor_.rule.counts)
    assert all(getattr(sensor, part) is value for part, value in before.items())
    np.testing.assert_array_equal(sensor.infer(contacts).proba, answers)


def test_another_class_needs_its_name() -> None:
    sensor = make("robot").sensor_
    labels = np.where(np.arange(len(sensor.labels)) == 3, 5, sensor.labels)
    other = sensor.with_support(sensor.support, labels, sensor.presses, np.append(sensor.classes, "zinc"))
    result = other.infer(BED.queries[:2])
    assert result.proba.shape[1] == len(result.classes) == 6
    assert sensor.infer(BED.queries[:2]).proba.shape[1] == 5


def test_other_readouts_change_memory_and_nodes_and_nothing_else() -> None:
    sensor, other = make("robot").sensor_, make("another memory, robot").sensor_
    before, answers = parts_of(sensor), sensor.infer(BED.queries[:2]).proba
    flat = fitted(**{**presets.ROBOT, "gamma": 0.0}).sensor_  # another geometry, so other nodes
    for readouts in (other.readouts, flat.readouts):
        changed = sensor.with_readouts(readouts)
        assert changed.readouts == tuple(readouts)
        for part in ("settings", "classes", "support", "labels", "presses", "prior", "rule", "origin"):
            assert getattr(changed, part) is getattr(sensor, part)
        want = replace(changed, nodes=None).infer(BED.queries[:2])  # nodes made again, of the readouts
        np.testing.assert_array_equal(changed.infer(BED.queries[:2]).proba, want.proba)
    assert not np.array_equal(changed.nodes.rows[0], sensor.nodes.rows[0])
    assert all(getattr(sensor, part) is value for part, value in before.items())
    np.testing.assert_array_equal(sensor.infer(BED.queries[:2]).proba, answers)


@pytest.mark.parametrize("name", ["classification", "robot"])
@pytest.mark.parametrize(
    "change",
    [
        {"n_neighbors": 3},
        {"n_neighbors": 60},
        {"geometry": "raw"},
        {"alpha": 0.2, "n_iter": 3},
        {"r_max": 0.8},
    ],
    ids=str,
)
def test_settings_changed_after_the_fit_act_and_leave_the_sensor_alone(name: str, change, tmp_path) -> None:
    adapted = MADE[name]()
    before = parts_of(adapted.sensor_)
    settings = dict(vars(adapted.sensor_.settings))
    usual = adapted.predict_proba(BED.queries[:2])
    got = adapted.set_params(**change).predict_proba(BED.queries[:2])
    fresh = fitted(**{**getattr(presets, name.upper()), **change})
    np.testing.assert_array_equal(got, fresh.predict_proba(BED.queries[:2]))
    assert not np.array_equal(got, usual)
    assert all(getattr(adapted.sensor_, part) is value for part, value in before.items())
    assert vars(adapted.sensor_.settings) == settings
    np.testing.assert_array_equal(adapted.sensor_.infer(BED.queries[:2]).proba, usual)
    np.testing.assert_array_equal(adapted.sensor().infer(BED.queries[:2]).proba, got)
    np.testing.assert_array_equal(loaded(adapted, tmp_path).predict_proba(BED.queries[:2]), got)


@pytest.mark.parametrize("name", ["classification", "robot"])
@pytest.mark.parametrize(
    "change", [{"gamma": 0.0}, {"shrinkage": 0.9}, {"prior": "mixed"}, {"prior": None}], ids=str
)
def test_settings_of_the_fit_wait_for_the_next_fit(name: str, change, tmp_path) -> None:
    adapted = MADE[name]()
    usual = adapted.predict_proba(BED.queries[:2])
    adapted.set_params(**change)
    np.testing.assert_array_equal(adapted.predict_proba(BED.queries[:2]), usual)
    np.testing.assert_array_equal(loaded(adapted, tmp_path).predict_proba(BED.queries[:2]), usual)
    fresh = fitted(**{**getattr(presets, name.upper()), **change})
    again = adapted.fit(BED.support[:2], NAMES[BED.labels])
    np.testing.assert_array_equal(again.predict_proba(BED.queries[:2]), fresh.predict_proba(BED.queries[:2]))


def test_a_change_of_arrays_that_were_given_changes_nothing() -> None:
    support, prior = tuple(H.copy() for H in BED.support[:2]), PRIOR.copy()
    adapted = Bideta(prior=prior).fit(support, NAMES[BED.labels])
    before = adapted.predict_proba(BED.queries[:2])
    support[0][:] = 0
    prior[:] = 0.2
    np.testing.assert_array_equal(adapted.predict_proba(BED.queries[:2]), before)


def test_the_file_and_the_sensor_need_no_estimator(tmp_path) -> None:
    sensor = make("robot, presses").sensor_
    sensor_file.save(sensor, tmp_path / "sensor.bideta")
    again = sensor_file.load(tmp_path / "sensor.bideta")
    assert isinstance(again, Sensor)
    np.testing.assert_array_equal(again.infer(BED.queries[:2]).proba, sensor.infer(BED.queries[:2]).proba)
    np.testing.assert_array_equal(again.presses, sensor.presses)
    assert again.origin == {"encoder": "made up"}
