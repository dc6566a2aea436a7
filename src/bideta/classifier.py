"""Classifier: an adapted sensor and its settings, with the methods of a classifier; scikit-learn is not needed.

Importing scikit-learn takes longer than answering a hundred pictures. Commands and the server use this class; people
who write Python use ``Bideta``, the same as a scikit-learn estimator.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta import sensor_file
from bideta.checks import (
    check_number,
    check_readouts,
    check_settings,
    encode_labels,
    refuse_images,
    split_columns,
)
from bideta.extensions.presses import press_numbers, press_of
from bideta.extensions.settings import SensorSettings
from bideta.images.background import small
from bideta.images.looks import look_at
from bideta.method.algorithm import Inference
from bideta.sensor import Sensor


@dataclass(eq=False, repr=False)
class Classifier(SensorSettings):
    """Labels for a batch of contacts of an unseen tactile sensor, from a few labelled ones; ``Bideta`` says it all."""

    def fit(
        self,
        X: Any,
        y: Any,
        presses: ArrayLike | None = None,
        *,
        origin: Mapping[str, Any] | None = None,
        background: Any = None,
        sketches: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Adapt to the sensor from its labelled contacts; every class needs at least one.

        ``presses`` numbers the press of each contact. Frames of one press are nearly alike: whatever is measured on
        contacts that the sensor has not seen (calibration, reliability, promised risks) leaves them out together.
        ``origin`` is kept with the sensor and in its file: where the readouts came from. So is ``background``, a
        ``(H, W, 3)`` uint8 picture of the sensor without a contact, shrunk to 320 pixels; answers do not depend on it.
        One class warns, except where there is an origin: the program that gives it talks to its user itself.
        ``groups`` is the name that ``presses`` had.

        Args:
            X: the readouts of n labelled contacts: a tuple of arrays (n, d), or one array.
            y: (n,) labels, any kind.
            presses: (n,) the press that each contact is a frame of; None: each is a press.
            origin: facts to keep with the sensor.
            background: (H, W, 3) uint8 picture of the untouched sensor, or None.
            sketches: of the labelled pictures (``bideta.images.looks.sketches``): the sensor can then tell later
                whether pictures are its own.
        """
        if groups is not None:
            warnings.warn("the argument groups is now presses", DeprecationWarning, stacklevel=2)
            presses = groups
        check_settings(self)
        readouts = self._readouts(X, reset=True)
        classes, labels = encode_labels(y, len(readouts[0]))
        if len(classes) == 1 and origin is None:
            warnings.warn(
                f"all labels are {classes[0]!s}: with one class every query is given it; label contacts of another",
                UserWarning,
                stacklevel=2,
            )
        sensor = Sensor.adapt(
            self._settings(),  # a copy: they may be changed here later
            classes,
            tuple(np.array(H, order="C") for H in readouts),  # copies: the caller may change its arrays
            labels,
            np.arange(len(labels)) if presses is None else press_numbers(presses, len(labels)),
            origin,
        )
        picture = None if background is None else np.array(small(background))
        look = None if sketches is None else look_at(sketches, press_of(labels, sensor.presses)[1], picture)
        self.sensor_ = replace(sensor, background=picture, look=look)
        self.classes_ = classes
        return self

    def infer(self, X: Any, sketches: ArrayLike | None = None) -> Inference:
        """Everything the method knows about the batch: anchor, views, graph, gate, probabilities.

        Args:
            X: the readouts of m contacts: a tuple of arrays (m, d), or one array.
            sketches: of the batch's pictures (``bideta.images.looks.sketches``): the field ``check`` then says whether
                they come from this sensor. Its ``level`` is fine, shifted or foreign, its ``reason`` says why; nothing
                is raised.
        """
        self._check_fitted()
        check_settings(self)
        result = self.sensor_.infer(self._readouts(X), self)
        return result if sketches is None else replace(result, check=self.sensor_.check(sketches))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(m, C) class probabilities, joint over the batch; columns in the order of ``classes_``.

        Args:
            X: the readouts of m contacts: a tuple of arrays (m, d), or one array.
        """
        return self.infer(X).proba

    def predict(self, X: Any) -> NDArray[Any]:
        """(m,) most probable labels, joint over the batch.

        Args:
            X: the readouts of m contacts: a tuple of arrays (m, d), or one array.
        """
        best = self.infer(X).proba.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def rank(self, X: Any, top: int | None = None) -> NDArray[Any]:
        """(m, top) labels, most probable first; ties are ordered by the anchor, then by ``classes_``.

        Args:
            X: the readouts of m contacts: a tuple of arrays (m, d), or one array.
            top: how many labels for each contact; None: all.
        """
        result = self.infer(X)
        if top is None:
            top = len(self.classes_)
        check_number("top", top, int, low=1, high=len(self.classes_))
        labels: NDArray[Any] = self.classes_[result.ranking()[:, :top]]
        return labels

    def readouts(self, X: Any, name: str = "X") -> tuple[NDArray[Any], ...]:
        """The readouts of a batch as the sensor reads them; an error that says ``name`` where they do not fit."""
        self._check_fitted()
        return self._readouts(X, name=name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the adapted sensor to one file (safetensors with a JSON header; no pickle).

        Args:
            path: of the file; by custom it ends with ``.bideta``.
        """
        sensor_file.save(self.sensor(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The adapted sensor that ``save`` wrote; same answers.

        Args:
            path: of the file; by custom it ends with ``.bideta``.
        """
        return cls.of(sensor_file.load(path))

    @classmethod
    def of(cls, sensor: Sensor) -> Self:
        """The face of an adapted sensor: it answers as the sensor does."""
        adapted = cls(**{part.name: getattr(sensor.settings, part.name) for part in fields(SensorSettings)})
        adapted.sensor_, adapted.classes_ = sensor, sensor.classes
        adapted.n_features_in_ = sum(sensor.widths)
        return adapted

    def sensor(self) -> Sensor:
        """The adapted sensor, with the settings of now; those that act in ``fit`` are the ones of the fit."""
        self._check_fitted()
        fitted = {name: getattr(self.sensor_.settings, name) for name in ("shrinkage", "gamma", "prior")}
        return replace(self.sensor_, settings=replace(self._settings(), **fitted))

    def _readouts(self, X: Any, *, reset: bool = False, name: str = "X") -> tuple[NDArray[Any], ...]:
        if isinstance(X, tuple):
            readouts = check_readouts(X, name)
        else:
            if isinstance(X, list) and len(X) and all(np.ndim(H) == 2 for H in X):
                raise ValueError(
                    f"{name} is a list of two-dimensional arrays; readouts go in a tuple: fit((h1, h2), y)"
                )
            refuse_images(X, name)
            readouts = split_columns(self._table(X, reset=reset, name=name), self.split)
        if reset:
            self.n_features_in_ = sum(H.shape[1] for H in readouts)
        else:
            widths, expected = ([H.shape[1] for H in given] for given in (readouts, self.sensor_.support))
            if widths != expected:
                raise ValueError(f"{name} has readouts of {widths} features, Bideta was fitted on {expected}")
        return readouts

    def _table(self, X: Any, *, reset: bool, name: str) -> NDArray[Any]:
        """Readouts side by side in one array, checked; ``reset`` where they are those of a fit."""
        return check_readouts((X,), name)[0]

    def _check_fitted(self) -> None:
        if not hasattr(self, "sensor_"):
            raise ValueError(
                f"this {type(self).__name__} is not adapted yet; call fit with labelled contacts"
            )

    def _settings(self) -> SensorSettings:
        return SensorSettings(**{part.name: getattr(self, part.name) for part in fields(SensorSettings)})
