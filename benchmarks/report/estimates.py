"""What follows from measurements: slopes, and the time of batches that were measured in part."""

from __future__ import annotations

from typing import Any

import numpy as np

Answers = dict[str, dict[str, Any]]
SLOPE_FROM = 10_000  # below, fixed costs bend the line


def points(growth: Answers, kind: str, distribution: str) -> list[dict[str, Any]]:
    """Measurements of one curve of the growth section, by size."""
    chosen = [result for name, result in growth.items() if name.startswith(f"{kind} | {distribution} |")]
    return sorted(chosen, key=lambda result: result["m"])


def slope(measured: list[dict[str, Any]], field: str) -> tuple[float, float] | None:
    """(exponent, factor) of field ≈ factor · m^exponent by least squares on logarithms; None from < 2 points."""
    large = [point for point in measured if point["m"] >= SLOPE_FROM] or measured
    if len(large) < 2:
        return None
    exponent, constant = np.polyfit(
        np.log([point["m"] for point in large]), np.log([point[field] for point in large]), 1
    )
    return float(exponent), float(np.exp(constant))


def symmetry_saving(growth: Answers, distribution: str) -> tuple[int, float] | None:
    """(size, wall time in one process over that of row blocks) at the largest size measured both ways."""
    whole = {point["m"]: point["wall"] for point in points(growth, "exact", distribution)}
    parts = {
        point["m"]: point["all_rows_two_readouts_wall"]
        for point in points(growth, "exact, some rows", distribution)
    }
    both = sorted(set(whole) & set(parts))
    return (both[-1], whole[both[-1]] / parts[both[-1]]) if both else None


def extrapolated(growth: Answers, distribution: str) -> list[dict[str, Any]]:
    """Sizes measured on a share of the rows only: time of row blocks, of one process, and by the slope."""
    whole = points(growth, "exact", distribution)
    measured = {point["m"] for point in whole}
    saving, line = symmetry_saving(growth, distribution), slope(whole, "wall")
    listed = []
    for part in points(growth, "exact, some rows", distribution):
        if part["m"] in measured:
            continue
        blocks = part["all_rows_two_readouts_wall"]
        listed.append(
            {
                "m": part["m"],
                "share": part["share"],
                "blocks": blocks,
                "one_process": blocks * saving[1] if saving else None,
                "by_slope": line[1] * part["m"] ** line[0] if line else None,
            }
        )
    return listed
