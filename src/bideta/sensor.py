"""Sensor: everything that adapting makes, in one place. It is frozen: a change gives a new one, nothing goes stale.

It needs neither scikit-learn nor a file format: ``Bideta`` is its scikit-learn face, ``sensor_file`` keeps it on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.checks import ESTIMATED, check_alpha, check_prior
from bideta.extensions import algorithm as extended
from bideta.extensions.class_prior import Rule, fit_rule
from bideta.extensions.labelled_nodes import LabelledNodes, labelled_nodes
from bideta.extensions.settings import SensorSettings
from bideta.images.batch_check import UNCHECKED, BatchCheck
from bideta.images.looks import Look
from bideta.images.odd_pictures import check_batch
from bideta.method import Floats, Floats64, Indices, algorithm, readout
from bideta.method.algorithm import Inference
from bideta.method.readout import AdaptedReadout
from bideta.method.settings import Settings
from bideta.neighbors.search import nearest

Adapter = Callable[[Floats, Indices, Floats64, Settings], AdaptedReadout]


@dataclass(frozen=True, eq=False)
class Sensor:
    """An adapted sensor.

    Attributes:
        settings: those of the fit, and those of every answer
        classes: (C,) names, sorted
        support: the labelled contacts, (n, d) for each readout
        labels: (n,) of the labelled contacts, into ``classes``
        presses: (n,) which press each is of
        readouts: what adapting made of each readout
        prior: π that a batch is held to; None: left free, or left to the rule
        rule: chooses π for each batch; None: nothing is estimated
        nodes: the labelled contacts in the graph; None: they are no nodes
        origin: where the readouts came from (encoder, …)
        background: (H, W, 3), the sensor without a contact; None: not known
        look: how its labelled pictures look; None: not known
        earlier: so many of the labelled contacts, the first ones, are of an earlier sensor
    """

    settings: SensorSettings
    classes: NDArray[Any]
    support: tuple[Floats, ...]
    labels: Indices
    presses: Indices
    readouts: tuple[AdaptedReadout, ...]
    prior: Floats64 | None
    rule: Rule | None
    nodes: LabelledNodes | None
    origin: Mapping[str, Any] = field(default_factory=dict)
    background: NDArray[np.uint8] | None = None
    look: Look | None = None
    earlier: int = 0

    @classmethod
    def adapt(
        cls,
        settings: SensorSettings,
        classes: NDArray[Any],
        support: tuple[Floats, ...],
        labels: Indices,
        presses: Indices,
        origin: Mapping[str, Any] | None = None,
        adapters: Sequence[Adapter] | None = None,
        counts: Indices | None = None,
    ) -> Sensor:
        """The sensor that these labelled contacts make (Alg. 1, lines 1–4).

        ``adapters``, one for each readout, take the place of ``readout.adapt`` where statistics are at hand already.
        ``counts``, (C,), say how often each class comes; None: as often as it is labelled.
        """
        # For one and two readouts any number in [0, 1] will do.
        if len(support) > 2 or np.ndim(settings.alpha):
            check_alpha(settings.alpha, len(support))
        counts = np.bincount(labels) if counts is None else counts
        prior = check_prior(settings.prior, counts)
        memory_prior = counts / counts.sum() if prior is None else prior
        adapters = adapters or [readout.adapt] * len(support)
        readouts = tuple(
            adapter(H, labels, memory_prior, settings) for adapter, H in zip(adapters, support, strict=True)
        )
        rule = None
        if isinstance(settings.prior, str) and settings.prior in ESTIMATED:
            rule = fit_rule(readouts, support, labels, presses, settings, settings.prior, counts)
        sensor = cls(settings, classes, support, labels, presses, readouts, prior, rule, None, origin or {})
        return replace(sensor, nodes=sensor.graph_nodes()) if settings.support_nodes else sensor

    def with_support(
        self,
        support: tuple[Floats, ...],
        labels: Indices,
        presses: Indices,
        classes: NDArray[Any] | None = None,
        adapters: Sequence[Adapter] | None = None,
        counts: Indices | None = None,
    ) -> Sensor:
        """The sensor that other labelled contacts make, with the same settings, origin, background and look."""
        names = self.classes if classes is None else classes
        other = Sensor.adapt(self.settings, names, support, labels, presses, self.origin, adapters, counts)
        return replace(other, background=self.background, look=self.look)

    def with_readouts(self, readouts: Sequence[AdaptedReadout]) -> Sensor:
        """The sensor with other memories or geometries, fitted elsewhere to the same labelled contacts.

        The rule of the class prior stays. It was calibrated by leaving out presses of exactly this support, in closed
        form, which readouts from elsewhere do not allow.
        """
        changed = replace(self, readouts=tuple(readouts), nodes=None)
        return replace(changed, nodes=changed.graph_nodes())

    @property
    def class_prior(self) -> Floats64 | Rule | None:
        """Class frequencies of a batch: π that it is held to, None (left free), or the rule that estimates them."""
        return self.prior if self.rule is None else self.rule

    @property
    def widths(self) -> list[int]:
        """Features of each readout."""
        return [H.shape[1] for H in self.support]

    def infer(self, queries: Sequence[Floats], settings: SensorSettings | None = None) -> Inference:
        """Everything the method knows about a batch; ``settings`` replace those that act when a sensor answers."""
        settings = settings or self.settings
        if len(self.readouts) > 2 or np.ndim(settings.alpha):  # it may have changed since the fit
            check_alpha(settings.alpha, len(self.readouts))
        search = partial(nearest, engine=settings.neighbors, n_jobs=settings.n_jobs)
        if self.rule is None and not settings.support_nodes and not settings.second_pass:
            result = algorithm.infer(self.readouts, queries, self.prior, settings, search)
        else:
            nodes = self.graph_nodes(settings)
            support = self.support, self.labels
            result = extended.infer(
                self.readouts, *support, queries, self.class_prior, settings, search, nodes
            )
        return replace(result, classes=self.classes)

    def check(self, sketches: ArrayLike) -> BatchCheck:
        """Whether pictures, by their sketches, come from this sensor."""
        return UNCHECKED if self.look is None else check_batch(self.look, sketches, self.background)

    def graph_nodes(self, settings: SensorSettings | None = None) -> LabelledNodes | None:
        """The labelled contacts as nodes of the graph, where the settings want that; made again where those changed."""
        settings = settings or self.settings
        geometry, k = settings.geometry, settings.n_neighbors
        if not settings.support_nodes:
            return None
        if self.nodes is not None and self.nodes.geometry == geometry and self.nodes.n_neighbors >= k:
            return self.nodes
        return labelled_nodes(self.readouts, self.support, self.labels, geometry, k)
