"""Intervals that hold the truth as often as promised: quantiles of normalised residuals of left-out presses.

A score is |residual| / deviation of a contact that was left out. The quantile q of the scores makes value ± q·deviation
hold a share ``coverage`` of new contacts, if they come as the labelled ones did (split conformal prediction, Vovk et
al., 2005; here with left-out presses). Presses are the pieces of evidence, not frames. Where there are too few of them
for the quantile, Student's t of their root mean square takes its place.
"""

from __future__ import annotations

import numpy as np

from bideta.method import Floats64


def quantile(scores: Floats64, n_presses: int, coverage: float) -> float:
    """How many deviations wide half an interval is; infinite where a single press promises nothing.

    >>> quantile(np.arange(1.0, 20.0), 19, 0.9)
    18.0
    """
    if n_presses < 2:
        return np.inf
    place = int(np.ceil(coverage * (n_presses + 1)))  # from 1
    ordered = np.sort(scores)
    if place <= n_presses:
        return float(ordered[-(-place * len(ordered) // n_presses) - 1])
    from scipy.special import stdtrit  # a twentieth of a second to import: only where presses are few

    student = float(stdtrit(n_presses - 1, (1 + coverage) / 2))
    return max(float(ordered[-1]), student * float(np.sqrt(np.mean(np.square(ordered)))))
