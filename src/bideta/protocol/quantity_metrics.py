"""Errors of quantities, in their units and beside those of a constant; angles go the short way round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.quantities.targets import Target, wrap
from bideta.quantity_sensor import Quantities

Array = NDArray[np.float64]


def measure(result: Quantities, truth: Array) -> list[dict[str, float]]:
    """For every target: MAE, RMSE, R², normalised error, share of truths that intervals hold, their mean width."""
    held, widths = result.holds(truth), result.upper - result.lower
    return [
        {
            **errors(result.value[:, t], truth[:, t], target),
            "covered": float(held[:, t].mean()),
            "width": float(widths[:, t].mean()),
        }
        for t, target in enumerate(result.targets)
    ]


def errors(value: Array, truth: Array, target: Target) -> dict[str, float]:
    """MAE, RMSE, R², and the MAE divided by that of the best constant's kind, the mean of the truth."""
    off = wrap(value - truth, target)
    around = spread(truth, target)
    mae, constant = float(np.abs(off).mean()), float(np.abs(around).mean())
    squares, total = float(np.mean(off**2)), float(np.mean(around**2))
    return {
        "mae": mae,
        "rmse": float(np.sqrt(squares)),
        "r2": 1 - squares / total if total else float(squares == 0),
        "normalised": mae / constant if constant else float(mae > 0),
    }


def spread(truth: Array, target: Target) -> Array:
    """Truth minus its mean; for an angle, minus the mean direction."""
    if target.period is None:
        return truth - truth.mean()
    turn = 2 * np.pi / target.period
    mean = np.arctan2(np.sin(truth * turn).mean(), np.cos(truth * turn).mean()) / turn
    return wrap(truth - mean, target)
