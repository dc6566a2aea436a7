"""What labels say over the graph, at any distance: a part of the anchor where the labelled contacts are nodes.

With one labelled contact per class the memory knows class means of one contact each and no spread: from another day of
the same sensor it is right for two queries of five, while 98 % of the weight of the graph's edges joins contacts of
one class. The recurrence does not mend that, because it comes back to the anchor in every step, and of what a query
hears only some thousandths come from labelled neighbours. So the labels speak over the graph first: a walk that starts
at a query, goes on with probability ``GOES_ON`` and ends at the first labelled contact names its class (label
spreading, Zhou et al. 2003; the harmonic function of Zhu et al. 2003 where it always goes on). Memory and labels share
the anchor; the second pass, whose memory has seen the answers, goes without. Figures: docs/notes/few-labels.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from bideta.method import Floats64

GOES_ON = 0.99  # of a walk, in every step; 0.9 loses 0.7 points, 0.95 a little less
DIRECT = 1024  # queries up to which the walks' ends are solved for: from there on STEPS are cheaper
STEPS = 60  # leave 1e-3 of a probability open
PLAIN_STEPS = 150  # without acceleration; within 0.3 points of walks without an end
SETTLED = 1e-2  # what a last step may move, at most, in the unit of the largest entry
REACHED = 1e-9  # share of the walks that end at a label; less is rounding


def spread_labels(G: Any, labelled: Floats64, share: float) -> Floats64:
    """(m, C) part of each query's anchor that the labels have: rows sum to ``share``, to 0 where no label is reached.

    F = G_qs Y + ``GOES_ON`` · G F, rows normalised. ``G`` (m, m) are the edges among queries, ``labelled`` (m, C) is
    G_qs Y, what labelled neighbours say.
    """
    F = np.maximum(_solved(G, labelled) if len(labelled) <= DIRECT else _followed(G, labelled), 0.0)
    sums = F.sum(axis=1, keepdims=True)
    spread: Floats64 = np.where(sums > REACHED, share * F / np.maximum(sums, REACHED), 0.0)
    return spread


def _solved(G: Any, labelled: Floats64) -> Floats64:
    A = -GOES_ON * G.toarray()
    A[np.diag_indices(len(A))] += 1
    F: Floats64 = scipy.linalg.solve(A, labelled, overwrite_a=True, check_finite=False)
    return F


def _followed(G: Any, labelled: Floats64) -> Floats64:
    """``STEPS`` of the Chebyshev semi-iteration (Golub and Varga 1961): as far as 150 plain steps and further.

    It needs eigenvalues of G that are all but real. Those of graphs of neighbours are (imaginary parts of 0.004, 0.14
    would be too much); where the last step shows that they were not, plain steps do it.
    """
    before, F, weight = np.zeros_like(labelled), labelled, 2.0
    for _ in range(STEPS):
        weight = 1 / (1 - GOES_ON**2 * weight / 4)
        before, F = F, weight * (GOES_ON * (G @ F) + labelled - before) + before
    if np.abs(GOES_ON * (G @ F) + labelled - F).max() <= SETTLED * np.abs(F).max():
        return F
    F = labelled
    for _ in range(PLAIN_STEPS):
        F = GOES_ON * (G @ F) + labelled
    return F
