from dataclasses import replace

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.labelling.borrowing import borrow
from support.sensor_shift import Episode, episode


@pytest.fixture
def one_shot() -> Episode:
    return episode(seed=3, C=5, shots=1, per_class=60, signal=1.5)


def fitted(bed: Episode, **settings: object) -> Bideta:
    return Bideta(**{**presets.CLASSIFICATION, **settings}).fit(bed.support, bed.labels)


def test_one_shot_gains_on_classes_with_loud_nuisance(one_shot):
    """The bed's classes are stretched along two directions that one contact per class cannot show."""
    gains = []
    for seed in range(6):
        bed = episode(seed=seed, C=5, shots=1, per_class=60, signal=1.5)
        adapted = fitted(bed)
        taught = borrow(adapted, bed.queries)
        right = [(model.predict(bed.queries) == bed.truth).mean() for model in (adapted, taught)]
        gains.append(right[1] - right[0])
    assert np.mean(gains) > 0.1


def test_the_adapted_sensor_stays_as_it_is(one_shot):
    adapted = fitted(one_shot)
    before = adapted.predict_proba(one_shot.queries)
    borrow(adapted, one_shot.queries)
    np.testing.assert_array_equal(adapted.predict_proba(one_shot.queries), before)


def test_no_rounds_change_nothing(one_shot):
    adapted = fitted(one_shot)
    same = borrow(adapted, one_shot.queries, spread_rounds=0, mean_rounds=0)
    np.testing.assert_array_equal(
        same.predict_proba(one_shot.queries), adapted.predict_proba(one_shot.queries)
    )


def test_order_of_the_unlabelled_contacts_does_not_matter(one_shot):
    adapted = fitted(one_shot)
    order = np.random.default_rng(0).permutation(len(one_shot.truth))
    mixed = tuple(H[order] for H in one_shot.queries)
    P = borrow(adapted, one_shot.queries).predict_proba(one_shot.queries)
    np.testing.assert_allclose(borrow(adapted, mixed).predict_proba(mixed), P[order], atol=1e-6)


def test_what_was_borrowed_is_saved(one_shot, tmp_path):
    taught = borrow(fitted(one_shot), one_shot.queries)
    taught.save(tmp_path / "hex.bideta")
    loaded = Bideta.load(tmp_path / "hex.bideta")
    np.testing.assert_allclose(
        loaded.predict_proba(one_shot.queries), taught.predict_proba(one_shot.queries), atol=1e-12
    )


def test_labelled_contacts_in_the_graph_follow_the_new_geometry(one_shot):
    taught = borrow(fitted(one_shot, support_nodes=True), one_shot.queries)
    before = taught.predict_proba(one_shot.queries)
    anew = replace(taught.sensor_, nodes=None).infer(one_shot.queries)  # made again from the readouts
    np.testing.assert_array_equal(before, anew.proba)


def test_one_readout_and_one_unlabelled_contact_are_enough(one_shot):
    adapted = Bideta().fit(one_shot.support[0], one_shot.labels)
    alone = one_shot.queries[0][:1]
    assert np.isfinite(borrow(adapted, alone).predict_proba(alone)).all()


def test_copies_of_the_support_leave_no_spread_and_still_answer(one_shot):
    adapted = fitted(one_shot)
    copies = tuple(np.repeat(H, 4, axis=0) for H in one_shot.support)
    P = borrow(adapted, copies).predict_proba(copies)
    assert (P.argmax(axis=1) == np.repeat(one_shot.labels, 4)).all()


@pytest.mark.parametrize(("shots", "rounds"), [(3, 3), (4, 0)])
def test_class_means_wait_only_where_labels_are_few(shots, rounds):
    bed = episode(seed=0, C=3, shots=shots)
    adapted = fitted(bed)
    expected = borrow(adapted, bed.queries, spread_rounds=rounds).predict_proba(bed.queries)
    np.testing.assert_array_equal(borrow(adapted, bed.queries).predict_proba(bed.queries), expected)


def test_an_estimated_prior_sorts_as_the_support_and_stays_estimated(one_shot):
    taught = borrow(fitted(one_shot, prior="auto"), one_shot.queries)
    sorted_by_support = borrow(fitted(one_shot), one_shot.queries)
    assert taught.prior == "auto"
    for found, expected in zip(taught.sensor_.readouts, sorted_by_support.sensor_.readouts, strict=True):
        np.testing.assert_array_equal(found.memory.coefficients, expected.memory.coefficients)


def test_negative_rounds_are_refused(one_shot):
    with pytest.raises(ValueError, match="mean_rounds"):
        borrow(fitted(one_shot), one_shot.queries, mean_rounds=-1)
