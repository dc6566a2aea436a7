from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from bideta.method import graph
from bideta.neighbors.search import Neighbors, nearest


def random_graph(m: int = 20, k: int = 4, seed: int = 0) -> csr_array:
    Q = graph.unit_rows(np.random.default_rng(seed).normal(size=(m, 5)))
    return graph.symmetrize(graph.directed(nearest(Q, k), 0.2))


def test_directed_edges_are_a_softmax_over_the_neighbours() -> None:
    found = Neighbors(
        np.array([[1, 2], [0, 2], [0, 1]], np.int32), np.array([[0.5, 0.1], [0.5, -1], [0.1, -1]])
    )
    W = graph.directed(found, 0.5).toarray()
    want = np.exp(np.array([1.0, 0.2]))
    np.testing.assert_allclose(W[0], [0, *(want / want.sum())])
    np.testing.assert_allclose(W.sum(axis=1), 1)


def test_readout_graph_is_the_row_normalised_mean_with_its_transpose() -> None:
    Q = graph.unit_rows(np.random.default_rng(1).normal(size=(12, 5)))
    W = graph.directed(nearest(Q, 3), 0.2)
    dense = (W.toarray() + W.toarray().T) / 2
    np.testing.assert_allclose(graph.symmetrize(W).toarray(), dense / dense.sum(axis=1, keepdims=True))


def test_geometric_consensus_keeps_only_shared_edges() -> None:
    first, second = random_graph(seed=0), random_graph(seed=1)
    G = graph.consensus([first, second], "geometric").toarray()
    shared = (first.toarray() > 0) & (second.toarray() > 0)
    has_edge = shared.any(axis=1)
    assert has_edge.any()
    np.testing.assert_array_equal((G > 0)[has_edge], shared[has_edge])
    np.testing.assert_allclose(G.sum(axis=1), 1)


def test_query_without_shared_edge_uses_the_mean_graph() -> None:
    first = csr_array(np.array([[0, 1.0, 0], [1, 0, 0], [0.5, 0.5, 0]]))
    second = csr_array(np.array([[0, 0, 1.0], [1, 0, 0], [0.5, 0.5, 0]]))
    G = graph.consensus([first, second], "geometric").toarray()
    np.testing.assert_allclose(G, [[0, 0.5, 0.5], [1, 0, 0], [0.5, 0.5, 0]])


def test_arithmetic_fusion_is_the_mean_graph() -> None:
    first, second = random_graph(seed=0), random_graph(seed=1)
    want = (first.toarray() + second.toarray()) / 2
    np.testing.assert_allclose(graph.consensus([first, second], "arithmetic").toarray(), want)


def test_the_only_readout_is_its_own_consensus() -> None:
    first = random_graph()
    assert graph.consensus([first], "geometric") is first


@pytest.mark.parametrize("temperature", [1e-300, 1e300])
def test_extreme_temperatures_keep_rows_stochastic(temperature: float) -> None:
    Q = graph.unit_rows(np.random.default_rng(1).normal(size=(12, 5)))
    G = graph.symmetrize(graph.directed(nearest(Q, 3), temperature))
    np.testing.assert_allclose(graph.consensus([G, G], "geometric").sum(axis=1), 1)


def test_unit_rows_survive_extreme_lengths_and_keep_zero_rows() -> None:
    X = np.array([[3e200, 4e200], [3e-200, 4e-200], [0, 0], [-3, 4]])
    np.testing.assert_allclose(graph.unit_rows(X), [[0.6, 0.8], [0.6, 0.8], [0, 0], [-0.6, 0.8]])
