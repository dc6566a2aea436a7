"""Tables and pictures. matplotlib (extra ``plots``) is imported when something is drawn, not before."""

from __future__ import annotations

from typing import Any


def pyplot() -> Any:
    """matplotlib without a display, in our look; a clear message where it is missing."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'bideta[plots]'") from error
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update(
        {
            "figure.dpi": 110,
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "image.cmap": "cividis",  # readable without colour vision
        }
    )
    return plt
