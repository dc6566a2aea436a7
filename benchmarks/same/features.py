"""Made-up readouts of one sensor: classes, presses, directions that vary inside every class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

NAMES = np.array(["bolt", "coin", "gear", "key", "lens", "nut", "pin", "ring", "screw", "washer"])


class Contacts(NamedTuple):
    """Labelled contacts and queries, with the press of each."""

    support: tuple[NDArray[Any], ...]
    labels: NDArray[np.str_]
    presses: NDArray[np.intp]  # of the labelled contacts
    queries: tuple[NDArray[Any], ...]
    truth: NDArray[np.str_]
    query_presses: NDArray[np.intp]

    def of(self, readouts: slice, dtype: str) -> Contacts:
        """Some of the readouts, in this precision."""
        support, queries = (
            tuple(H.astype(dtype) for H in every[readouts]) for every in (self.support, self.queries)
        )
        return self._replace(support=support, queries=queries)

    def batch(self, m: int) -> tuple[NDArray[Any], ...]:
        """The first m queries."""
        return tuple(H[:m] for H in self.queries)


def contacts(
    seed: int,
    *,
    m: int,
    C: int = 6,
    presses: int = 4,
    frames: int = 2,
    dims: tuple[int, ...] = (40, 56),
    signal: float = 0.5,
    unbalanced: bool = False,
) -> Contacts:
    """Labelled presses of every class and m queries, three frames a press, in random order of presses."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(C), presses * frames)
    numbers = np.repeat(np.arange(C * presses), frames)
    query_presses = np.arange(m) // 3
    share = 0.5 ** np.arange(C) if unbalanced else np.ones(C)
    truth = rng.choice(C, size=-(-m // 3), p=share / share.sum())[query_presses]
    support, queries = [], []
    for d in dims:
        means = signal * rng.normal(size=(C, d))
        nuisance = 3 * rng.normal(size=(3, d))
        scale, offset = rng.uniform(0.5, 2, d), rng.normal(size=d)
        for y, press, made in ((labels, numbers, support), (truth, query_presses, queries)):
            pressed = rng.normal(size=(press[-1] + 1, d)) + rng.normal(size=(press[-1] + 1, 3)) @ nuisance
            made.append((means[y] + pressed[press] + 0.3 * rng.normal(size=(len(y), d))) * scale + offset)
    return Contacts(tuple(support), NAMES[labels], numbers, tuple(queries), NAMES[truth], query_presses)
