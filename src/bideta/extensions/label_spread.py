"""What labels say over the graph, at any distance: a part of the anchor where the labelled contacts are nodes.

With one labelled contact per class the memory knows class means of one contact each and no spread: from another day of
the same sensor it is right for two queries of five, while 98 % of the graph's edges join contacts of one class. The
recurrence does not mend that, because it comes back to the anchor in every step, and of what a query hears only some
thousandths come from labelled neighbours. So the labels speak over the graph first: a walk that starts at a query, goes
on with probability ``GOES_ON`` and ends at the first labelled contact names its class (label spreading, Zhou et al.
2003; the harmonic function of Zhu et al. 2003 where it always goes on). Memory and labels share the anchor; the second
pass, whose memory has seen the answers, goes without. Figures: docs/notes/few-labels.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from bideta.method import Floats64

GOES_ON = 0.99  # of a walk, in every step; 0.9 loses 0.7 points, 0.95 a little less
DIRECT = 2048  # queries up to which the walks' ends are solved for; above, STEPS of them are followed
STEPS = 150  # within 0.3 points of walks without an end
REACHED = 1e-9  # share of the walks that end at a label; less is rounding


def spread_labels(G: Any, labelled: Floats64, share: float) -> Floats64:
    """(m, C) part of each query's anchor that the labels have: rows sum to ``share``, to 0 where no label is reached.

    F = G_qs Y + ``GOES_ON`` · G F, rows normalised. ``G`` (m, m) are the edges among queries, ``labelled`` (m, C) is
    G_qs Y, what labelled neighbours say.
    """
    m = len(labelled)
    if m <= DIRECT:
        A = -GOES_ON * G.toarray()
        A[np.diag_indices(m)] += 1
        F = np.maximum(scipy.linalg.solve(A, labelled, overwrite_a=True, check_finite=False), 0.0)
    else:
        F = labelled
        for _ in range(STEPS):
            F = G @ F
            F *= GOES_ON
            F += labelled
    sums = F.sum(axis=1, keepdims=True)
    spread: Floats64 = np.where(sums > REACHED, share * F / np.maximum(sums, REACHED), 0.0)
    return spread
