"""Bideta: an adapted sensor as a scikit-learn classifier."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bideta import sensor_file
from bideta.checks import (
    DTYPES,
    check_number,
    check_readouts,
    check_settings,
    encode_labels,
    split_columns,
)
from bideta.deprecation import renamed
from bideta.extensions.presses import press_numbers
from bideta.extensions.settings import SensorSettings
from bideta.method.algorithm import Inference
from bideta.sensor import Sensor


@dataclass(eq=False, repr=False)
class Bideta(ClassifierMixin, BaseEstimator, SensorSettings):
    """Labels for a batch of contacts of an unseen tactile sensor, from a few labelled ones.

    ``fit`` takes the readouts of a frozen encoder as a tuple ``(h1, h2)`` (any number of them, the paper has two), or
    one array (``split`` cuts its columns; without it there is a single readout). ``predict``, ``predict_proba`` and
    ``rank`` answer for a whole batch at once: the answer for a query depends on the other queries. Results are the
    same for float32 and float64 input up to rounding.

    The defaults are the paper's for classification; see ``presets``. The letters are the paper's. ``shrinkage``,
    ``gamma`` and ``prior`` act in ``fit``, all others whenever the sensor answers:

    shrinkage: ρ of the memory's covariance in [0, 1]; "auto" is the Ledoit–Wolf intensity.
    memory_temperature: τ_m > 0.
    alpha: weight of the first of two readouts in the anchor, in [0, 1]; or one weight per readout, summing to one.
        With three and more readouts the number 0.5 says that all weigh the same.
    geometry: "spectral", or "raw" for a graph on features as they come (an ablation).
    gamma: spectral exponent γ in [0, 10]; 0 leaves the standardised geometry alone.
    n_neighbors: k ≥ 1; cut to m − 1 in a smaller batch.
    graph_temperature: τ_g > 0.
    fusion: "geometric", "arithmetic", or a number in (0, 1] between both: the exponent of a power mean of the readouts'
        graphs (ours).
    disagreement_weight: λ in [0, 1].
    gate_exponent: p > 0.
    r_min, r_max: bounds of the recurrence weight, 0 ≤ r_min ≤ r_max < 1.
    n_iter: T ≥ 0; 0 is the anchor, without a graph.
    prior: π, the class frequencies that the batch is held to: "support" (those of the labelled contacts), an
        array in the order of ``classes_``, or None to leave the batch free. An array also replaces the
        memory's class prior. "auto" looks at the batch, estimates its frequencies and uses the support's only
        where they fit (ours, meant for ``support_nodes``; see ``extensions.class_prior``); "mixed" is half way between
        the estimate and the support's; "relaxed" looks first and holds a batch to the support's only where it seems to
        follow them (ours, in ``presets.TOUCH``). A batch with fewer queries than classes, or a single query, keeps its
        anchor, or goes without the prior step where there are ``support_nodes``.
    support_nodes: whether the labelled contacts are nodes of the graph, clamped to their labels (ours). A query
        then has neighbours even when it comes alone.
    second_pass: whether the answers for a batch teach the memory once more (ours): the queries join the class means and
        the covariance with their joint answers, together counting at most as much as the labels, and the batch is
        answered again over the same graph. Only where the batch is held to the class frequencies of the support.
    neighbors: "exact", "approximate" (extra ``neighbors``; its recall is measured and reported by ``infer``, and
        where it is below 0.95 the exact search takes over), or "auto": exact up to 200,000 queries.
    n_jobs: workers that share the exact search through Ray (extra ``ray``); None stays in this process.
    split: column, or columns, at which one array is cut into readouts.

    ``sensor_`` is the adapted sensor itself, frozen: its labelled contacts, readouts, class prior and origin.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> names = np.repeat(["bolt", "coin", "key"], 20)
    >>> h1, h2 = (rng.normal(size=(3, d)).repeat(20, axis=0) + rng.normal(size=(60, d)) / 2 for d in (8, 12))
    >>> support = np.arange(60) % 4 == 0
    >>> adapted = Bideta().fit((h1[support], h2[support]), names[support])
    >>> float((adapted.predict((h1[~support], h2[~support])) == names[~support]).mean())
    1.0
    """

    def fit(
        self,
        X: Any,
        y: Any,
        presses: ArrayLike | None = None,
        *,
        origin: Mapping[str, Any] | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Adapt to the sensor from its labelled contacts; every class needs at least one.

        ``presses`` numbers the press of each contact. Frames of one press are nearly alike: whatever is measured on
        contacts that the sensor has not seen (calibration, reliability, promised risks) leaves them out together.
        ``origin`` is kept with the sensor and in its file: where the readouts came from. ``groups`` is the name that
        ``presses`` had.
        """
        if groups is not None:
            warnings.warn("the argument groups is now presses", DeprecationWarning, stacklevel=2)
            presses = groups
        check_settings(self)
        readouts = self._readouts(X, reset=True)
        classes, labels = encode_labels(y, len(readouts[0]))
        self.sensor_ = Sensor.adapt(
            SensorSettings(**self.get_params()),  # a copy: the settings of this estimator may change later
            classes,
            tuple(np.array(H, order="C") for H in readouts),  # copies: the caller may change its arrays
            labels,
            np.arange(len(labels)) if presses is None else press_numbers(presses, len(labels)),
            origin,
        )
        self.classes_ = classes
        return self

    def infer(self, X: Any) -> Inference:
        """Everything the method knows about the batch: anchor, views, graph, gate, probabilities."""
        check_is_fitted(self)
        check_settings(self)
        return self.sensor_.infer(self._readouts(X), self)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(m, C) class probabilities, joint over the batch; columns in the order of ``classes_``."""
        return self.infer(X).proba

    def predict(self, X: Any) -> NDArray[Any]:
        """(m,) most probable labels, joint over the batch."""
        best = self.infer(X).proba.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def rank(self, X: Any, top: int | None = None) -> NDArray[Any]:
        """(m, top) labels, most probable first; ties are ordered by the anchor, then by ``classes_``."""
        result = self.infer(X)
        if top is None:
            top = len(self.classes_)
        check_number("top", top, int, low=1, high=len(self.classes_))
        labels: NDArray[Any] = self.classes_[result.ranking()[:, :top]]
        return labels

    def readouts(self, X: Any, name: str = "X") -> tuple[NDArray[Any], ...]:
        """The readouts of a batch as the sensor reads them; an error that says ``name`` where they do not fit."""
        check_is_fitted(self)
        return self._readouts(X, name=name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the adapted sensor to one file (safetensors with a JSON header; no pickle)."""
        sensor_file.save(self.sensor(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The adapted sensor that ``save`` wrote; same answers."""
        return cls.of(sensor_file.load(path))

    @classmethod
    def of(cls, sensor: Sensor) -> Self:
        """The scikit-learn face of an adapted sensor."""
        adapted = cls(**{part.name: getattr(sensor.settings, part.name) for part in fields(SensorSettings)})
        adapted.sensor_, adapted.classes_ = sensor, sensor.classes
        adapted.n_features_in_ = sum(sensor.widths)
        return adapted

    def sensor(self) -> Sensor:
        """The adapted sensor, with the settings of now; those that act in ``fit`` are the ones of the fit."""
        check_is_fitted(self)
        fitted = {name: getattr(self.sensor_.settings, name) for name in ("shrinkage", "gamma", "prior")}
        return replace(self.sensor_, settings=SensorSettings(**{**self.get_params(), **fitted}))

    def _readouts(self, X: Any, *, reset: bool = False, name: str = "X") -> tuple[NDArray[Any], ...]:
        if isinstance(X, tuple):
            readouts = check_readouts(X, name)
            if reset:
                self.n_features_in_ = sum(H.shape[1] for H in readouts)
        else:
            if isinstance(X, list) and len(X) and all(np.ndim(H) == 2 for H in X):
                raise ValueError(
                    f"{name} is a list of two-dimensional arrays; readouts go in a tuple: fit((h1, h2), y)"
                )
            if hasattr(X, "detach"):
                X = X.detach().cpu().numpy()
            X = validate_data(self, X, reset=reset, dtype=list(DTYPES))
            readouts = split_columns(X, self.split)
        if not reset:
            widths, expected = ([H.shape[1] for H in given] for given in (readouts, self.sensor_.support))
            if widths != expected:
                raise ValueError(f"{name} has readouts of {widths} features, Bideta was fitted on {expected}")
        return readouts

    # Names of version 0.1, for one release.
    views = renamed("views", "readouts")
    support_ = renamed("support_", "sensor_.support")
    support_labels_ = renamed("support_labels_", "sensor_.labels")
    support_groups_ = renamed("support_groups_", "sensor_.presses")
    readouts_ = renamed("readouts_", "sensor_.readouts")
    prior_ = renamed("prior_", "sensor_.prior")
    origin_ = renamed("origin_", "sensor_.origin")
