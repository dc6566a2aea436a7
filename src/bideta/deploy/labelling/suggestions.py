"""Which contacts to label next: those that stand for many doubtful ones not yet stood for.

Every contact of the pool weighs what the adapted sensor doubts about it (without one, all weigh the same). A
labelled contact covers those near it; greedily, the next suggestion is the contact that adds most covered weight
(facility location: Nemhauser, Wolsey and Fisher, 1978; at least 1 − 1/e of the best possible choice). Copies of
a chosen contact add nothing, remote single contacts little.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.checks import check_number, check_readouts
from bideta.classifier import Classifier
from bideta.deploy.geometry import spectral
from bideta.deprecation import renamed_argument
from bideta.extensions.presses import press_numbers
from bideta.method import Floats, Floats64, Indices
from bideta.method.algorithm import Inference
from bideta.method.readout import adapt
from bideta.method.settings import Settings

REACH = 0.2  # in cosine: how far a label speaks for others; on the development sensor 0.1 to 0.3 do as well
COLD_GAMMA = 0.25  # of the geometry that presses give where no label exists; 0.5 and 1 were worse
LARGEST = 4096  # contacts that are compared with each other; of a larger pool a random part takes part
LEAST_DOUBT = 1e-3  # so that coverage decides among contacts that are all certain


@dataclass(frozen=True)
class Suggestion:
    """A contact to label, and why.

    Attributes:
        row: in the pool
        covers: contacts of the pool that it stands for better than any labelled or earlier one
        doubt: 0 … 1; 1 where nothing is labelled yet
        gain: covered weight that it adds, as a share of the pool's
    """

    row: int
    covers: int
    doubt: float
    gain: float


@renamed_argument("groups", "presses")
@renamed_argument("pool_views", "pool")
def suggest(
    pool: Any,
    budget: int,
    adapted: Classifier | None = None,
    presses: ArrayLike | None = None,
    seed: int = 0,
) -> Indices:
    """(budget,) rows of the pool, best first; see ``suggestions``.

    Args:
        pool: the readouts of m unlabelled contacts.
        budget: how many to name.
        adapted: the sensor as it is now; None: nothing is labelled yet.
        presses: (m,) the press of each contact of the pool; None: each is one.
        seed: of the draw from a large pool.
    """
    chosen = suggestions(pool, budget, adapted, presses, seed)
    return np.array([suggestion.row for suggestion in chosen], np.intp)


@renamed_argument("groups", "presses")
@renamed_argument("pool_views", "pool")
def suggestions(
    pool: Any,
    budget: int,
    adapted: Classifier | None = None,
    presses: ArrayLike | None = None,
    seed: int = 0,
) -> list[Suggestion]:
    """Contacts of the pool whose labels help most, best first; the same for the same input.

    ``adapted`` is the sensor as it is now: its labelled contacts cover what is near them, and its doubts weigh.
    ``presses`` numbers the press of every contact of the pool: a press is suggested once, and where nothing is
    labelled yet, what varies inside presses is known not to matter. ``seed`` draws the part of a pool of more than
    4,096 contacts that is looked at.

    Args:
        pool: the readouts of m unlabelled contacts.
        budget: how many to name.
        adapted: the sensor as it is now; None: nothing is labelled yet.
        presses: (m,) the press of each contact of the pool; None: each is one.
        seed: of the draw from a large pool.
    """
    contacts = check_readouts(pool, "pool") if adapted is None else adapted.readouts(pool, "pool")
    m = len(contacts[0])
    check_number("budget", budget, int, low=1, high=m)
    press = press_numbers(presses, m)
    rows = np.arange(m)
    if m > max(LARGEST, budget):
        rows = np.sort(np.random.default_rng(seed).choice(m, max(LARGEST, budget), replace=False))
        contacts, press = tuple(H[rows] for H in contacts), press[rows]
    if adapted is None:
        positions, doubt = cold_geometry(contacts, None if presses is None else press), np.ones(len(rows))
        labelled = positions[:0]
    else:
        sensor = adapted.sensor_
        positions, doubt = spectral(sensor.readouts, contacts), doubts(adapted.infer(contacts))
        labelled = spectral(sensor.readouts, sensor.support)
    weights = np.maximum(doubt, LEAST_DOUBT)
    picked = _cover(_near(positions, positions), _near(labelled, positions), weights, press, budget)
    return [Suggestion(int(rows[i]), covers, float(doubt[i]), gain) for i, covers, gain in picked]


def doubts(result: Inference) -> Floats64:
    """(m,) in [0, 1]: one minus the lead of the best class, mean of the anchor and the final distribution.

    The anchor knows what the labels alone leave open, the final distribution what the graph could not settle.
    """
    if result.proba.shape[1] < 2:
        return np.ones(len(result.proba))
    best = [np.partition(P, -2, axis=1)[:, -2:] for P in (result.anchor, result.proba)]
    return np.clip(1 - np.mean([top[:, 1] - top[:, 0] for top in best], axis=0), 0.0, 1.0)


def cold_geometry(contacts: Sequence[Floats], presses: Indices | None) -> Floats:
    """(m, Σd) unit rows before any label: standardised by the pool, spectral where presses are known.

    Presses stand in for classes: a direction that varies within a press is a nuisance whatever was touched.
    """
    numbers = press_numbers(presses, len(contacts[0]))
    prior = np.full(numbers.max() + 1, 1 / (numbers.max() + 1))
    settings = Settings(gamma=COLD_GAMMA)
    return spectral([adapt(H, numbers, prior, settings) for H in contacts], contacts)


def _near(A: Floats, B: Floats) -> NDArray[np.float32]:
    """(a, b) how well a label at A's row speaks for B's row: exp((cosine − 1)/reach), one for a copy."""
    K = A.astype(np.float32) @ B.astype(np.float32).T
    K -= 1
    K /= REACH
    return np.exp(K, out=K)


def _cover(
    K: NDArray[np.float32],
    labelled: NDArray[np.float32],
    weights: Floats64,
    presses: Indices,
    budget: int,
) -> Iterator[tuple[int, int, float]]:
    """Rows in greedy order, with the number of contacts each covers best and the share of weight it adds.

    Gains only shrink while more is covered, so an old gain is an upper bound: a candidate whose gain, computed anew,
    still leads the heap is the best (Minoux's lazy greedy). Frames of a press already chosen wait until every press
    has been.
    """
    w = weights.astype(np.float32)
    covered = labelled.max(axis=0, initial=0.0)
    total = float(w.sum())
    gains = np.array([np.maximum(row - covered, 0) @ w for row in K])
    heap = [(-float(gain), i) for i, gain in enumerate(gains)]
    heapq.heapify(heap)
    used: set[int] = set()
    waiting: list[tuple[float, int]] = []
    for _ in range(budget):
        while True:
            if not heap:  # every press was suggested: begin again with the frames that waited
                heap, waiting, used = waiting, [], set()
                heapq.heapify(heap)
            bound, i = heapq.heappop(heap)
            if int(presses[i]) in used:
                waiting.append((bound, i))
                continue
            gain = float(np.maximum(K[i] - covered, 0) @ w)
            if not heap or (-gain, i) <= heap[0]:
                break
            heapq.heappush(heap, (-gain, i))
        better = K[i] > covered
        np.maximum(covered, K[i], out=covered)
        used.add(int(presses[i]))
        yield i, int(better.sum()), gain / total
