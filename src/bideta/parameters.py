"""Checks of settings: the message names the argument, what came, what was expected, and the next step."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_number(
    name: str,
    value: Any,
    kind: type,
    *,
    low: float = -math.inf,
    above: float = -math.inf,
    high: float = math.inf,
    below: float = math.inf,
    alternative: str = "",
    hint: str = "",
) -> None:
    """Raise unless ``value`` is a finite number of this kind with low ≤ value ≤ high, above < value < below."""
    accepted = numbers.Integral if kind is int else numbers.Real
    fits = not isinstance(value, bool) and isinstance(value, accepted) and math.isfinite(value)
    if fits and low <= value <= high and above < value < below:
        return
    bounds = [
        text
        for bound, text in (
            (low, f">= {low}"),
            (above, f"> {above}"),
            (high, f"<= {high}"),
            (below, f"< {below}"),
        )
        if math.isfinite(bound)
    ]
    expected = ("an integer " if kind is int else "a number ") + " and ".join(bounds)
    raise ValueError(
        f"{name}={value!r}: expected {expected.strip()}"
        + (f", or {alternative}" if alternative else "")
        + (f"; {hint}" if hint else "")
    )


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise unless ``value`` is one of the choices."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(map(repr, choices))}")


ESTIMATED = ("auto", "mixed")  # settings of ``prior`` that look at the batch
PRIORS = '"support", "auto", "mixed", None or one number per class'


def check_prior(prior: Any, counts: NDArray[np.intp]) -> NDArray[np.float64] | None:
    """Class frequencies π for these support counts; None where the batch is left free or looked at first."""
    if prior is None:
        return None
    if isinstance(prior, str):
        if prior in ESTIMATED:
            return None
        if prior != "support":
            raise ValueError(f"prior={prior!r}: expected {PRIORS}")
        frequencies: NDArray[np.float64] = counts / counts.sum()
        return frequencies
    try:
        frequencies = np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"prior={prior!r}: expected {PRIORS}") from error
    if frequencies.shape != counts.shape:
        raise ValueError(
            f"prior has shape {frequencies.shape}: expected one number for each of {len(counts)} classes"
        )
    if not (
        np.isfinite(frequencies).all() and (frequencies >= 0).all() and abs(frequencies.sum() - 1) < 1e-6
    ):
        raise ValueError(f"prior={prior!r}: expected numbers >= 0 that sum to one")
    return frequencies / frequencies.sum()
