"""Frames of one press, told in the fit: whatever is measured on held-out contacts leaves them out together."""

import dataclasses

import numpy as np
import pytest

from bideta import Bideta, presets
from bideta.deploy.online import OnlineBideta
from bideta.deploy.trust.calibration import calibrate
from bideta.deploy.trust.hidden_support import hold_out
from bideta.deploy.trust.label_sets import conformal_sets
from bideta.deploy.trust.novelty import _score, find_unknown
from bideta.deploy.trust.reliability import least_risk, risk_threshold, upper_bound
from bideta.deploy.tuning.tune import tune


def frames(of_class=4, each=5, classes=3, d=12, seed=0):
    """Readouts, labels and presses of frames that hardly differ within a press; presses of a class differ a lot."""
    rng = np.random.default_rng(seed)
    y = np.arange(classes).repeat(of_class * each)
    presses = np.arange(classes * of_class).repeat(each)
    middle = rng.normal(size=(classes, d))[y] + rng.normal(size=(classes * of_class, d))[presses]
    return tuple(middle + 0.05 * rng.normal(size=middle.shape) for _ in range(2)), y, presses


def test_held_out_contacts_are_not_recognised_by_their_twins():
    X, y, presses = frames(classes=6)
    queries, *_ = frames(classes=6, seed=1)
    apart, together = Bideta().fit(X, y), Bideta().fit(X, y, presses)
    bold, careful = hold_out(apart, queries), hold_out(together, queries)
    assert bold.right.mean() > careful.right.mean() + 0.1
    given = hold_out(apart, queries, presses=presses)
    np.testing.assert_array_equal(given.proba, careful.proba)
    np.testing.assert_array_equal(together.predict_proba(queries), apart.predict_proba(queries))


def test_what_is_calibrated_on_the_support_knows_presses():
    X, y, presses = frames()
    apart, together = (Bideta(**presets.ROBOT).fit(X, y, g) for g in (None, presses))
    assert together.sensor_.rule.temperature > apart.sensor_.rule.temperature
    assert calibrate(together).anchor > calibrate(apart).anchor


def test_tune_and_its_sensor_know_presses():
    X, y, presses = frames()
    tuned = tune(X, y, presses=presses)
    np.testing.assert_array_equal(tuned.fit(X, y, presses).sensor_.presses, presses)
    assert [s.gain for s in tuned.scores] != [s.gain for s in tune(X, y).scores]


def test_presses_are_kept_in_the_file(tmp_path):
    X, y, presses = frames()
    for name, given in (("with", presses), ("without", None)):
        Bideta(**presets.ROBOT).fit(X, y, given).save(tmp_path / name)
    loaded = Bideta.load(tmp_path / "with")
    np.testing.assert_array_equal(loaded.sensor_.presses, presses)
    assert len(set(Bideta.load(tmp_path / "without").sensor_.presses)) == len(y)


def test_a_contact_taught_to_a_stream_is_a_press_of_its_own():
    X, y, presses = frames()
    online = OnlineBideta(Bideta().fit(X, y, presses), 8, max_support=20)
    new, *_ = frames(seed=1)
    contact = tuple(H[0] for H in new)
    online.learn_one(contact, 0)
    np.testing.assert_array_equal(online.current().sensor_.presses, [*presses[1:], presses.max() + 1])
    online.learn_one(contact, 1)  # said again: taken back, and said anew
    assert len(online.current().sensor_.presses) == len(online.current().sensor_.labels)
    assert (online.current().sensor_.presses == online.current().sensor_.presses[-1]).sum() == 1


def test_one_press_of_every_class_leaves_nothing_to_hold_out():
    X, y, _ = frames(of_class=1)
    adapted = Bideta(**presets.ROBOT).fit(X, y, y)
    assert adapted.sensor_.rule.temperature is None
    assert len(hold_out(adapted, X)) == 0
    for wrong in (lambda: hold_out(adapted, X, presses=y), lambda: tune(X, y, presses=y)):
        with pytest.raises(ValueError, match="presses has one press for every class"):
            wrong()


def test_frames_of_one_press_are_one_piece_of_evidence():
    """Each hidden contact seen as r equal frames of its press: every promise is that of the contacts themselves."""
    X, y, presses = frames(of_class=12, each=1)
    queries, *_ = frames(seed=1)
    adapted = Bideta().fit(X, y, presses)
    once, result = hold_out(adapted, queries), adapted.infer(queries)
    names = [field.name for field in dataclasses.fields(once) if field.name != "queries"]
    often = dataclasses.replace(once, **{name: getattr(once, name).repeat(5, axis=0) for name in names})
    assert len(often) == 5 * len(once)
    assert often.n_presses == once.n_presses
    assert 0.05 < least_risk(often) == pytest.approx(least_risk(once), abs=0.03)
    for share in (0.02, 0.1, 0.3):
        above = []
        for held in (once, often):
            threshold = find_unknown(adapted, result, queries, share, held=held).threshold
            above.append((_score(held.strangeness, held.strangeness) > threshold).mean())
            assert np.isinf(threshold) == (share == 0.02)  # 36 presses cannot show it
        assert above[0] == above[1]
        np.testing.assert_array_equal(conformal_sets(once, 1 - share), conformal_sets(often, 1 - share))
    alone = dataclasses.replace(often, presses=np.arange(len(often)))
    assert least_risk(alone) < least_risk(often)


def test_a_risk_is_promised_for_as_many_presses_as_there_are():
    scores, right = np.linspace(0, 1, 160), np.ones(160, bool)
    presses = np.arange(160) % 8
    assert np.isinf(risk_threshold(scores, right, 0.2, presses=presses))  # 8 without an error show 0.25
    assert risk_threshold(scores, right, 0.26, presses=presses) == 0.0
    right[:8] = False  # a twentieth: 0.4 of 8
    assert upper_bound(0.4, 8, 0.9) == pytest.approx(0.317, abs=1e-3)
    assert risk_threshold(scores, right, 0.3, presses=presses) > 0.0
    assert risk_threshold(scores, right, 0.32, presses=presses) == 0.0


def test_wrong_presses_are_refused():
    X, y, _ = frames()
    with pytest.raises(ValueError, match="presses holds no numbers or names of presses"):
        Bideta().fit(X, y, [None] * 60)
    with pytest.raises(
        ValueError, match=r"presses has shape \(2,\), expected one press number for each of 60"
    ):
        Bideta().fit(X, y, [0, 1])
