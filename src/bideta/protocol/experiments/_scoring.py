"""Fit a method to an episode, ask it about the queries, score the answers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bideta.plugins import find, load_method
from bideta.protocol import metrics
from bideta.protocol.episode import Episode
from bideta.protocol.experiment import Cell, Outcome
from bideta.protocol.experiments._methods import method_settings
from bideta.protocol.supply import Supply


@runtime_checkable
class Scorer(Protocol):
    """A method whose scores tell more than its probabilities, some of which underflow."""

    def scores(self, X: Any) -> NDArray[Any]:
        """(m, C) larger is better; columns as ``classes_``."""
        ...


def fit(method: str, settings: Mapping[str, Any], episode: Episode) -> Any:
    """The method, adapted to the support; source and calibration are handed to those that use them."""
    adapted = load_method(method, **settings)
    facts = find("method", method).INFO
    given: dict[str, Any] = {}
    if facts.needs_source:
        given["source"] = episode.prepared_source(adapted)
    if facts.needs_calibration:
        given["calibration"], given["source_calibration"] = episode.read_calibration()
    return adapted.fit(episode.support.readouts, episode.support.labels, **given)


def classify_cell(cell: Cell, supply: Supply) -> Outcome:
    """``classify`` with the settings of the tables."""
    settings = method_settings(cell.method, "classification", cell.seed, supply.quick)
    return classify(cell.method, settings, supply.episode(cell))


def classify(method: str, settings: Mapping[str, Any], episode: Episode) -> Outcome:
    """Accuracy, macro-F1 and confusion matrix on the queries."""
    adapted = fit(method, settings, episode)
    predicted = np.asarray(adapted.predict(episode.query.readouts), np.int64)
    outcome = score(episode.query.labels, predicted, episode.n_classes, settings)
    return replace(outcome, values={**outcome.values, **episode.shares, **notes(adapted)})


def score(
    truth: NDArray[np.int64], predicted: NDArray[np.int64], C: int, settings: Mapping[str, Any]
) -> Outcome:
    """Accuracy, macro-F1 and confusion matrix of answers that were already given."""
    return Outcome(
        values={
            "accuracy": metrics.accuracy(truth, predicted),
            "macro_f1": metrics.macro_f1(truth, predicted, C),
        },
        arrays={"confusion": metrics.confusion(truth, predicted, C).tolist()},
        settings=dict(settings),
        digest=digest(predicted),
    )


def rank(method: str, settings: Mapping[str, Any], episode: Episode) -> Outcome:
    """MRR and R@1 on the queries, by one rule for all: scores are sorted, equal ones keep the order of the classes.

    Scores are a comparison's own, before a softmax could underflow; of BIDETA they are P, as in the paper.
    """
    adapted = fit(method, settings, episode)
    queries, truth = episode.query.readouts, episode.query.labels
    scores = adapted.scores(queries) if isinstance(adapted, Scorer) else adapted.predict_proba(queries)
    order = np.argsort(-scores, axis=1, kind="stable")
    places = metrics.ranks(scores, truth)
    return Outcome(
        values={
            "mrr": metrics.mean_reciprocal_rank(places),
            "r1": metrics.recall_at_one(places),
            **episode.shares,
            **notes(adapted),
        },
        settings=dict(settings),
        digest=digest(order),
    )


def notes(adapted: Any) -> dict[str, float]:
    """What a comparison found out while fitting, for the record: steps of a training, a chosen α."""
    return {name: float(value) for name, value in getattr(adapted, "notes", {}).items()}


def digest(predictions: NDArray[Any]) -> str:
    """sha256 of the predictions, the same on any machine."""
    return hashlib.sha256(np.ascontiguousarray(predictions, "<i8").tobytes()).hexdigest()
