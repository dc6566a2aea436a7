"""What must hold whatever the data: permutations, relabelling, scale, bounds, repetition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from bideta import Bideta
from support.sensor_shift import episode

SETTINGS = settings(max_examples=25, deadline=None, derandomize=True)


@st.composite
def problems(draw):
    e = episode(
        draw(st.integers(0, 10_000)),
        C=draw(st.integers(2, 6)),
        shots=draw(st.integers(1, 8)),
        per_class=draw(st.integers(2, 9)),
        dims=(draw(st.integers(2, 25)), draw(st.integers(2, 25))),
        signal=draw(st.sampled_from([0.3, 1.0, 4.0])),
    )
    parameters = {
        "alpha": draw(st.sampled_from([0.0, 0.5, 0.8])),
        "gamma": draw(st.sampled_from([0.0, 0.6, 1.0])),
        "n_neighbors": draw(st.integers(1, 30)),
        "n_iter": draw(st.integers(0, 8)),
        "fusion": draw(st.sampled_from(["geometric", "arithmetic"])),
        "prior": draw(st.sampled_from(["support", None])),
        "shrinkage": draw(st.sampled_from(["auto", 0.1, 1.0])),
    }
    return e, parameters


def proba(e, parameters, support=None, labels=None, queries=None):
    adapted = Bideta(**parameters).fit(support or e.support, e.labels if labels is None else labels)
    return adapted.predict_proba(queries or e.queries)


@SETTINGS
@given(problems(), st.integers(0, 1000))
def test_permuting_queries_permutes_answers(problem, seed) -> None:
    e, parameters = problem
    order = np.random.default_rng(seed).permutation(len(e.truth))
    shuffled = proba(e, parameters, queries=tuple(H[order] for H in e.queries))
    np.testing.assert_allclose(shuffled, proba(e, parameters)[order], atol=1e-10)


@SETTINGS
@given(problems(), st.integers(0, 1000))
def test_permuting_the_support_changes_nothing(problem, seed) -> None:
    e, parameters = problem
    order = np.random.default_rng(seed).permutation(len(e.labels))
    shuffled = proba(e, parameters, tuple(H[order] for H in e.support), e.labels[order])
    np.testing.assert_allclose(shuffled, proba(e, parameters), atol=1e-8)


@SETTINGS
@given(problems())
def test_relabelling_classes_permutes_columns(problem) -> None:
    e, parameters = problem
    C = e.labels.max() + 1
    reversed_names = C - 1 - e.labels
    np.testing.assert_allclose(
        proba(e, parameters, labels=reversed_names), proba(e, parameters)[:, ::-1], atol=1e-8
    )


@SETTINGS
@given(problems())
def test_swapping_readouts_at_equal_weight_changes_nothing(problem) -> None:
    e, parameters = problem
    parameters["alpha"] = 0.5
    swapped = proba(e, parameters, e.support[::-1], queries=e.queries[::-1])
    np.testing.assert_allclose(swapped, proba(e, parameters), atol=1e-10)


@SETTINGS
@given(problems(), st.integers(0, 1000))
def test_feature_scale_and_shift_change_nothing(problem, seed) -> None:
    e, parameters = problem
    rng = np.random.default_rng(seed)
    scales = [10 ** rng.uniform(-3, 3, H.shape[1]) for H in e.support]
    shifts = [rng.normal(size=H.shape[1]) for H in e.support]

    def move(views):
        return tuple(H * s + b for H, s, b in zip(views, scales, shifts, strict=True))

    moved = proba(e, parameters, move(e.support), queries=move(e.queries))
    np.testing.assert_allclose(moved, proba(e, parameters), atol=1e-6)


@SETTINGS
@given(problems())
def test_rows_sum_to_one_and_the_gate_stays_within_its_bounds(problem) -> None:
    e, parameters = problem
    result = Bideta(**parameters).fit(e.support, e.labels).infer(e.queries)
    for P in (*result.views, result.anchor, result.proba):
        np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-9)
        assert (P >= 0).all()
    assert ((result.gate == 0) | ((result.gate >= 0.7) & (result.gate <= 0.9))).all()
    assert ((result.ambiguity >= 0) & (result.ambiguity <= 1)).all()
    assert ((result.disagreement >= 0) & (result.disagreement <= 1)).all()


@SETTINGS
@given(problems())
def test_no_iteration_is_the_anchor(problem) -> None:
    e, parameters = problem
    result = Bideta(**{**parameters, "n_iter": 0}).fit(e.support, e.labels).infer(e.queries)
    np.testing.assert_array_equal(result.proba, result.anchor)


@SETTINGS
@given(problems())
def test_zero_gamma_is_the_graph_of_standardised_features(problem) -> None:
    e, parameters = problem
    parameters["gamma"] = 0.0
    adapted = Bideta(**parameters).fit(e.support, e.labels)
    scaled = tuple(r.standardizer(H) for r, H in zip(adapted.sensor_.readouts, e.queries, strict=True))
    scaled_support = tuple(
        r.standardizer(H) for r, H in zip(adapted.sensor_.readouts, e.support, strict=True)
    )
    raw = Bideta(**{**parameters, "geometry": "raw"}).fit(scaled_support, e.labels).predict_proba(scaled)
    np.testing.assert_allclose(adapted.predict_proba(e.queries), raw, atol=1e-8)


@SETTINGS
@given(problems())
def test_predicting_or_fitting_twice_is_the_same_as_once(problem) -> None:
    e, parameters = problem
    adapted = Bideta(**parameters).fit(e.support, e.labels)
    first = adapted.predict_proba(e.queries)
    np.testing.assert_array_equal(adapted.predict_proba(e.queries), first)
    np.testing.assert_array_equal(adapted.fit(e.support, e.labels).predict_proba(e.queries), first)


@pytest.mark.parametrize("dims", [(40, 70), (300, 200)])
@pytest.mark.parametrize("shots", [4, 60])
def test_one_and_two_blas_threads_give_the_same_answer(dims, shots) -> None:
    e = episode(3, C=8, shots=shots, per_class=60, dims=dims)
    answers = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            answers.append(proba(e, {}))
    np.testing.assert_allclose(answers[0], answers[1], rtol=0, atol=1e-12)
