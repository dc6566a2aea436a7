"""Algorithm 1 with what is ours: without it, the paper's to the bit; with it, what the literal equations say."""

from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta
from bideta.extensions import algorithm as extended
from bideta.extensions.class_prior import Rule
from bideta.extensions.labelled_nodes import labelled_nodes
from bideta.extensions.settings import SensorSettings
from bideta.method import algorithm
from bideta.method.readout import adapt
from bideta.neighbors.search import nearest
from support import reference
from support.random_cases import random_case
from support.sensor_shift import episode

DIMS = (12, 18, 7)


@pytest.mark.parametrize("m", [1, 2, 4, 5, 100])
@pytest.mark.parametrize("prior", [None, "support"])
@pytest.mark.parametrize("V", [1, 2, 3])
def test_without_nodes_and_rule_it_is_the_papers_to_the_bit(m: int, prior, V: int) -> None:
    e = episode(dims=DIMS[:V])
    settings = SensorSettings(n_neighbors=7)
    queries = tuple(H[:m] for H in e.queries)
    readouts = [adapt(H, e.labels, np.full(5, 0.2), settings) for H in e.support]
    frequencies = None if prior is None else np.full(5, 0.2)
    want = algorithm.infer(readouts, queries, frequencies, settings, nearest)
    got = extended.infer(readouts, e.support, e.labels, queries, frequencies, settings, nearest, None)
    for part in ("anchor", "ambiguity", "disagreement", "gate", "proba"):
        np.testing.assert_array_equal(getattr(got, part), getattr(want, part))
    np.testing.assert_array_equal(got.graph.toarray(), want.graph.toarray())
    assert got.recall == want.recall
    assert (got.prior is None) == (want.prior is None)


@pytest.mark.parametrize("V", [1, 3, 4])
@pytest.mark.parametrize("seed", range(20))
def test_labelled_nodes_of_any_number_of_readouts_equal_the_literal_equations(seed: int, V: int) -> None:
    support, y, queries, parameters = random_case(seed, V)
    prior = parameters.pop("prior")
    frequencies = np.bincount(y) / len(y) if isinstance(prior, str) else prior
    settings = SensorSettings(**parameters)
    readouts = [
        adapt(H, y, np.bincount(y) / len(y) if prior is None else frequencies, settings) for H in support
    ]
    nodes = labelled_nodes(readouts, support, y, settings.geometry, settings.n_neighbors)
    got = extended.infer(readouts, support, y, queries, frequencies, settings, nearest, nodes)
    want = reference.bideta(support, y, queries, **parameters, prior=frequencies, support_nodes=True)
    np.testing.assert_allclose(got.proba, want, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("m", "prior", "nodes", "n_iter", "graph"),
    [
        (1, None, False, 10, False),
        (2, None, False, 10, True),
        (4, "support", False, 10, False),
        (5, "support", False, 10, True),
        (1, "support", True, 10, True),
        (1, "rule", False, 10, False),
        (2, "rule", False, 10, True),
        (100, None, True, 0, False),
    ],
)
def test_a_graph_is_made_where_it_is_needed(m, prior, nodes, n_iter, graph) -> None:
    e = episode()
    given = {None: None, "support": np.full(5, 0.2), "rule": Rule(np.full(5, 6), 1.0)}[prior]
    sensor = Bideta(support_nodes=True).fit(e.support, e.labels).sensor_
    settings = SensorSettings(n_iter=n_iter)
    assert extended.has_graph(m, 5, given, settings, sensor.nodes if nodes else None) is graph


@pytest.mark.parametrize("prior", ["auto", "mixed"])
def test_three_readouts_have_a_rule_and_nodes(prior: str) -> None:
    e = episode(dims=DIMS, per_class=30)
    adapted = Bideta(support_nodes=True, prior=prior).fit(e.support, e.labels)
    result = adapted.infer(e.queries)
    assert adapted.sensor_.rule.temperature > 0
    np.testing.assert_allclose(result.proba.sum(axis=1), 1)
    assert (result.proba.argmax(axis=1) == e.truth).mean() > 0.8
