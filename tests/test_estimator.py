"""The scikit-learn contract and the shapes that Bideta takes and gives."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import bideta
from bideta import Bideta, presets
from support.sensor_shift import episode

TRANSDUCTIVE = {"check_methods_subset_invariance": "a transductive answer depends on its batch"}


@pytest.mark.filterwarnings("ignore:all labels are:UserWarning")
@parametrize_with_checks(
    [Bideta(), Bideta(prior=None), Bideta(n_iter=0, shrinkage=0.2)],
    expected_failed_checks=lambda estimator: TRANSDUCTIVE if estimator.n_iter else {},
)
def test_scikit_learn_contract(estimator, check) -> None:
    check(estimator)


def test_two_readouts_and_one_split_array_give_the_same_answer() -> None:
    e = episode()
    pair = Bideta().fit(e.support, e.labels).predict_proba(e.queries)
    joined = Bideta(split=12).fit(np.hstack(e.support), e.labels).predict_proba(np.hstack(e.queries))
    np.testing.assert_array_equal(pair, joined)


@pytest.mark.parametrize("split", [[12, 30], (12, 30), np.array([12, 30])], ids=["list", "tuple", "array"])
def test_one_array_is_cut_at_any_number_of_columns(split) -> None:
    e = episode(dims=(12, 18, 7))
    alpha = [0.2, 0.5, 0.3]
    apart = Bideta(alpha=alpha).fit(e.support, e.labels).infer(e.queries)
    joined = Bideta(alpha=alpha, split=split).fit(np.hstack(e.support), e.labels)
    assert joined.n_features_in_ == 37
    assert joined.sensor_.widths == [12, 18, 7]
    result = joined.infer(np.hstack(e.queries))
    np.testing.assert_array_equal(result.proba, apart.proba)
    np.testing.assert_allclose(result.anchor, np.tensordot(alpha, result.views, 1))


def test_two_weights_are_the_number_and_what_it_leaves() -> None:
    e = episode()
    number, pair = (
        Bideta(alpha=alpha).fit(e.support, e.labels).predict_proba(e.queries)
        for alpha in (0.25, [0.25, 0.75])
    )
    np.testing.assert_array_equal(number, pair)


def test_one_half_gives_three_readouts_the_same_weight() -> None:
    e = episode(dims=(12, 18, 7))
    half, thirds = (
        Bideta(alpha=alpha).fit(e.support, e.labels).infer(e.queries) for alpha in (0.5, [1 / 3] * 3)
    )
    np.testing.assert_allclose(half.anchor, thirds.anchor, atol=1e-15)
    np.testing.assert_array_equal(half.proba.argmax(axis=1), thirds.proba.argmax(axis=1))


def test_the_sensor_a_batch_and_a_face_of_it_answer_alike() -> None:
    e = episode()
    adapted = Bideta().fit(e.support, e.labels)
    again = Bideta.of(adapted.sensor())
    np.testing.assert_array_equal(again.predict_proba(e.queries), adapted.predict_proba(e.queries))
    np.testing.assert_array_equal(adapted.sensor_.infer(e.queries).proba, adapted.predict_proba(e.queries))
    assert again.get_params() == adapted.get_params()
    assert again.n_features_in_ == adapted.n_features_in_


def test_a_single_readout_is_its_own_anchor_and_graph() -> None:
    e = episode()
    alone = Bideta().fit(e.support[0], e.labels).infer(e.queries[0])
    twice = Bideta().fit((e.support[0],) * 2, e.labels).infer((e.queries[0],) * 2)
    np.testing.assert_allclose(alone.proba, twice.proba, atol=1e-12)
    assert len(alone.views) == 1
    assert not alone.disagreement.any()


def test_clone_pipeline_and_grid_search_work_with_split() -> None:
    e = episode(shots=8)
    X = np.hstack(e.support)
    model = make_pipeline(FunctionTransformer(), clone(Bideta(split=12)))
    search = GridSearchCV(model, {"bideta__gamma": [0.0, 0.6], "bideta__n_neighbors": [3, 5]}, cv=2)
    search.fit(X, e.labels)
    accuracy = (search.predict(np.hstack(e.queries)) == e.truth).mean()
    assert accuracy > 0.6
    assert set(search.best_params_) == {"bideta__gamma", "bideta__n_neighbors"}


@pytest.mark.parametrize(
    "names",
    [
        ["bolt", "coin", "key", "nut", "pin"],
        [10, -3, 7, 0, 99],
        [True, 1.5, b"one", 7, ("a", 2)],
        [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 3)],
        ["1", ("1",), "2", ("2",), b"3"],
        [frozenset({1}), frozenset({2}), frozenset({3}), frozenset({4}), frozenset({5})],
    ],
    ids=["strings", "integers", "mixed", "tuples", "text-and-tuples", "frozensets"],
)
def test_labels_of_any_hashable_kind_come_back(names) -> None:
    e = episode(signal=4.0)
    labels = [names[c] for c in e.labels]
    adapted = Bideta().fit(e.support, labels)
    assert set(adapted.classes_.tolist()) == set(names)
    answers = adapted.predict(e.queries).tolist()
    assert np.mean([answer == names[c] for answer, c in zip(answers, e.truth, strict=True)]) > 0.95


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["bolt", 1, "2", 2, 3], "y mixes strings and numbers ('bolt' and 1): make all labels strings"),
        (["1", 1.5, "2", 2, 3], "y mixes strings and numbers ('1' and 1.5)"),
        (
            ["bolt", None, "key", "nut", "pin"],
            "y contains None: every contact needs a label; leave out those",
        ),
    ],
)
def test_labels_that_are_missing_or_of_two_kinds_are_refused(names, reason) -> None:
    e = episode()
    with pytest.raises(ValueError, match=re.escape(reason)):
        Bideta().fit(e.support, [names[c] for c in e.labels])
    with pytest.raises(ValueError, match=re.escape(reason)):
        Bideta().fit(e.support, np.array([names[c] for c in e.labels], object))


def test_images_in_the_place_of_readouts_are_told_to_be_encoded(tmp_path) -> None:
    pictures = np.zeros((4, 8, 8, 3), np.uint8)
    for i in range(4):
        (tmp_path / "ab"[i % 2]).mkdir(exist_ok=True)
        Image.fromarray(pictures[i]).save(tmp_path / "ab"[i % 2] / f"{i}.png")
    lazy = bideta.load_folder(tmp_path).images
    adapted = Bideta().fit(np.eye(4), [0, 1, 0, 1])
    for images in (pictures, pictures / 255, pictures[..., 0], (pictures, pictures), lazy, (lazy,)):
        with pytest.raises(
            ValueError, match=r"holds images.*encode first: load_encoder\(…\)\.encode\(images\)"
        ):
            Bideta().fit(images, [0, 1, 0, 1])
        with pytest.raises(ValueError, match="encode first"):
            adapted.predict(images)


def test_one_class_warns() -> None:
    e = episode()
    with pytest.warns(UserWarning, match="all labels are bolt: with one class every query is given it"):
        adapted = Bideta().fit(e.support, ["bolt"] * len(e.labels))
    assert set(adapted.predict(e.queries)) == {"bolt"}


def test_the_version_is_that_of_the_package() -> None:
    assert bideta.__version__ == importlib.metadata.version("bideta")


def test_order_of_the_support_does_not_change_mixed_class_order() -> None:
    e = episode()
    names = [b"a", 1, frozenset(), ("t",), 2.5]
    labels = [names[c] for c in e.labels]
    forward = Bideta().fit(e.support, labels)
    backward = Bideta().fit(tuple(H[::-1] for H in e.support), labels[::-1])
    assert forward.classes_.tolist() == backward.classes_.tolist()


def test_rank_lists_identities_best_first() -> None:
    e = episode()
    adapted = Bideta(**presets.RANKING).fit(e.support, e.labels)
    ranked, proba = adapted.rank(e.queries), adapted.predict_proba(e.queries)
    assert ranked.shape == (len(e.truth), 5)
    assert (np.sort(ranked, axis=1) == np.arange(5)).all()
    assert (np.diff(np.take_along_axis(proba, ranked, axis=1), axis=1) <= 0).all()
    np.testing.assert_array_equal(adapted.rank(e.queries, top=2), ranked[:, :2])
    np.testing.assert_array_equal(ranked[:, 0], adapted.predict(e.queries))


def test_rank_breaks_ties_by_the_anchor() -> None:
    # Far from every class mean with the prior clipped, all classes but one tie at the clip of Eq. 11.
    e = episode(signal=40.0)
    result = (adapted := Bideta().fit(e.support, e.labels)).infer(e.queries)
    ranked = adapted.rank(e.queries)
    for j in range(len(ranked)):
        keys = [(-result.proba[j, c], -result.anchor[j, c], c) for c in ranked[j]]
        assert keys == sorted(keys)


@pytest.mark.parametrize("top", [0, 6, 1.5, "all"])
def test_rank_refuses_an_impossible_top(top) -> None:
    e = episode()
    with pytest.raises(ValueError, match=r"top=.*expected an integer >= 1 and <= 5"):
        Bideta().fit(e.support, e.labels).rank(e.queries, top=top)


def test_inference_holds_every_part_of_the_method() -> None:
    e = episode()
    result = Bideta(n_neighbors=7).fit(e.support, e.labels).infer(e.queries)
    m, C = len(e.truth), 5
    assert result.classes.tolist() == [0, 1, 2, 3, 4]
    assert [P.shape for P in (*result.views, result.anchor, result.proba)] == [(m, C)] * 4
    assert result.graph.shape == (m, m)
    assert result.graph.nnz <= 4 * 7 * m  # sparse: at most twice 2k on average
    np.testing.assert_allclose(result.graph.sum(axis=1), 1)
    np.testing.assert_allclose(result.anchor, (result.views[0] + result.views[1]) / 2)
    assert [v.shape for v in (result.ambiguity, result.disagreement, result.gate)] == [(m,)] * 3


def test_prior_array_moves_the_batch_and_the_memory() -> None:
    e = episode()
    wanted = np.array([0.6, 0.1, 0.1, 0.1, 0.1])
    proba = Bideta(prior=wanted).fit(e.support, e.labels).predict_proba(e.queries)
    np.testing.assert_allclose(proba.mean(axis=0), wanted, atol=0.02)


def test_batch_of_one_returns_the_anchor_not_the_prior() -> None:
    e = episode(signal=3.0)
    adapted = Bideta().fit(e.support, e.labels)
    for j in range(0, len(e.truth), 10):
        one = tuple(H[j : j + 1] for H in e.queries)
        result = adapted.infer(one)
        np.testing.assert_array_equal(result.proba, result.anchor)
        assert result.proba.max() > 0.5


@pytest.mark.parametrize("m", [2, 3, 4])
def test_batch_smaller_than_the_number_of_classes_keeps_its_anchor_unless_prior_is_none(m: int) -> None:
    e = episode(signal=0.5)
    few = tuple(H[:m] for H in e.queries)
    held = Bideta().fit(e.support, e.labels).infer(few)
    np.testing.assert_array_equal(held.proba, held.anchor)
    assert not held.gate.any()
    free = Bideta(prior=None).fit(e.support, e.labels).infer(few)
    assert np.abs(free.proba - free.anchor).max() > 1e-3


def test_neighbours_are_cut_to_the_batch() -> None:
    e = episode()
    few = tuple(H[::10] for H in e.queries)  # m = 10
    wide, exact = (Bideta(n_neighbors=k).fit(e.support, e.labels).predict_proba(few) for k in (500, 9))
    np.testing.assert_array_equal(wide, exact)


def test_importing_bideta_loads_neither_torch_nor_matplotlib() -> None:
    code = "import sys, bideta; sys.exit(bool({'torch', 'matplotlib', 'onnxruntime'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_defaults_are_the_classification_preset() -> None:
    defaults = Bideta().get_params()
    assert {name: defaults[name] for name in presets.CLASSIFICATION} == presets.CLASSIFICATION


# Rows 0, 5 and 11; to regenerate, print proba[[0, 5, 11]] of the test below.
GOLDEN = [
    [0.82031752, 0.02536110, 0.15432138],
    [0.11151693, 0.64248952, 0.24599355],
    [0.05428049, 0.03921332, 0.90650618],
]


def test_golden_probabilities_have_not_moved() -> None:
    e = episode(7, C=3, shots=4, per_class=4)
    proba = Bideta(n_neighbors=3).fit(e.support, e.labels).predict_proba(e.queries)
    np.testing.assert_allclose(proba[[0, 5, 11]], GOLDEN, atol=1e-8)
