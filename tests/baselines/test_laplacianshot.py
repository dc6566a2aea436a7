from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from bideta import load_method
from bideta.baselines.laplacianshot import bound_updates
from support.change_of_sensor import Change, change


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x**2).sum())


def literal(data: Change, k: int, weight: float, rectify: bool, max_iter: int) -> np.ndarray:
    """Algorithm 1 of the paper with binary neighbourhoods, one query at a time."""
    b = data.support[0].mean(axis=0)
    S = [unit(h - b) for h in data.support[0]]
    X = [unit(h - b) for h in data.queries[0]]
    classes = np.unique(data.labels)
    means = [np.mean([s for s, y in zip(S, data.labels, strict=True) if y == c], axis=0) for c in classes]
    neighbours = []
    for q, x in enumerate(X):
        distance = [(((x - z) ** 2).sum(), p) for p, z in enumerate(X) if p != q]
        neighbours.append([p for _, p in sorted(distance)[:k]])
    if rectify:
        eta = np.mean(S, axis=0) - np.mean(X, axis=0)
        X = [x + eta for x in X]
        members: dict[int, list[np.ndarray]] = {c: [] for c in range(len(classes))}
        for z in [*S, *X]:
            cosine = np.array([unit(z) @ unit(m) for m in means])
            w = np.exp(10 * cosine) / np.exp(10 * cosine).sum()
            members[int(cosine.argmax())].append(w[cosine.argmax()] * z)
        means = [np.mean(members[c], axis=0) if members[c] else means[c] for c in range(len(classes))]
    a = np.array([[((x - m) ** 2).sum() for m in means] for x in X])
    Y = np.exp(-a) / np.exp(-a).sum(axis=1, keepdims=True)
    energies = []
    for i in range(max_iter):
        new = []
        for q in range(len(X)):
            pull = sum((Y[p] for p in neighbours[q]), np.zeros(len(classes)))
            e = np.exp(-a[q] + weight * pull)
            new.append(e / e.sum())
        Y = np.array(new)
        energy = 0.0
        for q in range(len(X)):
            pull = sum((Y[p] for p in neighbours[q]), np.zeros(len(classes)))
            energy += (Y[q] * np.log(np.maximum(Y[q], 1e-20)) + a[q] * Y[q] - weight * pull * Y[q]).sum()
        energies.append(energy)
        if i > 1 and abs(energies[-1] - energies[-2]) <= 1e-6 * abs(energies[-2]):
            break
    return Y


@pytest.mark.parametrize("rectify", [False, True])
@pytest.mark.parametrize(("k", "weight"), [(3, 1.0), (5, 0.4)])
def test_agrees_with_the_literal_algorithm(k: int, weight: float, rectify: bool) -> None:
    data = change(3)
    method = load_method("laplacianshot", n_neighbors=k, weight=weight, rectify=rectify)
    P = method.fit(data.support, data.labels).predict_proba(data.queries)
    np.testing.assert_allclose(P, literal(data, k, weight, rectify, 20), atol=1e-10)


def test_without_neighbours_it_is_a_nearest_prototype() -> None:
    data = change(1)
    alone = load_method("laplacianshot", weight=0.0).fit(data.support, data.labels)
    simple = load_method("simpleshot", temperature=1.0).fit(data.support, data.labels)
    np.testing.assert_allclose(
        alone.predict_proba(data.queries), simple.predict_proba(data.queries), atol=1e-12
    )


def test_bound_updates_never_raise_the_energy() -> None:
    rng = np.random.default_rng(0)
    unary, W = rng.random((30, 4)), rng.random((30, 30)) < 0.1
    W = csr_array(((W | W.T) & ~np.eye(30, dtype=bool)).astype(float))

    def energy(Y: np.ndarray) -> float:
        return float((Y * np.log(Y) + unary * Y - 0.5 * (W @ Y) * Y).sum())

    steps = [energy(bound_updates(unary, W, 1.0, n)) for n in range(1, 15)]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(steps))


def test_a_copy_of_a_query_is_its_neighbour() -> None:
    data = change(2)
    twice = tuple(np.vstack([H, H]) for H in data.queries)
    P = load_method("laplacianshot", n_neighbors=1).fit(data.support, data.labels).predict_proba(twice)
    half = len(P) // 2
    np.testing.assert_allclose(P[:half], P[half:], atol=1e-12)
