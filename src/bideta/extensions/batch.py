"""The joint step under any class prior: Algorithm 1 from the anchor on, for scores and a graph that are there already.

``method.algorithm.infer`` does this once, for the paper's prior. Ours does it several times for one batch (a prior that
looks), with labelled neighbours beside the queries, and for a window that changes by one contact.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bideta.method import Floats64, Indices, gate, memory, recurrence
from bideta.method.settings import Settings


@dataclass(frozen=True)
class Anchors:
    """What the memory makes of each query by itself (Eqs. 3 and 8); a row knows nothing of the other rows."""

    views: tuple[Floats64, ...]
    anchor: Floats64
    ambiguity: Floats64
    disagreement: Floats64

    def first(self, m: int) -> Anchors:
        """Those of the first m queries."""
        return Anchors(
            tuple(P[:m] for P in self.views), self.anchor[:m], self.ambiguity[:m], self.disagreement[:m]
        )

    def put(self, rows: Indices, new: Anchors) -> None:
        """Replace these rows."""
        for P, replaced in zip(self.views, new.views, strict=True):
            P[rows] = replaced
        self.anchor[rows] = new.anchor
        self.ambiguity[rows] = new.ambiguity
        self.disagreement[rows] = new.disagreement


@dataclass(frozen=True)
class Batch:
    """What a batch says before its queries are taken together."""

    scores: Sequence[Floats64]  # ℓ, (m, C) for each readout
    graph: Any = None  # G, (m, m), anything that G @ P works with; None: no joint step
    labelled: Floats64 | None = None  # (m, C) what labelled neighbours say, G_qs Y; None: they are no nodes
    anchors: Anchors | None = None  # of these scores, where they are known already
    spread: Floats64 | None = None  # (m, C) the labels' part of the anchor; rows sum to that part

    @property
    def small(self) -> bool:
        """Whether the batch is too small for 𝒩_π."""
        m, C = self.scores[0].shape
        return not recurrence.is_joint(m, C, prior="any")


@dataclass(frozen=True)
class Answers:
    """Class distributions of a batch and what they were made of; letters as in ``Inference``."""

    anchors: Anchors
    gate: Floats64
    proba: Floats64
    prior: Floats64 | None  # π that the answers were held to, or assume where it was estimated


def settle(
    batch: Batch,
    settings: Settings,
    prior: Floats64 | None,
    *,
    ratio: Floats64 | None = None,
    weigh_labelled: bool = False,
    strength: float = 1.0,
) -> Answers:
    """Answers under one class prior: 𝒩_π holds the batch to ``prior``, unless it is None or the batch too small.

    ``ratio`` is how much more frequent each class is taken to be than in the support: the memory's class prior is
    multiplied by it, and with ``weigh_labelled`` so is what labelled neighbours of that class say. ``strength`` below
    one relaxes 𝒩_π.
    """
    if ratio is not None:
        anchors = anchored([ell + np.log(ratio) for ell in batch.scores], settings)
    else:
        anchors = batch.anchors or anchored(batch.scores, settings)
    if batch.spread is not None:
        anchors = shared(anchors, batch.spread)
    P0 = anchors.anchor
    if batch.graph is None:
        return Answers(anchors, np.zeros(len(P0)), P0, None)
    r = gate.recurrence_weight(anchors.ambiguity, anchors.disagreement, settings)
    labelled = batch.labelled
    if labelled is not None and ratio is not None and weigh_labelled:
        labelled = reweighted(labelled, ratio)
    used = None if batch.small else prior
    P = recurrence.recur(P0, batch.graph, r, used, settings.n_iter, labelled, strength)
    return Answers(anchors, r, P, used)


def anchored(scores: Sequence[Floats64], settings: Settings) -> Anchors:
    """Every query by itself, from its scores of all readouts."""
    views = tuple(memory.posterior(ell, settings.memory_temperature) for ell in scores)
    P0 = memory.fuse(views, settings.alpha)
    return Anchors(views, P0, gate.ambiguity(P0), gate.disagreement(views))


def shared(anchors: Anchors, spread: Floats64) -> Anchors:
    """The anchor as far as ``spread`` leaves it, and ``spread``; the views, and how far they differ, stay."""
    P0 = (1 - spread.sum(axis=1, keepdims=True)) * anchors.anchor + spread
    return dataclasses.replace(anchors, anchor=P0, ambiguity=gate.ambiguity(P0))


def reweighted(labelled: Floats64, ratio: Floats64) -> Floats64:
    """What labelled neighbours say had their classes the other frequencies; every row keeps its sum."""
    weighed = labelled * ratio
    sums = weighed.sum(axis=1, keepdims=True)
    before = labelled.sum(axis=1, keepdims=True)
    return weighed * np.divide(before, sums, out=np.zeros_like(sums), where=sums > 0)
