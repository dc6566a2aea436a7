"""The labelled contacts of a stream, and what changes when a further one is labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.checks import encode_labels
from bideta.deploy.online.support_statistics import SupportStatistics
from bideta.method import Floats, Indices
from bideta.sensor import Sensor


@dataclass(frozen=True)
class LabelledContacts:
    """Labelled contacts with their statistics; a sensor may not have been adapted to them yet."""

    classes: NDArray[Any]
    support: tuple[Floats, ...]  # (n, d) for each readout
    labels: Indices  # (n,) into ``classes``
    presses: Indices  # (n,)
    statistics: tuple[SupportStatistics, ...] | None = None  # for each readout; None: not counted yet
    earlier: int = 0  # so many, the first ones, are of an earlier sensor

    @classmethod
    def of(cls, sensor: Sensor) -> LabelledContacts:
        """Those of an adapted sensor."""
        return cls(sensor.classes, sensor.support, sensor.labels, sensor.presses, earlier=sensor.earlier)

    def adapted(self, sensor: Sensor) -> Sensor:
        """The sensor that these contacts make: one decomposition for each readout, however many labels came."""
        adapters = [statistics.adapt for statistics in self.statistics or ()] or None
        other = sensor.with_support(self.support, self.labels, self.presses, self.classes, adapters)
        return replace(other, earlier=self.earlier)

    def counted(self) -> LabelledContacts:
        """With statistics."""
        if self.statistics is not None:
            return self
        C = len(self.classes)
        return replace(self, statistics=tuple(SupportStatistics(H, self.labels, C) for H in self.support))

    def without(self, rows: Indices) -> tuple[LabelledContacts, Indices]:
        """Without these contacts, and which classes are left."""
        left, labels = np.unique(np.delete(self.labels, rows), return_inverse=True)
        support = tuple(np.delete(H, rows, axis=0) for H in self.support)
        presses = np.delete(self.presses, rows)
        earlier = self.earlier - int((rows < self.earlier).sum())
        return LabelledContacts(self.classes[left], support, labels, presses, earlier=earlier), left

    def enrolled(self, classes: NDArray[Any], c: int) -> LabelledContacts:
        """With a class that has no contact yet, at index c."""
        for statistics in self.statistics or ():
            statistics.enrol(c)
        return replace(self, classes=classes, labels=self.labels + (self.labels >= c))

    def plus(self, contact: Sequence[Floats], c: int) -> LabelledContacts:
        """With a further contact, one row for each readout, of class c; it is a press of its own."""
        for statistics, H in zip(self.statistics or (), contact, strict=True):
            statistics.learn(H[0], c)
        return replace(
            self,
            support=tuple(np.concatenate(pair) for pair in zip(self.support, contact, strict=True)),
            labels=np.append(self.labels, c),
            presses=np.append(self.presses, self.presses.max() + 1),
        )

    def cut(self, c: int, most: int) -> LabelledContacts:
        """Without the oldest contact of class c where it has more than ``most``."""
        members = np.flatnonzero(self.labels == c)
        if len(members) <= most:
            return self
        oldest, others = members[0], members[1:]
        for statistics, H in zip(self.statistics or (), self.support, strict=True):
            statistics.forget(H[oldest], c, H[others])
        return replace(
            self,
            support=tuple(np.delete(H, oldest, axis=0) for H in self.support),
            labels=np.delete(self.labels, oldest),
            presses=np.delete(self.presses, oldest),
            earlier=self.earlier - int(oldest < self.earlier),
        )


def place_label(label: Any, classes: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Index of the label, and the classes with it: as if a fit had seen it too."""
    if isinstance(label, np.generic):
        label = label.item()
    names = classes.tolist()
    for i, name in enumerate(names):
        if type(label) is type(name) and label == name:
            return i, classes
    number = isinstance(label, int | float) and not isinstance(label, bool)
    if (isinstance(label, str) and classes.dtype.kind == "U") or (number and classes.dtype.kind in "iuf"):
        joined: Any = np.append(classes, label)  # keeps the kind of the labels: no list of Python objects
    else:
        joined = [*names, label]
    widened, indices = encode_labels(joined, len(names) + 1)
    if len(widened) == len(names):  # 1 and 1.0 are one label
        return int(indices[-1]), classes
    return int(indices[-1]), widened


def same_rows(tables: Sequence[Floats], contact: Sequence[Floats]) -> Indices:
    """Rows that hold this contact: the same numbers in every readout."""
    same = [(rows == H).all(axis=1) for rows, H in zip(tables, contact, strict=True)]
    return np.flatnonzero(np.all(same, axis=0))
