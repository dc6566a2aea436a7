"""Labelled contacts in the graph and class priors that look at the batch, through the estimator."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bideta import Bideta, presets
from bideta.extensions import class_prior
from bideta.method.readout import Directions
from bideta.neighbors.search import nearest
from support.sensor_shift import episode

ROBOTS = [{**presets.ROBOT, "prior": prior} for prior in ("auto", "mixed", "support", None)]


def accuracy(adapted: Bideta, queries, truth) -> float:
    return float((adapted.predict(queries) == truth).mean())


@parametrize_with_checks(
    [Bideta(**presets.ROBOT), Bideta(prior="auto"), Bideta(support_nodes=True, prior="mixed")],
    expected_failed_checks=lambda estimator: {
        "check_methods_subset_invariance": "a transductive answer depends on its batch"
    },
)
def test_scikit_learn_contract(estimator, check) -> None:
    check(estimator)


@pytest.mark.parametrize("settings", ROBOTS, ids=lambda s: str(s["prior"]))
def test_permuting_queries_or_support_permutes_nothing_else(settings) -> None:
    e = episode(3, shots=5, per_class=12)
    rng = np.random.default_rng(0)
    want = Bideta(**settings).fit(e.support, e.labels).predict_proba(e.queries)
    order, support = rng.permutation(len(e.truth)), rng.permutation(len(e.labels))
    shuffled = Bideta(**settings).fit(tuple(H[support] for H in e.support), e.labels[support])
    got = shuffled.predict_proba(tuple(H[order] for H in e.queries))
    np.testing.assert_allclose(got, want[order], atol=1e-9)


def test_both_graphs_together_are_row_stochastic_and_labels_are_constant_evidence() -> None:
    e = episode()
    adapted = Bideta(support_nodes=True, prior=None, n_neighbors=7).fit(e.support, e.labels)
    result = adapted.infer(e.queries)
    m, n = len(e.truth), len(e.labels)
    assert result.graph.shape == (m, m)
    assert result.support_graph.shape == (m, n)
    np.testing.assert_allclose(result.graph.sum(axis=1) + result.support_graph.sum(axis=1), 1)
    P, r = result.anchor, result.gate[:, None]
    for _ in range(adapted.n_iter):
        P = (1 - r) * result.anchor + r * (
            result.graph @ P + result.support_graph @ np.eye(5)[adapted.sensor_.labels]
        )
    np.testing.assert_allclose(result.proba, P, atol=1e-12)


def test_without_nodes_there_is_no_support_graph() -> None:
    e = episode()
    result = Bideta().fit(e.support, e.labels).infer(e.queries)
    assert result.support_graph is None
    np.testing.assert_allclose(result.prior, 0.2)


def test_a_single_query_has_labelled_neighbours() -> None:
    e = episode(signal=0.7, shots=12)
    adapted = Bideta(**presets.ROBOT).fit(e.support, e.labels)
    one = adapted.infer(tuple(H[:1] for H in e.queries))
    assert one.graph.nnz == 0
    assert one.support_graph.nnz > 0
    assert one.gate[0] > 0
    assert np.abs(one.proba - one.anchor).max() > 1e-3


def test_queries_that_copy_a_labelled_contact_take_its_label() -> None:
    e = episode(5, signal=0.1, shots=8)  # the memory alone knows little
    adapted = Bideta(support_nodes=True, n_neighbors=1, prior=None).fit(e.support, e.labels)
    assert accuracy(adapted, e.support, e.labels) == 1.0


@pytest.mark.parametrize("dtypes", [(np.float32, np.float64), (np.float64, np.float32)])
@pytest.mark.parametrize("gamma", [0.0, 0.6, 3.0])
def test_support_and_queries_may_differ_in_precision(dtypes, gamma) -> None:
    e = episode()
    settings = {**presets.ROBOT, "gamma": gamma}
    want = Bideta(**settings).fit(e.support, e.labels).predict_proba(e.queries)
    support, queries = (
        tuple(H.astype(dtype) for H in views)
        for views, dtype in zip((e.support, e.queries), dtypes, strict=True)
    )
    np.testing.assert_allclose(
        Bideta(**settings).fit(support, e.labels).predict_proba(queries), want, atol=2e-3
    )


def test_one_class_is_answered_better_than_by_either_fixed_prior() -> None:
    e = episode(2, C=8, shots=8, per_class=60, dims=(20, 30), signal=0.7)
    held = tuple(H[e.truth == 3] for H in e.queries)
    truth = np.full(60, 3)
    scores = {
        prior: accuracy(Bideta(**{**presets.ROBOT, "prior": prior}).fit(e.support, e.labels), held, truth)
        for prior in ("auto", "support", None)
    }
    assert scores["support"] < scores[None] <= scores["auto"]
    assert scores["auto"] > 0.95


def test_a_large_balanced_batch_gets_the_supports_prior() -> None:
    e = episode(1, per_class=30)
    auto, support = (
        Bideta(**{**presets.ROBOT, "prior": prior}).fit(e.support, e.labels).infer(e.queries)
        for prior in ("auto", "support")
    )
    np.testing.assert_array_equal(auto.proba, support.proba)
    np.testing.assert_array_equal(auto.prior, support.prior)


@pytest.mark.parametrize("prior", ["auto", "mixed"])
@pytest.mark.parametrize("m", [1, 2, 3, 7, 40, 100])
def test_the_prior_is_a_distribution_and_so_is_every_answer(prior: str, m: int) -> None:
    e = episode()
    result = (
        Bideta(**{**presets.ROBOT, "prior": prior})
        .fit(e.support, e.labels)
        .infer(tuple(H[:m] for H in e.queries))
    )
    np.testing.assert_allclose(result.proba.sum(axis=1), 1)
    if result.prior is not None:
        assert result.prior.sum() == pytest.approx(1)
        assert (result.prior > 0).all()


def test_one_contact_per_class_leaves_nothing_to_calibrate_and_still_answers() -> None:
    e = episode(shots=1, signal=3.0)
    adapted = Bideta(**presets.ROBOT).fit(e.support, e.labels)
    assert adapted.sensor_.rule.temperature is None
    assert accuracy(adapted, e.queries, e.truth) > 0.8


def test_settings_changed_after_the_fit_take_effect_on_the_graph() -> None:
    e = episode()
    later = Bideta(prior=None).fit(e.support, e.labels).set_params(support_nodes=True, geometry="raw")
    fresh = Bideta(prior=None, support_nodes=True, geometry="raw").fit(e.support, e.labels)
    np.testing.assert_array_equal(later.predict_proba(e.queries), fresh.predict_proba(e.queries))


@pytest.mark.parametrize("settings", ROBOTS, ids=lambda s: str(s["prior"]))
def test_save_and_load_keep_nodes_prior_and_support(settings, tmp_path) -> None:
    e = episode()
    adapted = Bideta(**settings).fit(e.support, e.labels)
    adapted.save(tmp_path / "a.bideta")
    loaded = Bideta.load(tmp_path / "a.bideta")
    np.testing.assert_array_equal(loaded.predict_proba(e.queries), adapted.predict_proba(e.queries))
    for saved, kept in zip(loaded.sensor_.support, e.support, strict=True):
        np.testing.assert_array_equal(saved, kept)
    np.testing.assert_array_equal(loaded.sensor_.labels, e.labels)
    assert loaded.get_params() == adapted.get_params()


def test_the_fit_keeps_its_own_copy_of_the_support() -> None:
    e = episode()
    support = tuple(H.copy() for H in e.support)
    adapted = Bideta(**presets.ROBOT).fit(support, [f"class {c}" for c in e.labels])
    support[0][:] = 0
    np.testing.assert_array_equal(adapted.sensor_.support[0], e.support[0])
    np.testing.assert_array_equal(adapted.classes_[adapted.sensor_.labels], [f"class {c}" for c in e.labels])


@pytest.mark.parametrize("value", ["yes", None, 1])
def test_support_nodes_must_be_true_or_false(value) -> None:
    e = episode()
    with pytest.raises(ValueError, match=r"support_nodes=.*expected True or False"):
        Bideta(support_nodes=value).fit(e.support, e.labels)


def test_the_robot_preset_departs_from_the_papers_in_nodes_and_prior_only() -> None:
    assert presets.ROBOT == {**presets.CLASSIFICATION, "support_nodes": True, "prior": "auto"}
    assert "support_nodes" not in presets.CLASSIFICATION
    assert Bideta().support_nodes is False
    assert Bideta().prior == "support"


def test_labelled_contacts_search_like_queries() -> None:
    """Eqs. 6–7 on all nodes: an edge that only the labelled end chose counts too."""
    e = episode(per_class=3)
    adapted = Bideta(support_nodes=True, prior=None, n_neighbors=3).fit(e.support[0], e.labels)
    result = adapted.infer(e.queries[0])
    m = len(e.truth)
    (readout,) = adapted.sensor_.readouts
    Q = np.vstack([readout.directions(H).rows for H in (e.queries[0], e.support[0])])
    found = nearest(Directions(Q), 3).indices
    chosen = np.zeros((len(Q), len(Q)), bool)
    np.put_along_axis(chosen, found.astype(np.intp), True, axis=1)
    either = chosen | chosen.T
    np.testing.assert_array_equal(result.support_graph.toarray() > 0, either[:m, m:])
    assert (chosen.T & ~chosen)[:m, m:].any()


def test_the_rule_is_named_in_the_error_for_an_unknown_prior() -> None:
    e = episode()
    with pytest.raises(
        ValueError, match='expected "support", "auto", "mixed", "relaxed", None or one number per class'
    ):
        Bideta(prior="guess").fit(e.support, e.labels)
    assert class_prior.MIXTURE == 0.5  # what the docstring says of "mixed"
