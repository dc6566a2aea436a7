"""Fit a method to an episode, ask it about the queries, score the answers."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import presets
from bideta.plugins import find, load_method
from bideta.protocol import metrics
from bideta.protocol.experiments import Outcome
from bideta.protocol.supply import EpisodeData

# Rows of the paper's tables. SITR-Calib is for datasets with calibration images, SITR-Support for TacQuad.
CLASSIFIERS = (
    "frozen",
    "tip-adapter",
    "simpleshot",
    "laplacianshot",
    "sitr-calib",
    "anytouch-match",
    "ctsrl-csm",
    "bideta",
)
RANKERS = tuple("sitr-support" if name == "sitr-calib" else name for name in CLASSIFIERS)
# Rivals the paper does not have. The last five use the same shrinkage LDA, or its subspace, as the method does.
RIVALS = ("logistic", "lda", "em-lda", "paddle", "alpha-tim", "transclip", "label-spreading")
UNLABELLED_METHODS = ("frozen",)  # the support only names the classes: one cell, budget "0%"
QUICK_RIVALS = ("lda", "em-lda")
QUICK_EPOCHS = 30  # of the trained heads, instead of 300: they would be most of a quick run


def rivals(quick: bool) -> tuple[str, ...]:
    """Methods beyond the paper's rows."""
    return QUICK_RIVALS if quick else RIVALS


def method_settings(method: str, task: str, seed: int, quick: bool = False) -> dict[str, Any]:
    """Settings of a method in the tables: the paper's for BIDETA, the cell's seed for what draws at random."""
    if method == "bideta":
        return dict(presets.RANKING if task == "ranking" else presets.CLASSIFICATION)
    module = find("method", method)
    known = inspect.signature(getattr(module, "learn", module.load)).parameters
    settings: dict[str, Any] = {"seed": seed} if "seed" in known else {}
    if quick and "epochs" in known:
        settings["epochs"] = QUICK_EPOCHS
    return settings


def fit(method: str, settings: Mapping[str, Any], data: EpisodeData) -> Any:
    """The method, adapted to the support; source and calibration are handed to those that use them."""
    adapted = load_method(method, **settings)
    facts = find("method", method).INFO
    given: dict[str, Any] = {}
    if facts.needs_source:
        given["source"] = (data.source.views, data.source.labels)
    if facts.needs_calibration:
        given |= {"calibration": data.calibration, "source_calibration": data.source_calibration}
    return adapted.fit(data.support.views, data.support.labels, **given)


def classify(method: str, settings: Mapping[str, Any], data: EpisodeData) -> Outcome:
    """Accuracy, macro-F1 and confusion matrix on the queries."""
    predicted = np.asarray(fit(method, settings, data).predict(data.query.views), np.int64)
    return classified(data.query.labels, predicted, data.n_classes, settings)


def classified(
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


def rank(method: str, settings: Mapping[str, Any], data: EpisodeData) -> Outcome:
    """MRR and R@1 on the queries; equal scores are ordered by the method where it knows how, else by class."""
    adapted = fit(method, settings, data)
    truth = data.query.labels
    if hasattr(adapted, "rank"):
        order = np.asarray(adapted.rank(data.query.views), np.int64)  # (m, C)
        places = 1 + (order == truth[:, None]).argmax(axis=1)
    else:
        scores = adapted.predict_proba(data.query.views)
        order = np.argsort(-scores, axis=1, kind="stable")
        places = metrics.ranks(scores, truth)
    return Outcome(
        values={"mrr": metrics.mean_reciprocal_rank(places), "r1": metrics.recall_at_one(places)},
        settings=dict(settings),
        digest=digest(order),
    )


def digest(predictions: NDArray[Any]) -> str:
    """sha256 of the predictions, the same on any machine."""
    return hashlib.sha256(np.ascontiguousarray(predictions, "<i8").tobytes()).hexdigest()
