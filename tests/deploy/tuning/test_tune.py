import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.tuning import memories
from bideta.deploy.tuning.tune import GRAPH, Tuned, _choose, tune
from bideta.method import memory
from bideta.method.spectrum import class_means, within_class
from support.sensor_shift import Episode, episode


@pytest.fixture(scope="module")
def bed() -> Episode:
    return episode(seed=1, C=4, shots=8, per_class=40)


@pytest.fixture(scope="module")
def tuned(bed) -> Tuned:
    return tune(bed.support, bed.labels, queries=bed.queries)


def chosen(tuned: Tuned) -> dict:
    return {name: value for score in tuned.scores if score.chosen for name, value in score.change.items()}


def test_closed_form_likelihood_is_that_of_refitted_memories(bed):
    y, rho, n = bed.labels, 0.1, len(bed.labels)
    prior = np.bincount(y) / n
    sensor = Bideta(shrinkage=rho).fit(bed.support, y).sensor_
    Z = tuple(readout.standardizer(H) for readout, H in zip(sensor.readouts, bed.support, strict=True))
    support = memories.Support(sensor)
    expected = []
    for i in range(n):
        views = []
        kept = np.arange(n) != i
        counts = np.bincount(y[kept])
        for z in Z:
            means = class_means(z[kept], counts)
            fitted = memory.fit_memory(means, within_class(z[kept], counts, means), prior, rho)
            views.append(memory.posterior(memory.scores(fitted, z[i : i + 1]), 2.0))
        expected.append(np.log(memory.fuse(views, 0.5)[0, y[i]]))
    found = memories.log_likelihood(support.lda(rho), support, 2.0, 0.5)
    # The closed form keeps the shrinkage target μI of the whole support: a thirtieth of it, times ρ.
    np.testing.assert_allclose(found, expected, atol=0.15)
    assert np.corrcoef(found, expected)[0, 1] > 0.999


def test_settings_are_the_preset_but_for_what_was_chosen(tuned):
    assert tuned.settings == {**presets.CLASSIFICATION, **chosen(tuned)}


def test_every_choice_is_better_than_the_preset_by_its_standard_error(tuned):
    assert any(score.chosen for score in tuned.scores)
    assert all(score.gain > score.error for score in tuned.scores if score.chosen)


def test_a_far_too_sure_memory_is_repaired():
    bed = episode(seed=1, C=4, shots=8, signal=0.4)
    cold = {**presets.CLASSIFICATION, "memory_temperature": 0.01}
    assert tune(bed.support, bed.labels, preset=cold).settings["memory_temperature"] > 0.5


def test_far_too_much_shrinkage_is_repaired(bed):
    rough = {**presets.CLASSIFICATION, "shrinkage": 1.0}
    found = tune(bed.support, bed.labels, preset=rough).settings["shrinkage"]
    assert found in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)


def test_a_graph_that_ruins_the_answers_is_left(bed):
    """One neighbour, no anchor to speak of and many steps, in the raw geometry with its loud nuisance directions."""
    ruin = {"geometry": "raw", "n_neighbors": 1, "r_min": 0.99, "r_max": 0.99, "n_iter": 50, "prior": None}
    preset = {**presets.CLASSIFICATION, **ruin}
    before = Bideta(**preset).fit(bed.support, bed.labels)
    after = tune(bed.support, bed.labels, preset=preset, queries=bed.queries)
    right = [
        (model.predict(bed.queries) == bed.truth).mean()
        for model in (before, after.fit(bed.support, bed.labels))
    ]
    assert right[1] > right[0] + 0.1


def test_without_queries_the_graph_keeps_its_settings(bed):
    names = {name for change in GRAPH for name in change}
    compared = {name for score in tune(bed.support, bed.labels).scores for name in score.change}
    assert not names & compared


def test_one_contact_per_class_gives_the_preset_back():
    one = episode(seed=0, shots=1)
    assert tune(one.support, one.labels, queries=one.queries) == Tuned(presets.CLASSIFICATION, ())


def test_one_class_gives_the_preset_back():
    assert tune(np.random.default_rng(0).normal(size=(20, 3)), np.zeros(20)) == Tuned(
        presets.CLASSIFICATION, ()
    )


def test_a_class_with_a_single_contact_is_never_held_out(bed):
    kept = np.r_[0, 8 : len(bed.labels)]
    found = tune(tuple(H[kept] for H in bed.support), bed.labels[kept], queries=bed.queries)
    assert found.fit(bed.support, bed.labels).predict(bed.queries).shape == bed.truth.shape


def test_few_contacts_choose_the_temperature_only():
    few = episode(seed=0, shots=3)
    assert {name for score in tune(few.support, few.labels).scores for name in score.change} == {
        "memory_temperature"
    }


def test_of_equally_good_changes_the_smallest_step_is_taken():
    rng = np.random.default_rng(0)
    own = rng.normal(size=200)
    found = [
        ({"rho": i}, own + gain + 0.3 * rng.normal(size=200)) for i, gain in enumerate((0.51, 0.5, 0.3, 0.5))
    ]
    steps = np.array([3.0, 1.0, 0.1, 2.0])
    scores = []
    assert _choose(found, own, 1.0, scores)[0] in ({"rho": 0}, {"rho": 1}, {"rho": 3})
    assert _choose(found, own, 1.0, scores, steps=steps)[0] == {"rho": 1}  # 2 is nearer, and clearly worse
    assert [score.chosen for score in scores[4:]] == [False, True, False, False]
    assert _choose(found, own, 1.0, scores, margin=0.8, steps=steps)[0] == {}


def test_contacts_that_are_presses_of_their_own_need_no_numbers(bed, tuned):
    presses = 10 * np.arange(len(bed.labels))
    assert tune(bed.support, bed.labels, presses=presses) == tune(bed.support, bed.labels)


def test_near_copies_do_not_vouch_for_each_other(bed):
    """Every contact twice, as neighbouring frames of a press are: to leave one out says that nothing varies."""
    rng = np.random.default_rng(0)
    doubled = tuple(
        np.concatenate([H, H + 1e-3 * H.std(axis=0) * rng.normal(size=H.shape)]) for H in bed.support
    )
    y, presses = np.tile(bed.labels, 2), np.tile(np.arange(len(bed.labels)), 2)
    single, deceived, told = (
        max((s for s in found.scores if "shrinkage" in s.change), key=lambda s: s.gain).change["shrinkage"]
        for found in (tune(bed.support, bed.labels), tune(doubled, y), tune(doubled, y, presses=presses))
    )
    assert deceived < single / 3
    assert told >= single


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"presses": np.zeros(3)}, r"presses has shape \(3,\)"),
        ({"presses": np.zeros(32)}, "presses has one press for every class"),
        ({"preset": "robot"}, "preset is 'robot', expected settings of Bideta"),
        ({"preset": {"foo": 1}}, "preset has foo, which is no setting of Bideta"),
        ({"queries": np.zeros((4, 5))}, "expecting|readouts of"),
        ({"queries": (np.zeros((4, 5)), np.zeros((4, 5)))}, "queries has readouts of"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(bed, options, message):
    with pytest.raises(ValueError, match=message):
        tune(bed.support, bed.labels, **options)


def test_same_seed_gives_the_same_settings(bed, tuned):
    assert tune(bed.support, bed.labels, queries=bed.queries) == tuned
