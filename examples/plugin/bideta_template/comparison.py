"""Nearest class mean of the standardised readouts: a comparison to copy.

J. J. Rocchio: "Relevance feedback in information retrieval", The SMART Retrieval System, 1971. Where yours departs from
its original, say so here.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bideta.baselines import Infer, MethodInfo, Task, loader

INFO = MethodInfo(
    name="template-centroid",
    title="Nearest class mean",
    reference="Rocchio, The SMART Retrieval System, 1971",
    licence="no original code",
    transductive=False,  # a query's answer does not depend on other queries
    readout="both",
)


def learn(task: Task, *, temperature: float = 1.0) -> Infer:
    """What the labelled contacts teach: class means of all readouts, standardised."""
    X = np.hstack(task.support.readouts)
    mean, spread = X.mean(axis=0), X.std(axis=0) + 1e-9
    centres = np.stack(
        [((X - mean) / spread)[task.support.y == c].mean(axis=0) for c in range(task.n_classes)]
    )
    return partial(scores, mean=mean, spread=spread, centres=centres, temperature=temperature)


def scores(readouts: Any, *, mean: Any, spread: Any, centres: Any, temperature: float) -> Any:
    """(m, C) negative squared distances; their softmax are the probabilities."""
    Q = (np.hstack(readouts) - mean) / spread
    return -((Q[:, None, :] - centres) ** 2).sum(axis=2) / temperature


load = loader(INFO, learn, scored=True)  # checks inputs and settings, gives fit, predict_proba, predict
