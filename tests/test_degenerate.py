"""Inputs at the edge: each has a documented result; never NaN, never a hang. What is refused: test_refusals.py."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bideta import Bideta
from support.sensor_shift import Episode, episode, replaced

BASE = episode(11, C=4, shots=5, per_class=6, dims=(6, 9))


def check(support, labels, queries, **parameters) -> np.ndarray:
    """Probabilities, having checked that they are distributions and repeatable."""
    adapted = Bideta(**parameters).fit(support, labels)
    P = adapted.predict_proba(queries)
    assert np.isfinite(P).all()
    assert (P >= 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-9)
    np.testing.assert_array_equal(adapted.predict_proba(queries), P)
    return P


def accuracy(P: np.ndarray, truth=BASE.truth) -> float:
    return float((P.argmax(axis=1) == truth).mean())


S, Y, Q = BASE.support, BASE.labels, BASE.queries
EASY = episode(11, C=4, shots=5, per_class=6, dims=(6, 9), signal=6.0)


def constant_features(e: Episode):
    return replaced(e.support, np.s_[:, 1], 0.1), replaced(e.queries, np.s_[:, 1], 0.1)


def test_a_constant_feature_carries_no_weight() -> None:
    support, queries = constant_features(BASE)
    without = tuple(np.delete(H, 1, axis=1) if v == 0 else H for v, H in enumerate(support))
    without_q = tuple(np.delete(H, 1, axis=1) if v == 0 else H for v, H in enumerate(queries))
    # The shrinkage target is spread over one more direction, hence close and not equal.
    assert np.abs(check(support, Y, queries) - check(without, Y, without_q)).max() < 0.1


def test_a_readout_that_is_constant_altogether_leaves_the_other_in_charge() -> None:
    dead = (np.ones_like(S[0]), EASY.support[1])
    P = check(dead, Y, (np.ones_like(Q[0]), EASY.queries[1]))
    assert accuracy(P) > 0.9


def test_everything_constant_returns_the_prior() -> None:
    P = check((np.ones((20, 3)),), Y, (np.ones((8, 3)),))
    np.testing.assert_allclose(P, 0.25, atol=1e-9)


def test_duplicate_support_rows_are_just_more_weight() -> None:
    P = check(tuple(np.repeat(H, 3, axis=0) for H in EASY.support), np.repeat(Y, 3), EASY.queries)
    assert accuracy(P) > 0.9


def test_duplicate_queries_with_the_same_neighbours_get_the_same_answer() -> None:
    P = check(EASY.support, Y, tuple(np.repeat(H, 2, axis=0) for H in EASY.queries))
    assert (P[::2].argmax(axis=1) == P[1::2].argmax(axis=1)).all()


def test_all_queries_identical() -> None:
    P = check(S, Y, tuple(np.tile(H[:1], (12, 1)) for H in Q))
    np.testing.assert_allclose(P, np.tile(P[:1], (12, 1)), atol=1e-9)


def test_a_query_at_the_support_mean_has_zero_length_and_an_answer() -> None:
    check(S, Y, tuple(np.vstack([H.mean(axis=0), Hq]) for H, Hq in zip(S, Q, strict=True)))


def test_all_queries_at_the_support_mean() -> None:
    check(S, Y, tuple(np.tile(H.mean(axis=0), (5, 1)) for H in S))


def test_one_shot_per_class_is_a_nearest_mean_rule() -> None:
    P = check(tuple(H[::5] for H in EASY.support), Y[::5], EASY.queries)
    assert accuracy(P) > 0.9


def test_one_class_with_one_shot_among_many() -> None:
    kept = np.r_[0:11]  # classes 0 and 1 with five, class 2 with one contact
    check(tuple(H[kept] for H in S), Y[kept], Q)


@pytest.mark.filterwarnings("ignore:all labels are:UserWarning")
def test_a_single_class_is_always_the_answer() -> None:
    P = check(tuple(H[:5] for H in S), ["only"] * 5, Q)
    np.testing.assert_allclose(P, 1.0, atol=1e-9)


@pytest.mark.filterwarnings("ignore:all labels are:UserWarning")
def test_a_single_support_contact() -> None:
    np.testing.assert_allclose(check(tuple(H[:1] for H in S), [3], Q), 1.0, atol=1e-9)


def test_two_classes() -> None:
    kept = Y < 2
    P = check(tuple(H[kept] for H in EASY.support), Y[kept], tuple(H[BASE.truth < 2] for H in EASY.queries))
    assert accuracy(P, BASE.truth[BASE.truth < 2]) > 0.9


def test_a_thousand_classes() -> None:
    rng = np.random.default_rng(0)
    means = rng.normal(size=(1000, 30)) * 4
    y = np.arange(1000).repeat(2)
    draw = lambda: means[y] + rng.normal(size=(2000, 30))  # noqa: E731
    P = check((draw(),), y, (draw(),), n_neighbors=3)
    assert accuracy(P, y) > 0.95


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("prior", ["support", None])
def test_tiny_batches(m: int, prior) -> None:
    P = check(EASY.support, Y, tuple(H[:m] for H in EASY.queries), prior=prior)
    assert P.shape == (m, 4)


@pytest.mark.parametrize("k", [1, 22, 23, 24, 10_000])
def test_neighbourhoods_up_to_and_beyond_the_batch(k: int) -> None:
    assert accuracy(check(EASY.support, Y, EASY.queries, n_neighbors=k, prior="support")) > 0.9


def test_one_feature() -> None:
    check((S[0][:, :1], S[1][:, :1]), Y, (Q[0][:, :1], Q[1][:, :1]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64, np.int8, np.uint8, bool, "longdouble"])
def test_other_number_types_are_accepted(dtype) -> None:
    def cast(views):
        return tuple((np.round(H * 8) % 100).astype(dtype) for H in views)

    P = check(cast(S), Y, cast(Q))
    assert P.dtype == np.float64


def test_float32_is_close_to_float64() -> None:
    single = check(tuple(H.astype(np.float32) for H in S), Y, tuple(H.astype(np.float32) for H in Q))
    assert np.abs(single - check(S, Y, Q)).max() < 1e-3


def test_mixed_precision_between_fit_and_predict() -> None:
    want = check(S, Y, Q)
    got = Bideta().fit(S, Y).predict_proba(tuple(H.astype(np.float32) for H in Q))
    back = Bideta().fit(tuple(H.astype(np.float32) for H in S), Y).predict_proba(Q)
    assert np.abs(got - want).max() < 1e-3
    assert np.abs(back - want).max() < 1e-3


@pytest.mark.parametrize(
    "layout",
    [
        np.asfortranarray,
        lambda H: H[::-1][::-1].copy()[::-1][::-1],
        lambda H: np.repeat(H, 2, axis=1)[:, ::2],
        lambda H: H[:, ::-1].copy()[:, ::-1],
        lambda H: H.tolist(),
        lambda H: np.ma.masked_array(H),
        lambda H: H.astype(">f8"),
    ],
    ids=["fortran", "negative strides", "strided", "reversed columns", "lists", "masked", "big endian"],
)
def test_memory_layout_does_not_matter(layout) -> None:
    np.testing.assert_allclose(
        check(tuple(map(layout, S)), Y, tuple(map(layout, Q))), check(S, Y, Q), atol=1e-9
    )


def test_read_only_memory_map(tmp_path) -> None:
    def mapped(name, H):
        np.save(tmp_path / name, H)
        return np.load(tmp_path / name, mmap_mode="r")

    support = tuple(mapped(f"s{v}.npy", H) for v, H in enumerate(S))
    queries = tuple(mapped(f"q{v}.npy", H) for v, H in enumerate(Q))
    np.testing.assert_array_equal(check(support, Y, queries), check(S, Y, Q))


def test_read_only_arrays_are_not_written_to() -> None:
    support, queries = (tuple(H.copy() for H in views) for views in (S, Q))
    for H in (*support, *queries):
        H.flags.writeable = False
    check(support, Y, queries)


def test_pandas_frames_and_series() -> None:
    frames = tuple(pd.DataFrame(H, columns=[f"c{i}" for i in range(H.shape[1])]) for H in S)
    queries = tuple(pd.DataFrame(H, columns=[f"c{i}" for i in range(H.shape[1])]) for H in Q)
    names = pd.Series(Y).map({0: "a", 1: "b", 2: "c", 3: "d"})
    np.testing.assert_allclose(check(frames, names, queries), check(S, Y, Q), atol=1e-12)
    assert Bideta().fit(frames, names.astype("category")).classes_.tolist() == ["a", "b", "c", "d"]


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch")
    support = tuple(torch.tensor(H, requires_grad=True) for H in S)
    queries = tuple(torch.tensor(H) for H in Q)
    np.testing.assert_array_equal(check(support, torch.tensor(Y), queries), check(S, Y, Q))


@pytest.mark.parametrize("factor", [1e-300, 1e-200, 1e200, 1e300])
def test_extreme_feature_scales_change_nothing(factor: float) -> None:
    moved = check(tuple(H * factor for H in S), Y, tuple(H * factor for H in Q))
    np.testing.assert_allclose(moved, check(S, Y, Q), atol=1e-8)


@pytest.mark.parametrize("factor", [1e-30, 1e30])
def test_extreme_float32_scales(factor: float) -> None:
    check(
        tuple((H * factor).astype(np.float32) for H in S),
        Y,
        tuple((H * factor).astype(np.float32) for H in Q),
    )


@pytest.mark.parametrize("value", [1e300, -1e300, 1e-300])
@pytest.mark.parametrize("geometry", ["spectral", "raw"])
def test_queries_far_beyond_the_support(value: float, geometry: str) -> None:
    check(S, Y, tuple(np.vstack([H, np.full((1, H.shape[1]), value)]) for H in Q), geometry=geometry)


def test_disconnected_graph() -> None:
    apart = tuple(np.vstack([H - 500, H + 500]) for H in Q)
    check(S, Y, apart, n_neighbors=2)


@pytest.mark.parametrize(
    "parameters",
    [
        {"memory_temperature": 1e-300},
        {"memory_temperature": 1e300},
        {"graph_temperature": 1e-300},
        {"graph_temperature": 1e300},
        {"gate_exponent": 1e-300},
        {"gate_exponent": 1e300},
        {"gamma": 10.0},
        {"shrinkage": 0.0},
        {"shrinkage": 1.0},
        {"r_min": 0.0, "r_max": 0.0},
        {"r_min": 0.0, "r_max": 0.999999},
        {"n_iter": 500},
        {"alpha": 0.0},
        {"prior": [1.0, 0.0, 0.0, 0.0]},
        {"prior": [0.5, 0.5, 0.0, 0.0]},
        {"prior": np.array([1e-300, 1 / 3, 1 / 3, 1 / 3])},
    ],
    ids=str,
)
def test_extreme_settings_give_distributions(parameters) -> None:
    check(S, Y, Q, **parameters)
    check(tuple(H[::5] for H in S), Y[::5], Q, **parameters)
