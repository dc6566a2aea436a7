"""Contacts from elsewhere: farther from every labelled contact than labelled ones are from other presses.

Distances to the nearest labelled contact, in units of what is usual in each readout, averaged over the readouts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bideta.method import Floats64, Indices


def strangeness(distances: Sequence[Floats64], usual: Sequence[float]) -> Floats64:
    """(m,) how far contacts are from the nearest labelled one; ``distances`` (m, n) squared, one for each readout."""
    nearest = [np.sqrt(D.min(axis=1) / unit) for D, unit in zip(distances, usual, strict=True)]
    mean: Floats64 = np.mean(nearest, axis=0)
    return mean


def own_strangeness(distances: Sequence[Floats64], usual: Sequence[float], presses: Indices) -> Floats64:
    """(n,) the same for labelled contacts among each other, frames of the own press left out."""
    same = presses[:, None] == presses
    if same.all():
        return np.zeros(0)
    return strangeness([np.where(same, np.inf, D) for D in distances], usual)


def is_foreign(strange: Floats64, own: Floats64, n_presses: int, false_alarms: float) -> NDArray[np.bool_]:
    """(m,) which contacts are stranger than all but a share ``false_alarms`` of the labelled ones.

    With too few presses for that quantile nothing is called foreign that is not twice as far as the farthest.
    """
    if not len(own):
        return np.zeros(len(strange), bool)
    ordered = np.sort(own)
    place = int(np.ceil((1 - false_alarms) * (n_presses + 1)))
    if place > n_presses:
        return strange > 2 * ordered[-1]
    return strange > ordered[-(-place * len(ordered) // n_presses) - 1]
