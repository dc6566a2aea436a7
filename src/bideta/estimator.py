"""Bideta: an adapted sensor as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bideta.checks import DTYPES
from bideta.classifier import Classifier
from bideta.deprecation import renamed


@dataclass(eq=False, repr=False)
class Bideta(ClassifierMixin, BaseEstimator, Classifier):
    """Labels for a batch of contacts of an unseen tactile sensor, from a few labelled ones.

    ``fit`` takes the readouts of a frozen encoder as a tuple ``(h1, h2)`` (any number of them, the paper has two), or
    one array (``split`` cuts its columns; without it there is a single readout). ``predict``, ``predict_proba`` and
    ``rank`` answer for a whole batch at once: the answer for a query depends on the other queries. Results are the
    same for float32 and float64 input up to rounding.

    The defaults are the paper's for classification; see ``presets``. The letters are the paper's. ``shrinkage``,
    ``gamma`` and ``prior`` act in ``fit``, all others whenever the sensor answers.

    Args:
        shrinkage: ρ of the memory's covariance in [0, 1]; "auto" is the Ledoit–Wolf intensity.
        memory_temperature: τ_m > 0.
        alpha: weight of the first of two readouts in the anchor, in [0, 1]; or one weight per readout, summing to one.
            With three and more readouts the number 0.5 says that all weigh the same.
        geometry: "spectral", or "raw" for a graph on features as they come (an ablation).
        gamma: spectral exponent γ in [0, 10]; 0 leaves the standardised geometry alone.
        n_neighbors: k ≥ 1; cut to m − 1 in a smaller batch.
        graph_temperature: τ_g > 0.
        fusion: "geometric", "arithmetic", or a number in (0, 1] between both: the exponent of a power mean of the
            readouts' graphs (ours).
        disagreement_weight: λ in [0, 1].
        gate_exponent: p > 0.
        r_min, r_max: bounds of the recurrence weight, 0 ≤ r_min ≤ r_max < 1.
        n_iter: T ≥ 0; 0 is the anchor, without a graph.
        prior: π, the class frequencies that the batch is held to: "support" (those of the labelled contacts), an
            array in the order of ``classes_``, or None to leave the batch free. An array also replaces the
            memory's class prior. "auto" looks at the batch, estimates its frequencies and uses the support's only
            where they fit (ours, meant for ``support_nodes``; see ``extensions.class_prior``); "mixed" is half way
            between the estimate and the support's; "relaxed" holds a batch to the support's only as far as neighbours
            still agree (ours, in ``presets.TOUCH``). A batch with fewer queries than classes, or a single query, keeps
            its anchor, or goes without the prior step where there are ``support_nodes``.
        support_nodes: whether the labelled contacts are nodes of the graph, clamped to their labels (ours). A query
            then has neighbours even when it comes alone.
        second_pass: whether the answers for a batch teach the memory once more (ours): the queries join the class means
            and the covariance with their joint answers, together counting at most as much as the labels, and the batch
            is answered again over the same graph. Only where the batch is held to the class frequencies of the support.
        label_spread: part of the anchor, 0 to 1, that the labels have when they are spread over the graph (ours, with
            ``support_nodes``; the memory has the rest). A second pass, whose memory has seen the answers, goes without.
        neighbors: "exact", "approximate" (extra ``neighbors``; its recall is measured and reported by ``infer``, and
            where it is below 0.95 the exact search takes over), or "auto": exact up to 200,000 queries.
        n_jobs: workers that share the exact search through Ray (extra ``ray``); None stays in this process.
        split: column, or columns, at which one array is cut into readouts.

    Attributes:
        classes_: (C,) the labels, sorted; the order of the columns of ``predict_proba``.
        sensor_: the adapted sensor itself, frozen: its labelled contacts, readouts, class prior and origin.
        n_features_in_: the sum of the readouts' widths.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> names = np.repeat(["bolt", "coin", "key"], 20)
    >>> h1, h2 = (rng.normal(size=(3, d)).repeat(20, axis=0) + rng.normal(size=(60, d)) / 2 for d in (8, 12))
    >>> support = np.arange(60) % 4 == 0
    >>> adapted = Bideta().fit((h1[support], h2[support]), names[support])
    >>> float((adapted.predict((h1[~support], h2[~support])) == names[~support]).mean())
    1.0
    """

    def _table(self, X: Any, *, reset: bool, name: str) -> NDArray[Any]:
        if hasattr(X, "detach"):
            X = X.detach().cpu().numpy()
        table: NDArray[Any] = validate_data(self, X, reset=reset, dtype=list(DTYPES))
        return table

    def _check_fitted(self) -> None:
        check_is_fitted(self)

    # Names of version 0.1, for one release.
    views = renamed("views", "readouts")
    support_ = renamed("support_", "sensor_.support")
    support_labels_ = renamed("support_labels_", "sensor_.labels")
    support_groups_ = renamed("support_groups_", "sensor_.presses")
    readouts_ = renamed("readouts_", "sensor_.readouts")
    prior_ = renamed("prior_", "sensor_.prior")
    origin_ = renamed("origin_", "sensor_.origin")
