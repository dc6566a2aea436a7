"""Does a batch hold many contacts of objects that nobody enrolled? Asked of every batch that gets a reliability.

``novelty`` tells which contacts are strange and has to be asked for. This tells that a batch is, from the same clues
and without a further adaptation: labelled contacts that were hidden are the measure. Queries see all labels, hidden
contacts fewer, so a batch of enrolled objects is *less* strange than the hidden contacts are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bideta.classifier import Classifier
from bideta.deploy.trust.evidence import STRANGENESS, batch_of, strangeness
from bideta.deploy.trust.hidden_support import HeldOut, held_for
from bideta.deploy.trust.novelty import in_units
from bideta.images.batch_check import STRANGERS, BatchCheck
from bideta.method import Floats64
from bideta.method.algorithm import Inference

# Weights of the clues; the crowd is none: frames of one press, enrolled or not, resemble each other more than anything
# labelled. Weights and limit were chosen on draws 0 to 3 of benchmarks/trust/strangers.py (docs/evidence/foreign.md).
WEIGHTS = {"doubt": 0.5, "nearest": 0.25, "distance": 0.25}
MARGIN = 0.25
FEWER = 1.1  # over the presses of a class: a hidden contact misses one of them, a query none
BY_CHANCE = 2 / 3, 1.1  # over the root of how many presses were hidden, and of how many contacts are asked
FEWEST = 10  # hidden presses: as many as a reliability needs
MOST = 2048  # contacts of a batch that are looked at; more would cost time and change nothing
FAR = "farther from all classes than labelled contacts are: objects that were never enrolled, or another day or gel"


def check_strangers(
    adapted: Classifier, result: Inference, X: Any, held: HeldOut | None = None
) -> BatchCheck:
    """Shifted, of kind "strangers", where many contacts of a batch seem to be of no enrolled class; else fine.

    Doubt and the distances to the nearest labelled contact and to the nearest class (``evidence.strangeness``), on
    average over the batch and in units of the hidden labelled contacts, are compared with those of the hidden ones. How
    much more is allowed depends on how many presses could be hidden, in all and of a class, and on the size of the
    batch: a single contact must be very strange. Unknown where fewer than ten presses could be hidden.

    Args:
        adapted: a fitted ``Bideta``.
        result: ``adapted.infer(X)``.
        X: the readouts of the batch, as ``infer`` got them.
        held: ``hold_out(adapted, X)`` where it is at hand; made here if None.
    """
    batch = batch_of(adapted, result, X)
    held = held_for(adapted, X, held)
    if held.n_presses < FEWEST or not len(batch[0]):
        return BatchCheck("unknown", "too few labelled presses to tell objects that were never enrolled")
    m = len(batch[0])
    if m > MOST:
        some = np.sort(np.random.default_rng(0).permutation(m)[:MOST])
        batch, result = tuple(H[some] for H in batch), replace(result, proba=result.proba[some])
    asked = strangeness(adapted.sensor_, result, batch)
    far, limit = excess(asked, held.strangeness), limit_for(len(asked), held)
    if far > limit:
        these = "this contact is" if m == 1 else "many of these contacts are"
        return BatchCheck("shifted", f"{these} {FAR}", STRANGERS, far, limit)
    return BatchCheck("fine", distance=far, limit=limit)


def excess(asked: Floats64, hidden: Floats64) -> float:
    """How much stranger contacts are than hidden ones, on average, from the clues (m, 4) and (h, 4) of both."""
    columns, weights = [STRANGENESS.index(clue) for clue in WEIGHTS], np.array([*WEIGHTS.values()])
    usual = hidden[:, columns]
    these, those = (in_units(clues, usual).mean(axis=0) for clues in (asked[:, columns], usual))
    return float((these - those) @ weights)


def limit_for(m: int, held: HeldOut) -> float:
    """The excess that a batch of m contacts of enrolled classes seldom has; what is below zero is not strange."""
    n = held.n_presses
    of_class = n / len(np.unique(held.labels))
    hidden, asked = BY_CHANCE
    return float(max(0.0, MARGIN - FEWER / of_class + hidden / np.sqrt(n) + asked / np.sqrt(m)))
