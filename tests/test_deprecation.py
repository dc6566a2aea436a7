"""Names of version 0.1: each works for one release and says the new one."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from bideta import Bideta, deploy
from bideta.deploy import OnlineBideta, hold_out, suggest, suggestions, tune
from support.sensor_shift import episode

E = episode(shots=4, per_class=6)
PRESSES = np.arange(len(E.labels)) // 2


@pytest.fixture(scope="module")
def adapted() -> Bideta:
    return Bideta(prior=[0.3, 0.2, 0.2, 0.2, 0.1]).fit(E.support, E.labels, PRESSES, origin={"encoder": "x"})


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("support_", "sensor_.support", "support"),
        ("support_labels_", "sensor_.labels", "labels"),
        ("support_groups_", "sensor_.presses", "presses"),
        ("readouts_", "sensor_.readouts", "readouts"),
        ("prior_", "sensor_.prior", "prior"),
        ("origin_", "sensor_.origin", "origin"),
    ],
)
def test_what_was_an_attribute_of_the_estimator_is_one_of_its_sensor(adapted, old, new, part) -> None:
    with pytest.warns(DeprecationWarning, match=f"^{old} is now {new}$"):
        value = getattr(adapted, old)
    assert value is getattr(adapted.sensor_, part)
    with pytest.raises(AttributeError, match=old):
        getattr(Bideta(), old)  # not fitted: no such attribute, as ever


def test_views_are_readouts(adapted) -> None:
    with pytest.warns(DeprecationWarning, match="views is now readouts"):
        views = adapted.views(E.queries)
    assert all(one is other for one, other in zip(views, adapted.readouts(E.queries), strict=True))


def test_an_estimator_is_no_dictionary_of_old_names(adapted) -> None:
    """Neither printing, nor copying, nor comparing parameters reads a name that warns."""
    from sklearn.base import clone

    assert "Bideta" in repr(adapted)
    assert clone(adapted).get_params() == adapted.get_params()


def said_again(call) -> list[object]:
    """What a call by the old name of its argument gives, and by the new one."""
    with pytest.warns(DeprecationWarning, match="the argument groups is now presses") as warned:
        old = call("groups")
    assert warned[0].filename == __file__  # the line that must change
    return [old, call("presses")]


def test_fit_takes_groups(adapted) -> None:
    old, new = said_again(lambda name: Bideta().fit(E.support, E.labels, **{name: PRESSES}))
    np.testing.assert_array_equal(old.sensor_.presses, new.sensor_.presses)


def test_hold_out_takes_groups() -> None:
    bare = Bideta().fit(E.support, E.labels)
    old, new = said_again(lambda name: hold_out(bare, E.queries, **{name: PRESSES}))
    np.testing.assert_array_equal(old.proba, new.proba)


def test_tune_and_its_fit_take_groups() -> None:
    old, new = said_again(lambda name: tune(E.support, E.labels, **{name: PRESSES}))
    assert old == new
    first, second = said_again(lambda name: new.fit(E.support, E.labels, **{name: PRESSES}))
    np.testing.assert_array_equal(first.sensor_.presses, second.sensor_.presses)


@pytest.mark.parametrize("function", [suggest, suggestions])
def test_suggestions_take_groups_and_pool_views(function) -> None:
    presses = np.arange(len(E.truth)) // 3
    old, new = said_again(lambda name: list(function(E.queries, 4, **{name: presses})))
    assert old == new
    with pytest.warns(DeprecationWarning, match="the argument pool_views is now pool"):
        assert list(function(pool_views=E.queries, budget=4)) == list(function(pool=E.queries, budget=4))


def test_an_online_sensor_was_called_adapted(adapted) -> None:
    online = OnlineBideta(adapted)
    with pytest.warns(DeprecationWarning, match=r"online\.adapted is now online\.current\(\)"):
        assert online.adapted is online.current()


MODULES = {
    "calibration": ["calibrate", "expected_calibration_error"],
    "conformal": ["conformal_sets"],
    "fewshot": ["borrow"],
    "heldout": ["hold_out", "HeldOut"],
    "novelty": ["find_unknown", "novelty"],
    "reject": ["reject", "reliability", "least_risk", "least_contacts", "Decision"],
    "risk": ["risk_coverage"],
    "suggest": ["suggest", "suggestions", "Suggestion"],
    "tune": ["tune", "Tuned"],
    "untouched": ["touch"],
}


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in MODULES.items() for name in names]
)
def test_a_name_is_still_found_in_the_module_where_it_was(module: str, name: str) -> None:
    old = importlib.import_module(f"bideta.deploy.{module}")
    with pytest.warns(
        DeprecationWarning, match=rf"bideta\.deploy\.{module}\.{name} is now bideta\.deploy\.{name}"
    ):
        value = getattr(old, name)
    assert value is getattr(deploy, name)


def test_the_statement_that_the_documentation_had_still_works() -> None:
    with pytest.warns(DeprecationWarning, match=r"is now bideta\.deploy\.reject"):
        from bideta.deploy.reject import reject
    assert reject is deploy.reject
    assert callable(deploy.tune)  # and not the module of the same name


def test_the_diagram_was_called_reliability() -> None:
    old = importlib.import_module("bideta.deploy.calibration")
    with pytest.warns(DeprecationWarning, match=r"is now bideta\.deploy\.reliability_diagram"):
        value = old.reliability
    assert value is deploy.reliability_diagram


def test_names_that_never_were_are_not_found() -> None:
    old = importlib.import_module("bideta.deploy.reject")
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        old.nothing_of_the_kind


def test_everything_at_the_front_door_is_there() -> None:
    assert {name for name in deploy.__all__ if getattr(deploy, name) is None} == set()
    assert {"reject", "find_unknown", "conformal_sets", "calibrate", "tune", "suggest"} <= set(deploy.__all__)


def test_what_was_removed_says_what_took_its_place(adapted) -> None:
    from bideta.deploy import borrow

    with pytest.raises(NotImplementedError, match=r"deploy\.borrow was removed: .*presets\.TOUCH"):
        borrow(adapted, E.queries)
