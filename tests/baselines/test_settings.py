from __future__ import annotations

import inspect

import pytest

from bideta import load_method
from bideta.plugins import find


def test_load_has_the_settings_as_its_signature() -> None:
    known = inspect.signature(find("method", "tip-adapter").load).parameters
    assert list(known) == ["mode", "alpha", "beta"]
    assert known["mode"].default == "tuned"


@pytest.mark.parametrize(
    ("method", "settings", "message"),
    [
        ("knn", {"n_neighbors": 0}, "n_neighbors=0: expected an integer >= 1"),
        ("logistic", {"seed": -1}, "seed=-1: expected an integer >= 0"),
        ("laplacianshot", {"weight": -1.0}, "weight=-1.0: expected a number >= 0"),
        ("laplacianshot", {"rectify": 1}, "rectify=1: expected True or False"),
        ("simpleshot", {"temperature": 0.0}, "temperature=0.0: expected a number > 0"),
        ("tip-adapter", {"mode": "x"}, "mode='x': expected one of 'tuned', 'paper', 'cache'"),
        ("frozen", {"seed": 1}, "frozen has no setting seed; known: none"),
    ],
)
def test_the_type_of_a_setting_says_what_it_may_be(method: str, settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(") + "$"):
        load_method(method, **settings)


def test_a_limit_may_be_zero() -> None:
    assert load_method("em-lda", max_iter=0).settings == {"max_iter": 0}
