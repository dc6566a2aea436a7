from __future__ import annotations

import numpy as np
import pytest

from bideta import load_method
from bideta.baselines import NotAvailableError
from bideta.baselines._inputs import check_readouts, check_source, check_support
from support.change_of_sensor import change


def test_rows_are_sorted_by_class_and_read_only() -> None:
    data = change()
    order = np.random.default_rng(0).permutation(len(data.labels))
    support, classes = check_support(tuple(H[order] for H in data.support), data.labels[order])
    np.testing.assert_array_equal(support.y, np.sort(data.labels))
    np.testing.assert_array_equal(classes, np.unique(data.labels))
    with pytest.raises(ValueError, match="read-only"):
        support.readouts[0][0, 0] = 1.0


def test_checking_does_not_freeze_the_callers_array() -> None:
    H = np.zeros((3, 2))
    view, _ = check_readouts(H, "X")
    assert view.base is H or view.base is H.base
    H[0, 0] = 1.0  # still ours to write


def test_order_of_the_support_does_not_matter() -> None:
    data = change(1)
    order = np.random.default_rng(0).permutation(len(data.labels))
    first = load_method("lda").fit(data.support, data.labels).predict_proba(data.queries)
    second = load_method("lda").fit(tuple(H[order] for H in data.support), data.labels[order])
    np.testing.assert_allclose(second.predict_proba(data.queries), first, atol=1e-9)


def test_a_single_class_is_refused() -> None:
    data = change()
    with pytest.raises(ValueError, match="y has a single class"):
        load_method("simpleshot").fit(data.support, np.zeros(20, int))


def test_source_classes_unknown_to_the_target_play_no_part() -> None:
    data = change()
    (first, second), y = data.source
    extra = (np.vstack([first, first[:5] + 9]), np.vstack([second, second[:5] + 9])), np.r_[y, np.full(5, 99)]
    found = check_source(extra, np.arange(4), (10, 14))
    np.testing.assert_array_equal(found.y, y)


def test_a_class_without_source_contacts_is_named() -> None:
    data = change()
    readouts, y = data.source
    kept = y != 2
    with pytest.raises(ValueError, match="source has no contacts of class 2"):
        load_method("frozen").fit(
            data.support, data.labels, source=(tuple(H[kept] for H in readouts), y[kept])
        )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (np.zeros((3, 3)), "source is a ndarray"),
        (((np.zeros((3, 10)), np.zeros((3, 13))), [0, 1, 2]), r"source has readouts of \(10, 13\)"),
        (((np.zeros((3, 10)), np.zeros((3, 14))), [0, 1]), "source: .*3 and 2"),
        (((np.full((3, 10), np.nan), np.zeros((3, 14))), [0, 1, 2]), "source: .*NaN"),
    ],
)
def test_errors_in_the_source_say_source(source: object, message: str) -> None:
    data = change()
    with pytest.raises(ValueError, match=message):
        load_method("frozen").fit(data.support, data.labels, source=source)


def test_missing_calibration_images_are_not_an_ordinary_error() -> None:
    pytest.importorskip("torch")
    data = change()
    with pytest.raises(NotAvailableError, match="not available: sitr-calib needs calibration images"):
        load_method("sitr-calib").fit(data.support, data.labels, source=data.source)


def test_a_method_says_how_it_was_loaded() -> None:
    assert repr(load_method("simpleshot", center="none")) == "load_method('simpleshot', center='none')"


@pytest.mark.parametrize(
    ("name", "setting", "message"),
    [
        ("simpleshot", {"temperature": 0.0}, "temperature=0.0: expected a number"),
        ("simpleshot", {"temperature": float("nan")}, "temperature=nan"),
        ("laplacianshot", {"n_neighbors": 0}, "n_neighbors=0: expected an integer >= 1"),
        ("laplacianshot", {"n_neighbors": 2.5}, "n_neighbors=2.5"),
        ("laplacianshot", {"rectify": "yes"}, "rectify='yes': expected True or False"),
        ("pt-map", {"step": -0.1}, "step=-0.1: expected a number >= 0"),
        ("logistic", {"seed": -1}, "seed=-1"),
        ("paddle", {"iterations": 5}, "paddle has no setting iterations; known: space, complexity, n_iter"),
    ],
)
def test_impossible_settings_are_refused_when_loading(name: str, setting: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_method(name, **setting)


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("lda", {"shrinkage": "some"}),
        ("lda", {"shrinkage": 2}),
        ("lda", {"alpha": 1.5}),
        ("alpha-tim", {"alpha": 1.0}),
    ],
)
def test_impossible_settings_are_refused_when_fitting(name: str, setting: dict) -> None:
    data = change()
    with pytest.raises(ValueError, match=f"{next(iter(setting))}="):
        load_method(name, **setting).fit(data.support, data.labels)


@pytest.mark.parametrize("method", ["lda", "em-lda", "label-spreading"])
def test_the_same_readouts_twice_change_nothing(method: str) -> None:
    data = change()
    two = load_method(method).fit(data.support, data.labels).predict_proba(data.queries)
    four = load_method(method).fit(data.support * 2, data.labels).predict_proba(data.queries * 2)
    np.testing.assert_allclose(four, two, atol=1e-6)
