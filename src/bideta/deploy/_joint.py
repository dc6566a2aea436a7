"""Everything about the contacts of a window under one adapted sensor, kept between answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bideta.deploy._fusion import consensus
from bideta.deploy._incremental import WindowGraphs
from bideta.estimator import Bideta
from bideta.extensions import batch as joint
from bideta.extensions import class_prior as priors
from bideta.method import graph
from bideta.method.standardize import Floats, Floats64


class JointState:
    """Scores and graphs of a window's slots; ``infer`` gives the answers that a batch of them would get.

    What depends on one contact only is computed when it arrives, what depends on pairs is kept by ``WindowGraphs``;
    prior, gate and recurrence are those of the batch. ``known`` holds the class index of every slot whose contact
    has been labelled, −1 for the others: its memory is certain, so that it counts as what it is when the class
    frequencies are estimated and when its neighbours ask.
    """

    def __init__(self, adapted: Bideta, known: NDArray[np.intp]) -> None:
        capacity = len(known)
        self.adapted, self.known = adapted, known
        self.m, self.C = 0, len(adapted.classes_)
        self.prior = adapted.class_prior()
        self.settings = joint.Settings(
            adapted.memory_temperature,
            adapted.alpha,
            adapted.disagreement_weight,
            adapted.gate_exponent,
            adapted.r_min,
            adapted.r_max,
            adapted.n_iter,
        )
        self.scores = tuple(np.zeros((capacity, self.C)) for _ in adapted.readouts_)  # ℓ
        self.anchors = joint.anchored(self.scores, self.settings)  # rows are slots, like those of the scores
        self.anchor = self.proba = np.zeros((0, self.C))  # P₀ and P, rows are slots
        nodes = adapted.nodes_ if adapted.support_nodes else None
        self.labels = (
            np.empty(0, np.intp) if nodes is None else adapted.support_labels_
        )  # of the clamped nodes
        rows = [H[:0] for H in adapted.support_] if nodes is None else nodes.rows
        self.graphs = WindowGraphs(
            rows, capacity, n_neighbors=adapted.n_neighbors, temperature=adapted.graph_temperature
        )

    def place(self, slot: int, views: Sequence[Floats], arrival: int) -> None:
        """Put one contact, a row for each readout, into a slot."""
        rows = self._project(views, np.array([slot]))
        self.graphs.place(slot, [Q[0] for Q in rows], arrival)
        self.m = max(self.m, slot + 1)

    def fill(self, views: Sequence[Floats], arrivals: NDArray[np.int64]) -> None:
        """Put contacts into the first slots, all at once."""
        rows = self._project(views, np.arange(len(arrivals)))
        self.graphs.fill(rows, arrivals)
        self.m = len(arrivals)

    def infer(self) -> None:
        """Answer for all contacts of the window jointly, as ``method.algorithm.infer`` does for a batch."""
        sensor, m = self.adapted, self.m
        small = m == 1 or (isinstance(self.prior, np.ndarray) and m < self.C)
        G = labelled = None
        if sensor.n_iter > 0 and (sensor.support_nodes or not small):
            G, labelled = consensus(self.graphs, sensor.fusion, self.labels, self.C)
        told = np.flatnonzero(self.known[:m] >= 0)
        scores = [_certain(ell[:m], told, self.known[told]) for ell in self.scores]
        anchors = None if len(told) else self.anchors.first(m)
        answers = priors.settle(joint.Batch(scores, G, labelled, anchors), self.settings, self.prior)
        self.anchor, self.proba = answers.own.anchor, answers.proba
        if len(told):  # neighbours may not talk a contact out of its label
            self.proba = self.proba.copy()
            self.proba[told] = self.anchor[told]

    def _project(self, views: Sequence[Floats], slots: NDArray[np.intp]) -> list[Floats]:
        """Note scores and anchors of contacts; return their unit rows. Precision is that of the labelled contacts."""
        rows, sensor = [], self.adapted
        for readout, S, ell, view in zip(sensor.readouts_, sensor.support_, self.scores, views, strict=True):
            H = np.asarray(view, S.dtype)
            projection = readout.projection(H.dtype)
            D = projection.centered(H)
            ell[slots] = projection.scores(D, H)
            raw = sensor.geometry == "raw"
            rows.append(graph.unit_rows(H.copy()) if raw else projection.unit_rows(D, H))
        self.anchors.put(slots, joint.anchored([ell[slots] for ell in self.scores], self.settings))
        return rows


def _certain(ell: Floats64, rows: NDArray[np.intp], classes: NDArray[np.intp]) -> Floats64:
    """The scores, with every other class ruled out in these rows."""
    if not len(rows):
        return ell
    ell = ell.copy()
    ell[rows] = -np.inf
    ell[rows, classes] = 0.0
    return ell
