"""Logistic regression on the labelled contacts, both readouts side by side.

D. R. Cox: "The regression analysis of binary sequences", J. Royal Statistical Society B 1958; scikit-learn's
multinomial form. Features are standardised by the support (Eq. 1 of the paper). The penalty is chosen by
stratified cross-validation on the support: the strongest one whose held-out likelihood is within one standard
error of the best (L. Breiman et al., Classification and Regression Trees, 1984). Neighbouring frames make the
held-out ones look easier than queries are. With one contact in some class there is nothing to validate
on, and the penalty is the middle of the grid.
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._inputs import Floats, Labels, Readouts, Task
from bideta.baselines._settings import Natural
from bideta.method.readout import Standardizer, standardize

INFO = MethodInfo(
    name="logistic",
    title="Logistic regression",
    reference="Cox, JRSS B, 1958; Pedregosa et al., scikit-learn, JMLR 2011",
    licence="BSD-3-Clause",
    transductive=False,
    readout="both",
)

GRID = (1e-3, 1e-2, 1e-1, 1.0, 10.0)  # scikit-learn's C; beyond either end accuracies stood still in trials
FOLDS = 5  # or as many as the smallest class has contacts
MAX_ITER = 500
TOLERANCE = 1e-4  # of the gradient


def learn(task: Task, *, inverse_penalty: float | None = None, seed: Natural = 0) -> Infer:
    """The regression with its cross-validated penalty."""
    scale = standardize(np.hstack(task.support.readouts))[0]
    Z, y = _standardized(task.support.readouts, scale), task.support.y
    if inverse_penalty is None:
        inverse_penalty = choose(Z, y, seed)
    return partial(infer, scale=scale, model=_fit(inverse_penalty, Z, y))


def infer(readouts: Readouts, scale: Standardizer, model: LogisticRegression) -> Floats:
    """Class distributions of the regression."""
    P: Floats = model.predict_proba(_standardized(readouts, scale))
    return P


def choose(Z: Floats, y: Labels, seed: int) -> float:
    """The first value of the grid (the strongest penalty) that is as good as the best on held-out contacts."""
    folds = min(FOLDS, int(np.bincount(y).min()))
    if folds < 2:
        return GRID[len(GRID) // 2]
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(Z, y))
    losses = np.array([[_loss(value, Z, y, *split) for split in splits] for value in GRID])
    mean, best = losses.mean(axis=1), losses.mean(axis=1).argmin()
    limit = mean[best] + losses[best].std() / np.sqrt(folds)
    return GRID[int((mean <= limit).argmax())]


def _loss(inverse_penalty: float, Z: Floats, y: Labels, train: Labels, held_out: Labels) -> float:
    P = _fit(inverse_penalty, Z[train], y[train]).predict_proba(Z[held_out])
    return float(log_loss(y[held_out], P, labels=np.unique(y)))


def _standardized(readouts: Readouts, scale: Standardizer) -> Floats:
    return np.asarray(scale(np.hstack(readouts)), dtype=np.float64)


def _fit(inverse_penalty: float, Z: Floats, y: Labels) -> LogisticRegression:
    model = LogisticRegression(C=inverse_penalty, max_iter=MAX_ITER, tol=TOLERANCE)
    with warnings.catch_warnings():
        # One contact per class is usual here.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        return model.fit(Z, y)


load = loader(INFO, learn)
