"""Graph settings judged by labelled contacts that hide among the queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bideta.deploy.folds import hidden_folds
from bideta.method import Floats, Floats64
from bideta.sensor import Sensor

FOLDS = 3


def right_answers(
    sensor: Sensor, queries: Sequence[Floats], changes: Sequence[Mapping[str, Any]], seed: int
) -> list[Floats64]:
    """(h,) for each change of settings: which hidden contacts got their label (1) and which did not (0).

    Folds of the support are hidden in turn: the rest adapts, the hidden ones join the queries. A change of γ costs an
    adaptation; all cost a neighbour search.
    """
    y, m, counts = sensor.labels, len(queries[0]), np.bincount(sensor.labels)
    right = np.full((len(changes), len(y)), np.nan)
    for hidden, rest in hidden_folds(sensor, folds=FOLDS, seed=seed):
        batch = tuple(np.concatenate([H, S[hidden]]) for H, S in zip(queries, sensor.support, strict=True))
        for outcome, change in zip(right, changes, strict=True):
            settings = replace(sensor.settings, **change)
            changed = rest
            if "gamma" in change:
                changed = replace(rest, settings=settings)
                changed = changed.with_support(rest.support, rest.labels, rest.presses, counts=counts)
            outcome[hidden] = changed.infer(batch, settings).proba[m:].argmax(axis=1) == y[hidden]
    return [outcome[~np.isnan(outcome)] for outcome in right]
