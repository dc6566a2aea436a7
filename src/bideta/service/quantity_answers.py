"""Quantities of contacts as columns of a table: value, lower, upper for every target, and what is not answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bideta.quantity_sensor import FALSE_ALARMS, Quantities
from bideta.service.table import cell

DONT_KNOW, UNKNOWN = "don't know", "unknown"  # written instead of a value
MANY = 3.0  # times the promised share of false alarms: a batch with more comes from elsewhere


def columns(
    result: Quantities, widest: Mapping[str, float] | None = None, hide_foreign: bool = False
) -> dict[str, list[str]]:
    """Columns ``depth_mm``, ``depth_mm_lower``, ``depth_mm_upper``, … as text.

    A value whose interval is wider than ``widest`` allows is "don't know", one of a foreign contact "unknown".
    Ends of an interval that promises nothing are empty: JSON has no infinity, and spreadsheets take "-inf" for a sum.
    """
    wide = result.too_wide(widest or {})
    table: dict[str, list[str]] = {}
    for t, target in enumerate(result.targets):
        values = [cell(value) for value in result.value[:, t].tolist()]
        values = [
            DONT_KNOW if doubtful else value for value, doubtful in zip(values, wide[:, t], strict=True)
        ]
        if hide_foreign:
            values = [UNKNOWN if far else value for value, far in zip(values, result.foreign, strict=True)]
        table[target.column] = values
        for name, ends in (("lower", result.lower), ("upper", result.upper)):
            table[f"{target.column}_{name}"] = [
                cell(end if np.isfinite(end) else None) for end in ends[:, t].tolist()
            ]
    return table


def withheld(table: Mapping[str, Sequence[str]], targets: Sequence[str]) -> str:
    """How many values a table of ``columns`` says "don't know" or "unknown" for; empty where it says all.

    >>> withheld({"depth_mm": ["1.2", "don't know"], "tilt_deg": ["3", "4"]}, ["depth_mm", "tilt_deg"])
    '; 1 of depth_mm not answered'
    """
    counts = {name: sum(value in (DONT_KNOW, UNKNOWN) for value in table[name]) for name in targets}
    said = ", ".join(f"{count} of {name}" for name, count in counts.items() if count)
    return f"; {said} not answered" if said else ""


def values(result: Quantities, row: int) -> dict[str, dict[str, Any]]:
    """One contact for JSON: column → value, lower, upper, unit; ends of an interval that promises nothing are None."""
    found = {}
    for t, target in enumerate(result.targets):
        numbers = (float(array[row, t]) for array in (result.value, result.lower, result.upper))
        value, lower, upper = (number if np.isfinite(number) else None for number in numbers)
        found[target.column] = {"value": value, "lower": lower, "upper": upper, "unit": target.unit}
    return found


def foreign_warning(result: Quantities, false_alarms: float = FALSE_ALARMS) -> str:
    """A sentence where more contacts look foreign than chance explains, else nothing."""
    share = float(result.foreign.mean())
    if share <= MANY * false_alarms or result.foreign.sum() < 2:
        return ""
    return (
        f"{share:.0%} of the images are farther from every labelled contact than labelled ones are from each other "
        f"({false_alarms:.0%} would be usual): they come from elsewhere, and neither values nor intervals can be "
        "trusted"
    )
