from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from bideta.extensions import batch as joint
from bideta.extensions.batch import Batch
from bideta.method import recurrence
from bideta.method.settings import Settings

SETTINGS = Settings()


def batch(m: int = 24, C: int = 4, seed: int = 0, labelled: bool = True) -> Batch:
    rng = np.random.default_rng(seed)
    G = rng.random((m, m)) * (rng.random((m, m)) < 0.4) + np.roll(np.eye(m), 1, axis=1)
    G /= G.sum(axis=1, keepdims=True) * (2 if labelled else 1)
    E = rng.dirichlet(np.ones(C), m) / 2 if labelled else None
    return Batch([rng.normal(size=(m, C)) * 3 for _ in range(2)], csr_array(G), E)


def test_without_a_graph_the_anchor_is_the_answer() -> None:
    answers = joint.settle(Batch(batch().scores), SETTINGS, np.full(4, 0.25))
    np.testing.assert_array_equal(answers.proba, answers.anchors.anchor)
    assert not answers.gate.any()
    assert answers.prior is None


def test_labelled_neighbours_are_a_constant_part_of_every_step() -> None:
    b = batch()
    answers = joint.settle(b, SETTINGS, None)
    P = answers.anchors.anchor
    for _ in range(10):
        P = (1 - answers.gate)[:, None] * answers.anchors.anchor + answers.gate[:, None] * (
            b.graph.toarray() @ P + b.labelled
        )
    np.testing.assert_allclose(answers.proba, P, atol=1e-14)
    np.testing.assert_allclose(answers.proba.sum(axis=1), 1)


def test_a_ratio_multiplies_the_class_prior_of_the_memory() -> None:
    b, ratio = batch(), np.array([2.0, 1.0, 0.5, 0.5])
    plain, shifted = joint.settle(b, SETTINGS, None), joint.settle(b, SETTINGS, None, ratio=ratio)
    want = plain.anchors.views[0] * ratio
    np.testing.assert_allclose(shifted.anchors.views[0], want / want.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(joint.settle(b, SETTINGS, None, ratio=np.ones(4)).proba, plain.proba)


def test_reweighted_evidence_keeps_its_mass() -> None:
    E = batch().labelled
    weighed = joint.reweighted(E, np.array([3.0, 1.0, 0.1, 1.0]))
    np.testing.assert_allclose(weighed.sum(axis=1), E.sum(axis=1))
    assert (weighed[:, 0] > E[:, 0]).all()
    assert (weighed[:, 2] < E[:, 2]).all()
    np.testing.assert_array_equal(joint.reweighted(np.zeros((2, 4)), np.ones(4)), np.zeros((2, 4)))


@pytest.mark.parametrize("m", [1, 3])
def test_a_batch_smaller_than_the_number_of_classes_is_not_held(m: int) -> None:
    answers = joint.settle(batch(m=m), SETTINGS, np.full(4, 0.25))
    assert answers.prior is None
    np.testing.assert_array_equal(answers.proba, joint.settle(batch(m=m), SETTINGS, None).proba)


def test_a_held_batch_ends_in_the_prior_step() -> None:
    b, prior = batch(m=200), np.array([0.4, 0.3, 0.2, 0.1])
    answers = joint.settle(b, SETTINGS, prior)
    want = recurrence.recur(answers.anchors.anchor, b.graph, answers.gate, prior, 10, b.labelled)
    np.testing.assert_array_equal(answers.proba, want)
    np.testing.assert_allclose(answers.proba.mean(axis=0), prior, atol=0.02)
