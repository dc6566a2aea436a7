"""``fit`` / ``predict_proba`` around a plain function: the only class the comparisons need.

A method is a function ``learn(task, *, setting=default, …)`` that returns another one, ``infer(readouts) -> P``, or
scores whose softmax is P (``scored``): where classes are far apart probabilities underflow, and scores still rank them.
What it remembers are the arguments of that second function (a ``functools.partial``), so a fitted method
pickles, and predicting has nothing to change.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bideta.baselines import MethodInfo
from bideta.baselines._inputs import (
    Floats,
    Readouts,
    Source,
    Task,
    check_readouts,
    check_source,
    check_support,
)
from bideta.baselines._prototypes import softmax
from bideta.baselines._settings import check_settings, parameters
from bideta.checks import encode_labels

Infer = Callable[[Readouts], Floats]
Learn = Callable[..., Infer]


@dataclass(frozen=True)
class Noted:
    """An ``infer`` of which a record should say more than the settings."""

    infer: Infer
    notes: Mapping[str, float]

    def __call__(self, readouts: Readouts) -> Floats:
        return self.infer(readouts)


class Adapter:
    """An adaptation method: labelled target contacts in, class distributions of queries out."""

    classes_: NDArray[Any]  # (C,) sorted labels of the support

    def __init__(
        self, info: MethodInfo, learn: Learn, settings: Mapping[str, Any], scored: bool = False
    ) -> None:
        self.info = info
        self.learn = learn
        self.settings = dict(settings)
        self.scored = scored

    def fit(
        self, X: Any, y: Any, *, source: Any = None, calibration: Any = None, source_calibration: Any = None
    ) -> Self:
        """Adapts to the labelled contacts ``X = (earlier, final)``, ``y``.

        ``source`` is a pair (readouts, labels) of the source sensor, with at least the classes of ``y``, or prepared;
        ``calibration`` and ``source_calibration`` are readouts of the two sensors' calibration images, the first one of
        the untouched sensor.
        A method that does not use them only checks them.
        """
        support, classes = check_support(X, y)
        widths = tuple(H.shape[1] for H in support.readouts)
        contacts = None if source is None else check_source(source, classes, widths)
        pictures = {"calibration": calibration, "source_calibration": source_calibration}
        given = {name: check_readouts(X, name, widths) for name, X in pictures.items() if X is not None}
        task = Task(support, len(classes), contacts, **given)
        self._infer = self.learn(task, **self.settings)
        self._widths = widths
        self.classes_ = classes
        return self

    def prepare(self, source: Any, y: Any) -> Source:
        """A source for ``fit``, checked and copied now, for supports with the classes of ``y``.

        What belongs to the source sensor alone (its head, its units) is made with the first fit and kept with it.
        """
        return check_source(source, encode_labels(y, len(y))[0])

    def predict_proba(self, X: Any) -> Floats:
        """(m, C) class distributions, columns as ``classes_``; joint over the batch if transductive."""
        scores = self.scores(X)
        return softmax(scores) if self.scored else scores

    def scores(self, X: Any) -> Floats:
        """(m, C) what the classes are ranked by: larger is better, equal only where the method cannot tell."""
        if not hasattr(self, "_infer"):
            raise ValueError(f"{self.info.name} is not fitted; call fit(X, y) first")
        return self._infer(check_readouts(X, "X", self._widths))

    @property
    def notes(self) -> dict[str, float]:
        """What fitting found and a record should say, such as the steps of a training."""
        infer = getattr(self, "_infer", None)
        return dict(infer.notes) if isinstance(infer, Noted) else {}

    def predict(self, X: Any) -> NDArray[Any]:
        """(m,) most probable label of each query; ties go to the first class."""
        best = np.argmax(self.scores(X), axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        return f"load_method({self.info.name!r}{settings})"


def loader(info: MethodInfo, learn: Learn, *, scored: bool = False) -> Callable[..., Adapter]:
    """The ``load`` of a plugin: settings in, method out. Its signature is that of ``learn`` without the task."""

    def load(**settings: Any) -> Adapter:
        if info.needs_torch and importlib.util.find_spec("torch") is None:
            raise ImportError(
                f"{info.name} trains with torch, which is not installed: pip install 'bideta[torch]'"
            )
        check_settings(info.name, learn, settings)
        return Adapter(info, learn, settings, scored)

    load.__signature__ = inspect.Signature(parameters(learn))  # type: ignore[attr-defined]
    return load
