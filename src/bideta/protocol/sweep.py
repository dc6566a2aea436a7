"""One parameter at a time: the rows of the paper's sensitivity tables as settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RANGE = "r_min:r_max"  # two parameters that the paper varies together
WHOLE = ("n_neighbors", "n_iter")  # parameters that are counts

# Table → parameter and its values, written as in the paper's rows.
Grid = Mapping[str, tuple[str, tuple[str, ...]]]


def variants(grid: Grid) -> list[str]:
    """ "n_neighbors=10", … of every table, in its order."""
    return [f"{parameter}={value}" for parameter, values in grid.values() for value in values]


def overrides(variant: str) -> dict[str, Any]:
    """What a variant changes.

    >>> overrides("n_neighbors=40"), overrides("r_min:r_max=0.20:0.40")
    ({'n_neighbors': 40}, {'r_min': 0.2, 'r_max': 0.4})
    """
    parameter, _, value = variant.partition("=")
    if parameter == RANGE:
        low, _, high = value.partition(":")
        return {"r_min": float(low), "r_max": float(high)}
    return {parameter: int(value) if parameter in WHOLE else float(value)}
