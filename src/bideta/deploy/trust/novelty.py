"""Contacts of no enrolled class: how much stranger a contact is than labelled ones were when they were hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.checks import check_number
from bideta.classifier import Classifier
from bideta.deploy.trust.evidence import STRANGENESS, batch_of, strangeness
from bideta.deploy.trust.hidden_support import JOINT, HeldOut, held_for
from bideta.method import Floats64
from bideta.method.algorithm import Inference

RANGE = (10.0, 90.0)  # percentiles whose distance is the unit of a clue
LIMIT = 2.0  # units: no clue decides alone
TIE = 1e-3  # of a unit at most, for what lies beyond: contacts that reach the limit of all clues are not all alike
# What counts in a batch of ``JOINT`` contacts or more: there the distances find fewer strangers than these two without
# them (docs/evidence/trust-rivals.md). A small batch has no crowd, and all clues count.
IN_BATCHES = [STRANGENESS.index(clue) for clue in ("doubt", "crowd")]
NARROWEST = 1e-3  # unit of a clue that does not vary


@dataclass(frozen=True)
class Strange:
    """Which contacts belong to no enrolled class.

    Attributes:
        score: (m,) grows with strangeness
        unknown: (m,) True: of no enrolled class
        threshold: scores above it are unknown; inf where nothing could be hidden to set it
    """

    score: Floats64
    unknown: NDArray[np.bool_]
    threshold: float


def novelty(adapted: Classifier, result: Inference, X: Any, held: HeldOut | None = None) -> Floats64:
    """(m,) sum of clues to strangeness (``evidence.strangeness``), each in units of the hidden support.

    In a batch of 64 contacts or more these are doubt and crowd, in a smaller one all four. A batch helps: contacts
    that resemble each other more than anything labelled are strange together. Where nothing can be hidden (one
    contact per class) the batch itself gives the units, and the score only orders its contacts.

    Args:
        adapted: a fitted ``Bideta``.
        result: ``adapted.infer(X)``.
        X: the readouts of the batch, as ``infer`` got them.
        held: ``hold_out(adapted, X)`` where it is at hand; made here if None.
    """
    held = held_for(adapted, X, held)
    clues = strangeness(adapted.sensor_, result, batch_of(adapted, result, X))
    used = _used(len(clues))
    return _score(clues[:, used], (held.strangeness if len(held) else clues)[:, used])


def find_unknown(
    adapted: Classifier, result: Inference, X: Any, false_alarms: float = 0.05, *, held: HeldOut | None = None
) -> Strange:
    """Contacts stranger than all but a share ``false_alarms`` of the hidden labelled contacts (a conformal quantile).

    The share of known contacts that is called unknown is about ``false_alarms`` where queries come as the labelled
    contacts did. Queries that come in presses resemble each other more than labelled contacts do, which raises it.

    Args:
        adapted: a fitted ``Bideta``.
        result: ``adapted.infer(X)``.
        X: the readouts of the batch, as ``infer`` got them.
        false_alarms: share of known contacts that may be called unknown.
        held: ``hold_out(adapted, X)`` where it is at hand; made here if None.
    """
    check_number("false_alarms", false_alarms, float, above=0, below=1)
    held = held_for(adapted, X, held)
    score = novelty(adapted, result, X, held)
    known = held.strangeness[:, _used(len(score))]
    hidden = np.sort(_score(known, known)) if len(held) else np.zeros(0)
    n = held.n_presses  # frames of one press are strange together: as many pieces of evidence
    place = int(np.ceil((1 - false_alarms) * (n + 1)))  # of the conformal quantile, from 1
    threshold = float(hidden[-(-place * len(hidden) // n) - 1]) if place <= n else np.inf
    return Strange(score, score > threshold, threshold)


def _used(m: int) -> list[int]:
    """Columns of the clues that count in a batch of m."""
    return IN_BATCHES if m >= JOINT else list(range(len(STRANGENESS)))


def _score(clues: Floats64, reference: Floats64) -> Floats64:
    """(m,) sum of the clues in units; where contacts reach the limits, what lies beyond tells which is stranger."""
    units = in_units(clues, reference)
    beyond = _deviations(clues, reference) - units
    total: Floats64 = (units + TIE * beyond / (1 + np.abs(beyond))).sum(axis=1)
    return total


def in_units(clues: Floats64, reference: Floats64) -> Floats64:
    """Clues as deviations from the median of a reference, in units of its spread, at most ``LIMIT`` of them."""
    units: Floats64 = np.clip(_deviations(clues, reference), -LIMIT, LIMIT)
    return units


def _deviations(clues: Floats64, reference: Floats64) -> Floats64:
    low, high = np.percentile(reference, RANGE, axis=0)
    deviations: Floats64 = (clues - np.median(reference, axis=0)) / np.maximum(high - low, NARROWEST)
    return deviations
