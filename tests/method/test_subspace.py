from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta
from bideta.method import algorithm
from bideta.method.covariance import class_means, within_class
from bideta.method.subspace import PROBES, left_out, sample, spanned

from shift import episode


def rows_of_rank(q: int, d: int, n: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)) @ rng.normal(size=(q, d))


@pytest.mark.parametrize(("q", "d"), [(1, 2), (3, 20), (10, 20), (10, 21), (60, 128)])
def test_basis_is_orthonormal_and_holds_every_row(q: int, d: int) -> None:
    X = rows_of_rank(q, d, 200)
    V = spanned(sample(X))
    assert V is not None
    assert V.shape == (q, d)
    np.testing.assert_allclose(V @ V.T, np.eye(q), atol=1e-13)
    np.testing.assert_allclose(X @ V.T @ V, X, atol=1e-10)


@pytest.mark.parametrize("q", [11, 20])
def test_rows_that_fill_more_than_half_of_the_space_have_no_basis(q: int) -> None:
    assert spanned(sample(rows_of_rank(q, 20, 200))) is None


def test_rows_without_length_have_no_basis() -> None:
    assert spanned(np.zeros((11, 20))) is None


def test_probes_are_orthonormal_and_outside() -> None:
    V = spanned(sample(rows_of_rank(30, 80, 200)))
    N = left_out(V)
    assert N.shape == (PROBES, 80)
    np.testing.assert_allclose(N @ N.T, np.eye(PROBES), atol=1e-13)
    np.testing.assert_allclose(N @ V.T, 0, atol=1e-13)


def head_of(e, d: int, dtype):
    """The first readout of an episode and a linear head of it, support and queries."""
    W = np.random.default_rng(7).normal(size=(e.support[0].shape[1], d))
    return tuple(
        tuple(H.astype(dtype) for H in (views[0], views[0] @ W + 3)) for views in (e.support, e.queries)
    )


def test_residuals_of_a_linear_head_have_the_covariance_of_a_plain_decomposition(monkeypatch) -> None:
    e = episode(C=4, shots=40, dims=(12,))
    (_, Z), _ = head_of(e, 30, np.float64)
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    counts = np.bincount(e.labels)
    means = class_means(Z, counts)
    found = within_class(Z, counts, means)
    assert found.vectors.shape == (30, 12)
    E = Z - means[e.labels]
    np.testing.assert_allclose((found.vectors * found.values) @ found.vectors.T, E.T @ E / len(E), atol=1e-12)
    monkeypatch.setattr("bideta.method.covariance.spanned", lambda rows: None)
    plain = within_class(Z, counts, means)
    assert found.intensity == pytest.approx(plain.intensity, rel=1e-12)
    for rho in (0.0, 0.3):
        values, rest = found.shrunk(rho)
        np.testing.assert_allclose(np.append(values, [rest] * 18), plain.shrunk(rho)[0], atol=1e-12)


def test_a_direction_that_few_residuals_have_is_not_lost() -> None:
    e = episode(C=4, shots=40, dims=(12,))
    (_, Z), _ = head_of(e, 30, np.float64)
    v = np.random.default_rng(0).normal(size=30)
    Z[7], Z[8] = (
        Z[7] + v,
        Z[8] - v,
    )  # of one class, whose mean stays; neither is among those that are looked at
    assert not any((sample(Z) == Z[i]).all(axis=1).any() for i in (7, 8))
    counts = np.bincount(e.labels)
    assert within_class(Z, counts, class_means(Z, counts)).vectors.shape == (30, 30)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_narrow_rows_give_the_answers_of_whole_rows(dtype, monkeypatch) -> None:
    e = episode(C=4, shots=40, per_class=60, dims=(12,))
    support, queries = head_of(e, 30, dtype)
    adapted = Bideta(n_neighbors=10).fit(support, e.labels)
    widths = [
        algorithm._project(r, H, "spectral")[1].shape[1]
        for r, H in zip(adapted.readouts_, queries, strict=True)
    ]
    assert widths == [12, 12]
    got = adapted.predict_proba(queries)
    monkeypatch.setattr(algorithm, "WORTH", 10**9)
    want = adapted.predict_proba(queries)
    np.testing.assert_allclose(got, want, atol=1e-5 if dtype == np.float32 else 1e-10)


def test_one_query_outside_the_part_makes_all_rows_whole() -> None:
    e = episode(C=4, shots=40, per_class=60, dims=(12,))
    support, queries = head_of(e, 30, np.float64)
    readout = Bideta().fit(support, e.labels).readouts_[1]
    H = queries[1].copy()
    H[101] += 1e-3 * np.random.default_rng(0).normal(size=30) * H.std(axis=0)
    assert algorithm._project(readout, H, "spectral")[1].shape == H.shape
    H[101] = readout.standardizer.mean  # without length, in no direction
    assert algorithm._project(readout, H, "spectral")[1].shape == H.shape


def test_queries_outside_the_part_that_few_contacts_fill_have_whole_rows() -> None:
    e = episode(C=4, shots=2, per_class=60, dims=(12,))
    support, queries = head_of(e, 30, np.float64)
    readout = Bideta().fit(support, e.labels).readouts_[1]
    assert readout.covariance.vectors.shape == (30, 4)
    assert algorithm._project(readout, queries[1], "spectral")[1].shape == (240, 30)
