from __future__ import annotations

from dataclasses import replace

import numpy as np

from bideta import Bideta
from bideta.deploy import check_strangers, hold_out, reliability_intervals
from bideta.deploy.trust import strangers
from bideta.deploy.trust.strangers import STRANGERS, excess, limit_for
from bideta.images.batch_check import BatchCheck
from support.sensor_shift import episode

SEEDS = range(5)


def met(seed, shots=10, enrolled=4, classes=8):
    """An adapted sensor; queries of enrolled classes, queries of others."""
    e = episode(seed, C=classes, shots=shots, per_class=20, signal=1.5)
    known, asked = e.labels < enrolled, e.truth < enrolled
    adapted = Bideta().fit(tuple(S[known] for S in e.support), e.labels[known])
    return adapted, tuple(Q[asked] for Q in e.queries), tuple(Q[~asked] for Q in e.queries)


def look(adapted, X):
    return check_strangers(adapted, adapted.infer(X), X)


def test_enrolled_objects_are_fine_and_strangers_are_called():
    for seed in SEEDS:
        adapted, known, strange = met(seed)
        assert look(adapted, known).level == "fine"
        found = look(adapted, strange)
        assert (found.level, found.kind, found.withheld) == ("shifted", STRANGERS, True)
        assert found.distance > found.limit
        assert "never enrolled" in found.warning
        assert "another day" in found.warning  # it cannot be told from that, and says so


def test_half_strangers_are_called_in_a_large_batch():
    called = []
    for seed in SEEDS:
        adapted, known, strange = met(seed)
        called.append(
            look(adapted, tuple(np.concatenate(pair) for pair in zip(known, strange, strict=True))).kind
        )
    assert called.count(STRANGERS) >= 4


def test_single_contacts_of_enrolled_objects_are_seldom_called():
    adapted, known, _ = met(0)
    one = tuple(Q[:1] for Q in known)
    held = hold_out(adapted, one)
    called = [
        check_strangers(adapted, adapted.infer(X), X, held).withheld
        for X in (tuple(Q[i : i + 1] for Q in known) for i in range(80))
    ]
    assert np.mean(called) <= 0.03


def test_too_few_hidden_presses_cannot_tell():
    adapted, _, strange = met(0, shots=2)
    assert look(adapted, strange).level == "unknown"
    assert not look(adapted, strange).warning


def test_a_part_of_a_very_large_batch_is_looked_at(monkeypatch):
    adapted, known, strange = met(1)
    monkeypatch.setattr(strangers, "MOST", 30)
    assert look(adapted, known).level == "fine"
    assert look(adapted, strange).kind == STRANGERS


def test_hidden_contacts_are_no_stranger_than_themselves():
    adapted, known, _ = met(2)
    held = hold_out(adapted, known)
    assert excess(held.strangeness, held.strangeness) == 0


def test_less_is_allowed_to_large_batches_and_where_many_presses_were_hidden():
    adapted, known, _ = met(2)
    held = hold_out(adapted, known)
    assert limit_for(100, held) < limit_for(10, held) < limit_for(1, held)
    in_pairs = replace(held, presses=held.presses // 2)
    assert limit_for(1, held) < limit_for(1, in_pairs) + strangers.FEWER


def test_strangers_get_no_reliability_and_the_reason_stands_beside():
    adapted, known, strange = met(3)
    fine, withheld = (reliability_intervals(adapted, adapted.infer(X), X) for X in (known, strange))
    assert fine.known
    assert fine.check.level == "fine"
    assert not withheld.known
    assert withheld.check.kind == STRANGERS


def test_foreign_pictures_come_first_and_shifted_ones_are_told_beside():
    adapted, known, strange = met(3)
    grey, dark = (
        BatchCheck("foreign", "these are grey", "grey"),
        BatchCheck("shifted", "these are dark", "darker"),
    )
    for said, level, X in ((grey, "foreign", strange), (dark, "shifted", strange), (dark, "shifted", known)):
        found = reliability_intervals(adapted, adapted.infer(X), X, check=said)
        assert found.check.level == level
        assert found.check.reason.startswith(said.reason)
        assert ("never enrolled" in found.check.reason) == (said is dark and X is strange)
        assert found.known == (level == "shifted")


def test_a_shifted_batch_that_collapses_to_one_label_has_no_number():
    adapted, known, strange = met(3)
    dark = BatchCheck("shifted", "these are dark", "darker")
    for X, asked, withheld in ((strange, 80, True), (strange, 19, False), (known, 80, False)):
        X = tuple(Q[:asked] for Q in X)
        result = adapted.infer(X)
        # As sure as they were, all of the first class.
        alike = replace(result, proba=-np.sort(-result.proba, axis=1))
        found = reliability_intervals(adapted, alike, X, check=dark)
        assert found.known != withheld
        assert ("nearly all get one label" in found.check.warning) == withheld
        if withheld:
            assert found.check.kind == STRANGERS


def test_a_batch_that_is_no_stranger_than_hidden_contacts_is_never_called():
    adapted, known, _ = met(0)
    held = hold_out(adapted, known)
    two_of_each = replace(
        held, presses=2 * np.unique(held.labels, return_inverse=True)[1] + np.arange(len(held)) % 2
    )
    assert limit_for(10**6, two_of_each) == 0
