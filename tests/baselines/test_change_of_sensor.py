"""Who should win where, on a small change of sensor: sanity, not results."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from bideta import plugins
from support.change_of_sensor import change

SEEDS = range(3)


@cache
def accuracy(name: str, **settings: object) -> float:
    info = plugins.find("method", name).INFO
    scores = []
    for seed in SEEDS:
        data = change(seed, C=5, shots=8, per_class=30, dims=(16, 24), shift=3.0, noise=1.2)
        method = plugins.load_method(name, **settings).fit(data.support, data.labels, **data.allowed(info))
        scores.append(np.mean(method.predict(data.queries) == data.truth))
    return float(np.mean(scores))


def test_the_source_head_is_lost() -> None:
    assert accuracy("frozen") < 0.45


@pytest.mark.parametrize("name", ["logistic", "lda", "em-lda", "label-spreading", "bideta"])
def test_methods_that_learn_from_the_support_beat_prototypes(name: str) -> None:
    assert accuracy(name) > accuracy("simpleshot") > accuracy("frozen")


@pytest.mark.parametrize("name", ["tim", "alpha-tim", "paddle", "pt-map", "protolp", "transclip"])
def test_rivals_are_strong_in_the_lda_subspace(name: str) -> None:
    assert accuracy(name) >= accuracy("lda") - 0.03
    assert accuracy(name) > accuracy("simpleshot") + 0.05


@pytest.mark.parametrize("name", ["paddle", "pt-map", "protolp"])
def test_these_rivals_are_weaker_on_raw_readouts(name: str) -> None:
    assert accuracy(name) > accuracy(name, space="raw") + 0.02


@pytest.mark.parametrize("name", ["sitr-support", "sitr-calib", "anytouch-match", "ctsrl-csm"])
def test_trained_heads_beat_prototypes(name: str) -> None:
    pytest.importorskip("torch")
    assert accuracy(name, epochs=40) > accuracy("simpleshot")
