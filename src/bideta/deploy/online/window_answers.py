"""Everything about the contacts of a window under one adapted sensor, kept between answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bideta.deploy.online.window_consensus import consensus
from bideta.deploy.online.window_graphs import WindowGraphs
from bideta.deploy.online.window_products import WindowProducts
from bideta.extensions import batch as joint
from bideta.extensions import second_pass
from bideta.extensions.algorithm import has_graph
from bideta.extensions.batch import Batch, anchored
from bideta.extensions.class_prior import settle
from bideta.extensions.label_spread import spread_labels
from bideta.method import Floats, Floats64, Indices
from bideta.neighbors.with_labelled import known_neighbors
from bideta.sensor import Sensor


class WindowAnswers:
    """Scores and graphs of a window's slots; ``infer`` gives the answers that a batch of them would get.

    What depends on one contact only is computed when it arrives, what depends on pairs is kept by ``WindowGraphs``;
    prior, gate and recurrence are those of the batch. ``known`` holds the class index of every slot whose contact
    has been labelled, −1 for the others: its memory is certain, so that it counts as what it is when the class
    frequencies are estimated and when its neighbours ask.
    """

    def __init__(self, sensor: Sensor, known: Indices) -> None:
        capacity, settings = len(known), sensor.settings
        self.sensor, self.known = sensor, known
        self.m, self.C = 0, len(sensor.classes)
        self.scores = tuple(np.zeros((capacity, self.C)) for _ in sensor.readouts)  # ℓ
        self.anchors = anchored(self.scores, settings)  # rows are slots, like those of the scores
        self.anchor = self.proba = np.zeros((0, self.C))  # P₀ and P, rows are slots
        self.nodes = sensor.graph_nodes()
        if self.nodes is None:
            rows: Sequence[Floats] = [H[:0] for H in sensor.support]
            neighbors = [known_neighbors(Q, 0) for Q in rows]
        else:
            rows, neighbors = self.nodes.rows, list(self.nodes.known)
        self.graphs = WindowGraphs(rows, neighbors, capacity, settings)
        pairs = zip(sensor.readouts, sensor.support, strict=True) if settings.second_pass else ()
        self.products = [WindowProducts(readout, S, capacity) for readout, S in pairs]

    def place(self, slot: int, contact: Sequence[Floats], arrival: int) -> None:
        """Put one contact, a row for each readout, into a slot."""
        rows = self._project(contact, np.array([slot]))
        self.graphs.place(slot, [Q[0] for Q in rows], arrival)
        self.m = max(self.m, slot + 1)

    def fill(self, contacts: Sequence[Floats], arrivals: NDArray[np.int64]) -> None:
        """Put contacts into the first slots, all at once."""
        rows = self._project(contacts, np.arange(len(arrivals)))
        self.graphs.fill(rows, arrivals)
        self.m = len(arrivals)

    def infer(self) -> None:
        """Answer for all contacts of the window jointly, as a batch of them would be answered."""
        sensor, m = self.sensor, self.m
        settings, prior = sensor.settings, sensor.class_prior
        G = labelled = None
        if has_graph(m, self.C, prior, settings, self.nodes):
            labels = sensor.labels if self.nodes is not None else sensor.labels[:0]
            G, labelled = consensus(self.graphs, settings.fusion, labels, self.C)
        told = np.flatnonzero(self.known[:m] >= 0)
        scores = [_certain(ell[:m], told, self.known[told]) for ell in self.scores]
        anchors = None if len(told) else self.anchors.first(m)
        spread = None
        if labelled is not None and settings.label_spread:
            spread = spread_labels(G, labelled, settings.label_spread)
            spread[told] = 0.0  # they are certain already
        answers = settle(Batch(scores, G, labelled, anchors, spread), settings, prior)
        if self.products and second_pass.applies(answers, sensor.labels):
            W, log_prior = second_pass.weights(sensor.labels, answers.proba)
            again = (products.scores(m, W, settings.shrinkage) + log_prior for products in self.products)
            scores = [_certain(ell, told, self.known[told]) for ell in again]
            answers = joint.settle(Batch(scores, G, labelled), settings, answers.prior)
        self.anchor, self.proba = answers.anchors.anchor, answers.proba
        if len(told):  # neighbours may not talk a contact out of its label
            self.proba = self.proba.copy()
            self.proba[told] = self.anchor[told]

    def _project(self, contacts: Sequence[Floats], slots: Indices) -> list[Floats]:
        """Note scores and anchors of contacts; return their directions. Precision is that of the labelled contacts."""
        rows, sensor = [], self.sensor
        for readout, S, ell, given in zip(
            sensor.readouts, sensor.support, self.scores, contacts, strict=True
        ):
            H = np.asarray(given, S.dtype)
            ell[slots] = readout.scores(H)
            rows.append(readout.directions(H, sensor.settings.geometry).rows)
        for products, given in zip(self.products, contacts, strict=bool(self.products)):
            products.put(slots, np.asarray(given))
        self.anchors.put(slots, anchored([ell[slots] for ell in self.scores], sensor.settings))
        return rows


def _certain(ell: Floats64, rows: Indices, classes: Indices) -> Floats64:
    """The scores, with every other class ruled out in these rows."""
    if not len(rows):
        return ell
    ell = ell.copy()
    ell[rows] = -np.inf
    ell[rows, classes] = 0.0
    return ell
