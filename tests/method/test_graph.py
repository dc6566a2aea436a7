from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from bideta.method import graph
from bideta.method.graph import Neighbors
from bideta.method.readout import Directions, unit_rows
from bideta.neighbors.search import nearest


def random_neighbors(m: int, k: int, seed: int) -> Neighbors:
    return nearest(Directions(unit_rows(np.random.default_rng(seed).normal(size=(m, 5)))), k)


def random_graph(m: int = 20, k: int = 4, seed: int = 0) -> csr_array:
    return graph.symmetrize(graph.directed(random_neighbors(m, k, seed), 0.2))


def test_directed_edges_are_a_softmax_over_the_neighbours() -> None:
    found = Neighbors(
        np.array([[1, 2], [0, 2], [0, 1]], np.int32), np.array([[0.5, 0.1], [0.5, -1], [0.1, -1]])
    )
    W = graph.directed(found, 0.5).toarray()
    want = np.exp(np.array([1.0, 0.2]))
    np.testing.assert_allclose(W[0], [0, *(want / want.sum())])
    np.testing.assert_allclose(W.sum(axis=1), 1)


def test_readout_graph_is_the_row_normalised_mean_with_its_transpose() -> None:
    W = graph.directed(random_neighbors(12, 3, seed=1), 0.2)
    dense = (W.toarray() + W.toarray().T) / 2
    np.testing.assert_allclose(graph.symmetrize(W).toarray(), dense / dense.sum(axis=1, keepdims=True))


def test_the_first_rows_of_a_readout_graph_can_be_had_alone() -> None:
    W = graph.directed(random_neighbors(12, 3, seed=1), 0.2)
    np.testing.assert_allclose(graph.symmetrize(W, 5).toarray(), graph.symmetrize(W).toarray()[:5])


@pytest.mark.parametrize("V", [2, 3, 5])
def test_geometric_consensus_keeps_only_shared_edges(V: int) -> None:
    graphs = [random_graph(k=9, seed=seed) for seed in range(V)]
    G = graph.consensus(graphs, "geometric").toarray()
    shared = np.all([g.toarray() > 0 for g in graphs], axis=0)
    has_edge = shared.any(axis=1)
    assert has_edge.any()
    np.testing.assert_array_equal((G > 0)[has_edge], shared[has_edge])
    np.testing.assert_allclose(G.sum(axis=1), 1)


def test_query_without_shared_edge_uses_the_mean_graph() -> None:
    first = csr_array(np.array([[0, 1.0, 0], [1, 0, 0], [0.5, 0.5, 0]]))
    second = csr_array(np.array([[0, 0, 1.0], [1, 0, 0], [0.5, 0.5, 0]]))
    G = graph.consensus([first, second], "geometric").toarray()
    np.testing.assert_allclose(G, [[0, 0.5, 0.5], [1, 0, 0], [0.5, 0.5, 0]])


def test_three_readouts_give_the_cube_root_of_the_product_or_the_mean() -> None:
    first = csr_array(np.array([[0, 0.5, 0.5], [0.2, 0, 0.8], [1, 0, 0]]))
    second = csr_array(np.array([[0, 0.1, 0.9], [0.5, 0, 0.5], [0.5, 0.5, 0]]))
    third = csr_array(np.array([[0, 0.3, 0.7], [0.4, 0, 0.6], [0, 1.0, 0]]))
    G = graph.consensus([first, second, third], "geometric").toarray()
    for row, products in (
        (0, [0, 0.5 * 0.1 * 0.3, 0.5 * 0.9 * 0.7]),
        (1, [0.2 * 0.5 * 0.4, 0, 0.8 * 0.5 * 0.6]),
    ):
        np.testing.assert_allclose(G[row], np.cbrt(products) / np.cbrt(products).sum())
    np.testing.assert_allclose(G[2], [0.5, 0.5, 0])  # two of three share the edges: that is none


def test_a_product_that_vanishes_in_double_still_has_its_roots() -> None:
    tiny = csr_array(np.array([[0, 1e-200, 1 - 1e-200], [1, 0, 0], [1, 0, 0]]))
    other = csr_array(np.array([[0, 1.0, 0], [1, 0, 0], [1, 0, 0]]))
    G = graph.consensus([tiny, other, tiny], "geometric").toarray()
    np.testing.assert_allclose(G[0], [0, 1, 0])


@pytest.mark.parametrize("V", [2, 3, 5])
def test_arithmetic_fusion_is_the_mean_graph(V: int) -> None:
    graphs = [random_graph(seed=seed) for seed in range(V)]
    want = np.mean([g.toarray() for g in graphs], axis=0)
    np.testing.assert_allclose(graph.consensus(graphs, "arithmetic").toarray(), want)


@pytest.mark.parametrize("fusion", ["geometric", "arithmetic"])
@pytest.mark.parametrize("V", [2, 3, 4])
def test_copies_of_a_graph_have_that_graph_as_consensus(V: int, fusion: str) -> None:
    one = random_graph()
    np.testing.assert_allclose(
        graph.consensus([random_graph() for _ in range(V)], fusion).toarray(), one.toarray()
    )


def test_the_graphs_of_the_readouts_are_not_changed() -> None:
    graphs = [random_graph(seed=seed) for seed in range(3)]
    before = [g.toarray() for g in graphs]
    for fusion in ("geometric", "arithmetic"):
        graph.consensus(graphs, fusion)
    np.testing.assert_array_equal([g.toarray() for g in graphs], before)


def test_the_only_readout_is_its_own_consensus() -> None:
    first = random_graph()
    assert graph.consensus([first], "geometric") is first


@pytest.mark.parametrize("temperature", [1e-300, 1e300])
def test_extreme_temperatures_keep_rows_stochastic(temperature: float) -> None:
    G = graph.symmetrize(graph.directed(random_neighbors(12, 3, seed=1), temperature))
    np.testing.assert_allclose(graph.consensus([G, G], "geometric").sum(axis=1), 1)
