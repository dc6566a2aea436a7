"""Which contacts are frames of one press: nearly alike, they must not vouch for each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.extensions import leave_one_out


def labelled_presses(groups: ArrayLike, y: NDArray[np.intp]) -> NDArray[np.intp]:
    """``press_numbers`` of labelled contacts; an error where they leave nothing to hold out and contacts would."""
    presses = press_numbers(groups, len(y))
    if leave_one_out.alone(y, presses).all() and not leave_one_out.alone(y).all():
        raise ValueError(
            "groups has one press for every class, so nothing can be held out; expected a number for each press, two "
            "or more in some class (frames of one press share it)"
        )
    return presses


def press_numbers(groups: ArrayLike | None, n: int) -> NDArray[np.intp]:
    """(n,) press of every contact, numbered from zero; each is its own where ``groups`` is None."""
    given = np.arange(n) if groups is None else np.asarray(groups)
    if given.shape != (n,):
        raise ValueError(
            f"groups has shape {given.shape}, expected one press number for each of {n} contacts"
        )
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise ValueError("groups contains NaN, expected the number of a press for each contact")
    try:
        return np.unique(given, return_inverse=True)[1]
    except TypeError as error:
        raise ValueError(f"groups holds no numbers or names of presses ({error})") from error
