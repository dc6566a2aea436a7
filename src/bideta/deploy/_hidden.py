"""Graph settings judged by labelled contacts that hide among the queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bideta.deploy.heldout import fold_numbers
from bideta.estimator import Bideta
from bideta.method.standardize import Floats64

FOLDS = 3
Views = tuple[NDArray[Any], ...]


def right_answers(
    base: Bideta,
    queries: Views,
    changes: Sequence[Mapping[str, Any]],
    seed: int,
) -> list[Floats64]:
    """(h,) for each change of settings: which hidden contacts got their label (1) and which did not (0).

    ``base`` is fitted. Folds of its support are hidden in turn: the rest adapts, the hidden ones join the queries.
    A change of γ costs an adaptation; all cost a neighbour search.
    """
    y, support, m = base.support_labels_, base.support_, len(queries[0])
    groups = base.support_groups_
    number = fold_numbers(y, groups, folds=FOLDS, seed=seed)
    right = [np.zeros(len(y)) for _ in changes]
    for fold in np.unique(number[number >= 0]):
        hidden = number == fold
        batch = tuple(np.concatenate([H, S[hidden]]) for H, S in zip(queries, support, strict=True))
        rest = tuple(S[~hidden] for S in support)
        model = clone(base).fit(rest, y[~hidden], groups[~hidden])
        for outcome, change in zip(right, changes, strict=True):
            changed = model.set_params(**{**base.get_params(), **change})
            if "gamma" in change:
                changed = clone(changed).fit(rest, y[~hidden], groups[~hidden])
            outcome[hidden] = changed.predict_proba(batch)[m:].argmax(axis=1) == y[hidden]
    return [outcome[number >= 0] for outcome in right]
