"""What to label next: scikit-activeml's strategies, in the same geometry and with the same rounds as ours.

The unit is a press: rivals choose among the middle frames of presses, ours among all frames, each press once. A round
asks for as many labels as there are classes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import Bideta, presets
from bideta.deploy import suggest
from bideta.deploy.geometry import spectral
from bideta.deploy.labelling.suggestions import LEAST_DOUBT, _cover, _near, cold_geometry, doubts
from bideta.protocol.episode import Contacts

Rows = NDArray[np.int64]
Array = NDArray[np.float64]
AXES = 100  # principal axes of the geometry that strategies with a classifier of their own work on


def adapt(pool: Contacts, rows: Rows, **changed: Any) -> Bideta:
    """The sensor after these contacts were labelled, as the preset has it unless something is ``changed``."""
    chosen = pool[rows]
    return Bideta(**{**presets.TOUCH, **changed}).fit(
        chosen.readouts, chosen.labels.astype(str), chosen.presses
    )


def middle_frames(positions: Array, presses: Rows) -> Rows:
    """The frame of every press that is nearest to the press's mean."""
    rows = []
    for press in np.unique(presses):
        frames = np.flatnonzero(presses == press)
        rows.append(frames[(positions[frames] @ positions[frames].mean(axis=0)).argmax()])
    return np.array(rows)


def ours(pool: Contacts, count: int, step: int, rng: np.random.Generator) -> Rows:
    """``bideta suggest``, asked again in every round."""
    rows = np.zeros(0, np.int64)
    while len(rows) < count:
        rest = np.flatnonzero(~np.isin(pool.presses, pool.presses[rows]))
        adapted = adapt(pool, rows) if len(set(pool.labels[rows])) > 1 else None
        wanted = min(step, count - len(rows))
        rows = np.append(rows, rest[suggest(pool[rest].readouts, wanted, adapted, pool.presses[rest])])
    return rows


def ours_by_press(pool: Contacts, count: int, step: int, rng: np.random.Generator) -> Rows:
    """The same rule among the middle frames of presses, each press weighing alike."""
    cold = cold_geometry(pool.readouts, pool.presses)
    middle = middle_frames(cold, pool.presses)
    chosen = np.zeros(0, np.int64)
    while len(chosen) < count:
        rest = np.setdiff1d(np.arange(len(middle)), chosen)
        positions, doubt = cold[middle], np.ones(len(middle))
        if len(set(pool.labels[middle[chosen]])) > 1:
            adapted = adapt(pool, middle[chosen])
            positions = spectral(adapted.sensor_.readouts, pool[middle].readouts)
            doubt = doubts(adapted.infer(pool[middle].readouts))
        weights = np.maximum(doubt[rest], LEAST_DOUBT)
        K = _near(positions[rest], positions[rest])
        labelled = _near(positions[chosen], positions[rest])
        wanted = min(step, count - len(chosen))
        picked = [row for row, _, _ in _cover(K, labelled, weights, np.arange(len(rest)), wanted)]
        chosen = np.append(chosen, rest[picked])
    return middle[chosen]


def at_random(pool: Contacts, count: int, step: int, rng: np.random.Generator) -> Rows:
    """Any presses."""
    order = rng.permutation(len(pool))
    return order[np.sort(np.unique(pool.presses[order], return_index=True)[1])][:count]


def class_by_class(pool: Contacts, count: int, step: int, rng: np.random.Generator) -> Rows:
    """As many of every class: only possible where the labels are already known."""
    order = at_random(pool, len(pool), step, rng)
    turn = np.array([(pool.labels[order[:i]] == pool.labels[row]).sum() for i, row in enumerate(order)])
    return order[np.argsort(turn, kind="stable")][:count]


def activeml(name: str) -> Callable[[Contacts, int, int, np.random.Generator], Rows]:
    """A strategy of scikit-activeml's: "TypiClust", "ProbCover", "MaxHerding", "DropQuery" or "Badge"."""

    def choose(pool: Contacts, count: int, step: int, rng: np.random.Generator) -> Rows:
        from skactiveml import pool as strategies
        from skactiveml.classifier import SklearnClassifier
        from sklearn.decomposition import PCA
        from sklearn.linear_model import LogisticRegression

        cold = cold_geometry(pool.readouts, pool.presses)
        candidates = middle_frames(cold, pool.presses)
        seed = int(rng.integers(2**31))
        C = len(np.unique(pool.labels))
        settings = {"n_classes": C} if name == "ProbCover" else {}
        query = getattr(strategies, name)(random_state=seed, **settings)
        chosen = np.zeros(0, np.int64)  # of the candidates
        while len(chosen) < count:
            y = np.full(len(candidates), np.nan)
            y[chosen] = pool.labels[candidates[chosen]]
            known = len(set(y[chosen])) > 1
            X = cold[candidates]
            if known:
                X = spectral(adapt(pool, candidates[chosen]).sensor_.readouts, pool[candidates].readouts)
            wanted = min(step, count - len(chosen))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if name in ("DropQuery", "Badge"):
                    if known:
                        X = PCA(min(AXES, *X.shape), random_state=seed).fit_transform(X)
                        classifier = SklearnClassifier(
                            LogisticRegression(C=100, max_iter=500), classes=np.arange(C), random_state=seed
                        )
                        new = query.query(X, y, classifier, batch_size=wanted)
                    else:  # their first round: centres of clusters, as DropQuery's authors do
                        first = strategies.TypiClust(random_state=seed)
                        new = first.query(X, y, batch_size=wanted)
                else:
                    new = query.query(X, y, batch_size=wanted)
            chosen = np.append(chosen, new)
        return candidates[chosen]

    return choose


STRATEGIES = {
    "random": at_random,
    "class by class (needs the labels)": class_by_class,
    "TypiClust": activeml("TypiClust"),
    "ProbCover": activeml("ProbCover"),
    "MaxHerding": activeml("MaxHerding"),
    "DropQuery": activeml("DropQuery"),
    "BADGE": activeml("Badge"),
    "ours": ours,
    "ours, middle frames": ours_by_press,
}
