"""The joint answer for a batch, from its memory scores and its graph (Alg. 1, lines 7–11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.method import gate, memory, recurrence
from bideta.method.standardize import Floats64


@dataclass(frozen=True)
class Settings:
    """What memory, gate and recurrence are told; the parameters of ``Bideta`` by the same names."""

    memory_temperature: float
    alpha: float
    disagreement_weight: float
    gate_exponent: float
    r_min: float
    r_max: float
    n_iter: int


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

    def put(self, rows: NDArray[np.intp], new: Anchors) -> None:
        """Replace these rows."""
        for P, own in zip(self.views, new.views, strict=True):
            P[rows] = own
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

    @property
    def small(self) -> bool:
        """Whether 𝒩_π would erase evidence: one query, or fewer than there are classes."""
        m, C = self.scores[0].shape
        return m == 1 or m < C


@dataclass(frozen=True)
class Answers:
    """Class distributions of a batch and what they were made of; letters as in ``Inference``."""

    own: Anchors
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
) -> Answers:
    """Answers under one class prior: 𝒩_π holds the batch to ``prior``, unless it is None or the batch too small.

    ``ratio`` is how much more frequent each class is taken to be than in the support: the memory's class prior is
    multiplied by it, and with ``weigh_labelled`` so is what labelled neighbours of that class say.
    """
    if ratio is not None:
        own = anchored([ell + np.log(ratio) for ell in batch.scores], settings)
    else:
        own = batch.anchors or anchored(batch.scores, settings)
    P0 = own.anchor
    if batch.graph is None:
        return Answers(own, np.zeros(len(P0)), P0, None)
    r = gate.recurrence_weight(
        own.ambiguity,
        own.disagreement,
        disagreement_weight=settings.disagreement_weight,
        gate_exponent=settings.gate_exponent,
        r_min=settings.r_min,
        r_max=settings.r_max,
    )
    labelled = batch.labelled
    if labelled is not None and ratio is not None and weigh_labelled:
        labelled = reweighted(labelled, ratio)
    held = None if batch.small else prior
    P = recurrence.recur(P0, batch.graph, r, held, settings.n_iter, labelled)
    return Answers(own, r, P, held)


def anchored(scores: Sequence[Floats64], settings: Settings) -> Anchors:
    """Every query by itself, from its scores of all readouts."""
    views = tuple(memory.posterior(ell, settings.memory_temperature) for ell in scores)
    P0 = memory.fuse(views, settings.alpha)
    return Anchors(views, P0, gate.ambiguity(P0), gate.disagreement(views[0], views[-1]))


def reweighted(labelled: Floats64, ratio: Floats64) -> Floats64:
    """What labelled neighbours say had their classes the other frequencies; every row keeps its sum."""
    weighed = labelled * ratio
    sums = weighed.sum(axis=1, keepdims=True)
    return weighed * np.divide(
        labelled.sum(axis=1, keepdims=True), sums, out=np.zeros_like(sums), where=sums > 0
    )
