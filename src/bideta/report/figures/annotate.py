"""Names beside points, moved apart so that none covers another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

SIZE = 7.0  # points
LINE = 1.25  # line height in sizes


def label_right(
    ax: Any, points: Mapping[str, tuple[float, float]], colours: Mapping[str, str], bold: str = ""
) -> None:
    """Write each name in the right margin of the axes, as near to its point's height as others allow."""
    if not points:
        return
    figure = ax.figure
    whole = figure.figure  # that it may be a part of
    height = ax.get_position().height * whole.get_size_inches()[1] * 72  # points
    low, high = ax.get_ylim()
    step = LINE * SIZE / height * (high - low)
    names = sorted(points, key=lambda name: points[name][1])
    wanted = np.array([points[name][1] for name in names])
    places = spread(wanted, step, low, high)
    for name, place in zip(names, places, strict=True):
        x, y = points[name]
        colour = colours.get(name, "0.35")
        ax.annotate(
            name,
            xy=(x, y),
            xytext=(1.03, float((place - low) / (high - low))),
            textcoords="axes fraction",
            fontsize=SIZE,
            color=colour,
            fontweight="bold" if name == bold else "normal",
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.4,
                "alpha": 0.6,
                "shrinkA": 0,
                "shrinkB": 2,
                "relpos": (0, 0.5),
            },
        )


def spread(wanted: NDArray[np.float64], step: float, low: float, high: float) -> NDArray[np.float64]:
    """Ascending places at least ``step`` apart and as near to ``wanted`` (ascending) as that allows.

    Least squares with a minimal gap is isotonic regression of what is left after the gaps. All are moved inside
    [low, high] where they fit.
    """
    gaps = step * np.arange(len(wanted))
    places = isotonic_regression(wanted - gaps) + gaps
    places = np.minimum(places, high - gaps[::-1])
    return np.maximum(places, low + gaps)
