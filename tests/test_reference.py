"""The package against the literal reference, over random cases of every size and setting."""

from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta
from support import reference
from support.random_cases import random_case

CASES = 320


@pytest.mark.parametrize("seed", range(CASES))
def test_probabilities_equal_the_literal_equations(seed: int) -> None:
    compare(*random_case(seed))


@pytest.mark.parametrize("seed", range(0, CASES, 2))
def test_probabilities_with_labelled_nodes_equal_the_literal_equations(seed: int) -> None:
    support, y, queries, parameters = random_case(seed)
    compare(support, y, queries, {**parameters, "support_nodes": True})


@pytest.mark.parametrize("V", [3, 4])
@pytest.mark.parametrize("seed", range(60))
def test_probabilities_of_more_readouts_equal_the_literal_equations(seed: int, V: int) -> None:
    support, y, queries, parameters = random_case(seed, V)
    compare(support, y, queries, {**parameters, "support_nodes": seed % 5 == 0})


@pytest.mark.parametrize("V", [1, 2, 4])
@pytest.mark.parametrize("seed", range(1, 120, 3))  # every third case is held to the support's frequencies
def test_power_mean_and_second_pass_equal_their_definitions(seed: int, V: int) -> None:
    support, y, queries, parameters = random_case(seed, V)
    ours = {"fusion": (0.25, 0.5, 1.0)[seed % 3], "second_pass": True, "support_nodes": seed % 2 == 0}
    compare(support, y, queries, {**parameters, **ours})


@pytest.mark.parametrize("V", [1, 3])
@pytest.mark.parametrize("seed", range(40))
def test_spread_labels_equal_their_definition(seed: int, V: int) -> None:
    support, y, queries, parameters = random_case(seed, V)
    ours = {
        "label_spread": (0.5, 1.0, 0.2)[seed % 3],
        "second_pass": seed % 2 == 0,
        "support_nodes": seed % 5 > 0,
    }
    compare(support, y, queries, {**parameters, **ours})


def compare(support, y, queries, parameters) -> None:
    got = Bideta(**parameters).fit(support, y).predict_proba(queries)
    if isinstance(parameters["prior"], str):
        parameters["prior"] = np.bincount(y) / len(y)
    want = reference.bideta(support, y, queries, **parameters)
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-9)
