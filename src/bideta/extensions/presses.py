"""Which contacts are frames of one press: nearly alike, they must not vouch for each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.method import Floats64, Indices

TINY = 1e-12  # least probability that is averaged: one frame alone cannot rule a class out


def press_numbers(presses: ArrayLike | None, n: int) -> Indices:
    """(n,) press of every contact, numbered from zero; each is its own where ``presses`` is None."""
    given = np.arange(n) if presses is None else np.asarray(presses)
    if given.shape != (n,):
        raise ValueError(
            f"presses has shape {given.shape}, expected one press number for each of {n} contacts"
        )
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise ValueError("presses contains NaN, expected the number of a press for each contact")
    try:
        return np.unique(given, return_inverse=True)[1]
    except TypeError as error:
        raise ValueError(f"presses holds no numbers or names of presses ({error})") from error


def pool_presses(P: Floats64, presses: ArrayLike) -> tuple[Indices, Floats64]:
    """One answer per press: (p,) the row of its first frame, in order, and (p, C) the geometric mean of its frames.

    Frames of one press are not independent evidence. A product of their distributions would be far too sure. The
    geometric mean says what a typical frame says, and it ranks classes as the product does.

    Args:
        P: (m, C) class probabilities of frames.
        presses: (m,) the press of each frame: numbers or names.

    >>> rows, P = pool_presses(np.array([[0.6, 0.4], [0.5, 0.5], [0.8, 0.2]]), ["a", "b", "a"])
    >>> rows.tolist(), P.round(2).tolist()
    ([0, 1], [[0.71, 0.29], [0.5, 0.5]])
    """
    number = press_numbers(presses, len(P))
    first = np.unique(number, return_index=True)[1]
    total = np.zeros((len(first), P.shape[1]))
    np.add.at(total, number, np.log(np.maximum(P, TINY)))
    mean = total / np.bincount(number)[:, None]
    pooled = np.exp(mean - mean.max(axis=1, keepdims=True))
    order = np.argsort(first)
    return first[order], (pooled / pooled.sum(axis=1, keepdims=True))[order]


def labelled_presses(presses: ArrayLike, y: Indices) -> Indices:
    """``press_numbers`` of labelled contacts; an error where no press can be hidden, although contacts could."""
    numbers = press_numbers(presses, len(y))
    if alone(y, numbers).all() and not alone(y).all():
        raise ValueError(
            "presses has one press for every class, so nothing can be held out; expected a number for each press, two "
            "or more in some class (frames of one press share it)"
        )
    return numbers


def alone(y: Indices, presses: Indices | None = None) -> NDArray[np.bool_]:
    """(n,) whether a contact's class has no other press."""
    return np.bincount(press_of(y, presses)[0])[y] == 1


def press_of(y: Indices, presses: Indices | None) -> tuple[Indices, Indices]:
    """Class of every (class, press) that occurs, and (n,) which of them each contact is of."""
    pairs, number = np.unique(
        np.stack([y, np.arange(len(y)) if presses is None else presses]), axis=1, return_inverse=True
    )
    return pairs[0], number.ravel()
