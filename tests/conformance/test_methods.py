"""Every method, ours and the comparisons, keeps the same promises."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bideta import plugins
from bideta.baselines import MethodInfo
from support.change_of_sensor import Change, change

METHODS = plugins.names("method")
SHORT = {"epochs": 3}  # for the trained heads: promises, not accuracy
PAPER = {
    "frozen": "Frozen backbone",
    "tip-adapter": "Tip-Adapter",
    "simpleshot": "SimpleShot",
    "laplacianshot": "LaplacianShot",
    "sitr-calib": "SITR-Calib",
    "anytouch-match": "AnyTouch Match",
    "ctsrl-csm": "CTSRL CSM",
    "bideta": "BIDETA",
}
ADDED = {
    *("sitr-support", "logistic", "lda", "em-lda", "knn", "label-spreading"),
    *("tim", "alpha-tim", "paddle", "pt-map", "transclip", "protolp"),
}


def info_of(name: str) -> MethodInfo:
    return plugins.find("method", name).INFO


def load(name: str, **settings: Any) -> Any:
    if info_of(name).needs_torch:
        pytest.importorskip("torch")
        settings = SHORT | settings
    return plugins.load_method(name, **settings)


def fitted(name: str, data: Change, **settings: Any) -> Any:
    return load(name, **settings).fit(data.support, data.labels, **data.allowed(info_of(name)))


def answer(name: str, data: Change) -> NDArray:
    """An episode: only what INFO asks for reaches the method, and never the truth."""
    return fitted(name, data).predict_proba(data.queries)


@cache
def usual(name: str) -> tuple[Change, Any]:
    data = change()
    return data, fitted(name, data)


def test_all_methods_of_the_issue_are_there() -> None:
    assert set(PAPER) | ADDED <= set(METHODS)
    assert {name: info_of(name).title for name in PAPER} == PAPER


@pytest.mark.parametrize("name", METHODS)
class TestEveryMethod:
    def test_info_is_complete(self, name: str) -> None:
        info = info_of(name)
        assert info.name == name
        assert all(getattr(info, f.name) for f in fields(info) if f.type == "str" and f.name != "url")
        assert info.readout in ("earlier", "final", "both")
        assert not info.needs_calibration or info.needs_source
        assert not info.assumes_balance or info.transductive
        doc = plugins.find("method", name).__doc__ or ""
        author = info.reference.split(",")[0].split()[0]
        assert author in doc or name in ("frozen", "logistic", "lda", "bideta"), "authors open the docstring"

    def test_rows_are_distributions_over_the_classes(self, name: str) -> None:
        data, method = usual(name)
        P = method.predict_proba(data.queries)
        assert P.shape == (len(data.truth), 4)
        assert P.dtype == np.float64
        assert (P >= 0).all()
        np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-9)
        np.testing.assert_array_equal(method.classes_, np.unique(data.labels))
        np.testing.assert_array_equal(method.predict(data.queries), method.classes_[P.argmax(axis=1)])

    def test_same_seed_same_answer(self, name: str) -> None:
        data, method = usual(name)
        again = answer(name, data)
        np.testing.assert_array_equal(again, method.predict_proba(data.queries))

    def test_predicting_twice_is_predicting_once(self, name: str) -> None:
        data, method = usual(name)
        before = pickle.dumps(method)
        first = method.predict_proba(data.queries)
        method.predict_proba(tuple(H[:7] for H in data.queries))
        np.testing.assert_array_equal(method.predict_proba(data.queries), first)
        assert pickle.dumps(method) == before

    def test_inputs_are_left_alone(self, name: str) -> None:
        data = change(1)
        before = copy.deepcopy(data)
        answer(name, data)
        for f in fields(data):
            for old, new in zip(
                _arrays(getattr(before, f.name)), _arrays(getattr(data, f.name)), strict=True
            ):
                np.testing.assert_array_equal(old, new)

    def test_truth_of_the_queries_never_matters(self, name: str) -> None:
        data, method = usual(name)
        shuffled = replace(data, truth=np.random.default_rng(0).permutation(data.truth))
        np.testing.assert_array_equal(answer(name, shuffled), method.predict_proba(data.queries))

    def test_queries_in_another_order_get_the_same_answers(self, name: str) -> None:
        data, method = usual(name)
        order = np.random.default_rng(3).permutation(len(data.truth))
        permuted = method.predict_proba(tuple(H[order] for H in data.queries))
        np.testing.assert_allclose(permuted, method.predict_proba(data.queries)[order], atol=1e-5)

    def test_inductive_methods_answer_each_query_alone(self, name: str) -> None:
        data, method = usual(name)
        if info_of(name).transductive:
            return
        one = np.vstack([method.predict_proba(tuple(H[i : i + 1] for H in data.queries)) for i in range(5)])
        np.testing.assert_allclose(one, method.predict_proba(data.queries)[:5], atol=1e-6)

    def test_string_labels(self, name: str) -> None:
        data, method = usual(name)
        words = np.array(["bolt", "coin", "key", "nut"])
        renamed = replace(data, labels=words[data.labels], source=(data.source[0], words[data.source[1]]))
        adapted = fitted(name, renamed)
        assert list(adapted.classes_) == list(words)
        np.testing.assert_allclose(
            adapted.predict_proba(data.queries), method.predict_proba(data.queries), atol=1e-9
        )
        assert set(adapted.predict(data.queries)) <= set(words)

    def test_one_contact_per_class(self, name: str) -> None:
        P = answer(name, change(2, shots=1))
        np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-9)

    @pytest.mark.parametrize("m", [1, 2])
    def test_a_tiny_batch(self, name: str, m: int) -> None:
        data, method = usual(name)
        P = method.predict_proba(tuple(H[:m] for H in data.queries))
        assert P.shape == (m, 4)
        np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-9)
        assert P.max() > 0.3  # an answer, not a shrug

    def test_two_classes(self, name: str) -> None:
        P = answer(name, change(4, C=2))
        assert P.shape == (24, 2)
        np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-9)

    def test_uneven_support(self, name: str) -> None:
        data = change(5)
        kept = np.r_[0, 5:8, 10:20]
        uneven = replace(data, support=tuple(H[kept] for H in data.support), labels=data.labels[kept])
        np.testing.assert_allclose(answer(name, uneven).sum(axis=1), 1, atol=1e-9)

    def test_duplicates_and_constant_features(self, name: str) -> None:
        data = change(6)
        first, second = data.queries
        first = np.vstack([first, first[:3]])
        second = np.vstack([second, second[:3]])
        support = tuple(np.hstack([H, np.ones((len(H), 1))]) for H in data.support)
        source = tuple(np.hstack([H, np.ones((len(H), 1))]) for H in data.source[0]), data.source[1]
        extra = {
            key: tuple(np.hstack([H, np.ones((len(H), 1))]) for H in getattr(data, key))
            for key in ("calibration", "source_calibration")
        }
        queries = tuple(np.hstack([H, np.ones((len(H), 1))]) for H in (first, second))
        P = answer(name, replace(data, support=support, source=source, queries=queries, **extra))
        np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-9)
        np.testing.assert_allclose(P[-3:], P[:3], atol=0.2)  # copies of a query fare alike

    def test_single_precision_is_welcome(self, name: str) -> None:
        data, method = usual(name)
        single = replace(data, queries=tuple(H.astype(np.float32) for H in data.queries))
        np.testing.assert_allclose(
            method.predict_proba(single.queries), method.predict_proba(data.queries), atol=0.02
        )

    def test_a_single_array_is_both_readouts(self, name: str) -> None:
        data = change(7)
        alone = replace(
            data,
            support=data.support[1],
            queries=data.queries[1],
            source=(data.source[0][1], data.source[1]),
            calibration=data.calibration[1],
            source_calibration=data.source_calibration[1],
        )
        assert answer(name, alone).shape == (len(data.truth), 4)

    def test_mismatched_readouts_are_refused(self, name: str) -> None:
        data, method = usual(name)
        with pytest.raises(ValueError, match=r"number of contacts: 20 and 19"):
            load(name).fit(
                (data.support[0], data.support[1][:-1]), data.labels, **data.allowed(info_of(name))
            )
        with pytest.raises(ValueError, match=r"number of contacts: 48 and 47"):
            method.predict_proba((data.queries[0], data.queries[1][:-1]))

    def test_labels_of_another_length_are_refused(self, name: str) -> None:
        data, _ = usual(name)
        with pytest.raises(ValueError, match=r"y.*20 and 19"):
            load(name).fit(data.support, data.labels[:-1], **data.allowed(info_of(name)))

    def test_other_widths_are_refused(self, name: str) -> None:
        data, method = usual(name)
        with pytest.raises(ValueError, match=r"X has readouts of .*9.*14"):
            method.predict_proba((data.queries[0][:, :-1], data.queries[1]))

    def test_nan_is_refused(self, name: str) -> None:
        data, method = usual(name)
        broken = np.array(data.support[1])
        broken[3, 2] = np.nan
        with pytest.raises(ValueError, match=r"X.*NaN"):
            load(name).fit((data.support[0], broken), data.labels, **data.allowed(info_of(name)))
        broken = np.array(data.queries[0])
        broken[1, 1] = np.nan
        with pytest.raises(ValueError, match=r"X.*NaN"):
            method.predict_proba((broken, data.queries[1]))

    def test_unknown_settings_are_refused(self, name: str) -> None:
        with pytest.raises((ValueError, TypeError), match="warp_factor"):
            plugins.load_method(name, warp_factor=9)

    def test_predicting_before_fitting_is_refused(self, name: str) -> None:
        with pytest.raises(ValueError, match="not fitted"):
            load(name).predict_proba(change().queries)

    def test_missing_source_is_named(self, name: str) -> None:
        data, _ = usual(name)
        info = info_of(name)
        if info.needs_source:
            given = data.allowed(info)
            del given["source"]
            with pytest.raises(ValueError, match=r"needs source data: fit\(X, y, source="):
                load(name).fit(data.support, data.labels, **given)

    def test_a_fitted_method_survives_pickling(self, name: str) -> None:
        data, method = usual(name)
        twin = pickle.loads(pickle.dumps(method))  # noqa: S301
        np.testing.assert_array_equal(twin.predict_proba(data.queries), method.predict_proba(data.queries))


def _arrays(value: Any) -> list[NDArray]:
    return [value] if isinstance(value, np.ndarray) else [a for part in value for a in _arrays(part)]
