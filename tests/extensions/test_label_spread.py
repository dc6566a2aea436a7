"""Labels spread over the graph: where walks end."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from bideta.extensions import label_spread
from bideta.extensions.label_spread import GOES_ON, spread_labels


def random_graph(m: int, C: int, seed: int):
    """Symmetric neighbours with row sums of one together with what labelled neighbours say; five have a label near."""
    rng = np.random.default_rng(seed)
    W = rng.random((m, m)) * (rng.random((m, m)) < 8 / m)
    W = W + W.T + 1e-3 * (np.abs(np.subtract.outer(np.arange(m), np.arange(m))) == 1)
    Y = np.zeros((m, C))
    Y[rng.choice(m, 5, replace=False), rng.integers(C, size=5)] = 0.3
    sums = W.sum(axis=1, keepdims=True) + Y.sum(axis=1, keepdims=True)
    return csr_array(W / sums), Y / sums


def walk(G, labelled, steps: int):
    """Where walks from every query end, followed step by step."""
    here, ends = np.eye(len(labelled)), np.zeros_like(labelled)
    for _ in range(steps):
        ends += here @ labelled
        here = GOES_ON * here @ G
    return ends


@pytest.mark.parametrize("direct", [0, 10**6])
def test_labels_are_spread_as_walks_end(monkeypatch, direct: int) -> None:
    monkeypatch.setattr(label_spread, "DIRECT", direct)
    G, labelled = random_graph(60, 3, seed=1)
    ends = walk(G.toarray(), labelled, 3000)
    want = 0.4 * ends / ends.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(spread_labels(G, labelled, 0.4), want, atol=1e-9 if direct else 2e-3)


@pytest.mark.parametrize("direct", [0, 10**6])
def test_a_query_that_no_label_reaches_has_no_part(monkeypatch, direct: int) -> None:
    monkeypatch.setattr(label_spread, "DIRECT", direct)
    G = csr_array(np.array([[0, 0.5, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], float))
    labelled = np.array([[0, 0.5], [0, 0], [0, 0], [0, 0]])
    np.testing.assert_allclose(spread_labels(G, labelled, 0.5), [[0, 0.5], [0, 0.5], [0, 0], [0, 0]])


def test_a_graph_that_goes_round_is_followed_in_plain_steps(monkeypatch) -> None:
    m = 9
    round_trip = np.roll(np.eye(m), 1, axis=1)  # eigenvalues on a circle: the acceleration would not settle
    round_trip[0] *= 0.5
    labelled = np.zeros((m, 2))
    labelled[0, 1] = 0.5
    solved = spread_labels(csr_array(round_trip), labelled, 1.0)
    monkeypatch.setattr(label_spread, "DIRECT", 0)
    np.testing.assert_allclose(spread_labels(csr_array(round_trip), labelled, 1.0), solved, atol=1e-12)
    np.testing.assert_allclose(solved[:, 1], 1)


def test_one_query_is_told_by_its_labelled_neighbours() -> None:
    labelled = np.array([[0.75, 0.25]])
    np.testing.assert_allclose(spread_labels(csr_array((1, 1)), labelled, 0.5), [[0.375, 0.125]])
