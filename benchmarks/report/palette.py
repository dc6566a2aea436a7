"""Colours of Okabe and Ito, which colour-blind readers can tell apart, and the style of every picture."""

from __future__ import annotations

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, RED, PINK, GREY = "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999"
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "savefig.dpi": 150,
    "figure.constrained_layout.use": True,
}
