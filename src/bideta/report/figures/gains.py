"""BIDETA minus the strongest comparison, sensor by sensor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.protocol.records import Record
from bideta.report import pyplot, wording
from bideta.report.figures import WIDTH, Figure, save
from bideta.report.grids import Grid, each_encoder, grids

OURS = "bideta"


def draw(records: Sequence[Record], folder: Path) -> list[Figure]:
    """Gains over the paper's comparisons, and over every method that was run where there are more."""
    of_datasets = [grid for grid in grids(records) if (OURS, "") in grid.methods]
    paper = {(name, "") for name in wording.METHODS if name != OURS}
    everybody = {pair for grid in of_datasets for pair in grid.methods if pair[0] != OURS}
    chosen = [("gains.png", paper, "over the strongest of the paper's comparisons")]
    if everybody.difference(paper):
        what = "over the strongest of all methods that were run, also those the paper does not have"
        chosen.append(("gains-all.png", everybody, what))
    drawn = (_heat_map(of_datasets, rivals, folder / name, what) for name, rivals, what in chosen)
    return [figure for figure in drawn if figure is not None]


def gains(grid: Grid, encoder: str, rivals: set[tuple[str, str]]) -> NDArray[np.float64]:
    """(sensors, budgets) points of accuracy; NaN while BIDETA or a comparison that was begun lacks seeds."""
    begun = {(r.cell.method, r.cell.variant) for r in grid.records if r.cell.encoder == encoder}
    against = [pair for pair in grid.methods if pair in rivals & begun]
    out = np.full((len(grid.sensors), len(grid.budgets)), np.nan)
    for i, sensor in enumerate(grid.sensors):
        for j, budget in enumerate(grid.budgets):
            ours = grid.entry("accuracy", encoder, OURS, "", budget, sensors=[sensor])
            others = [grid.entry("accuracy", encoder, *pair, budget, sensors=[sensor]) for pair in against]
            waiting = any(entry.state in ("incomplete", "missing") for entry in (ours, *others))
            known = [entry.mean for entry in others if entry.mean is not None]
            if ours.mean is not None and known and not waiting:
                out[i, j] = ours.mean - max(known)
    return out


def _heat_map(
    of_datasets: Sequence[Grid], rivals: set[tuple[str, str]], path: Path, what: str
) -> Figure | None:
    """None while no sensor is complete."""
    panels = [place for place in each_encoder(of_datasets) if np.isfinite(gains(*place, rivals)).any()]
    if not panels:
        return None
    values = [gains(grid, encoder, rivals) for grid, encoder in panels]
    top = max(np.nanmax(np.abs(v)) for v in values)
    height = 1.1 + 0.36 * max(len(grid.sensors) for grid, _ in panels)
    widths = [len(grid.budgets) for grid, _ in panels]
    figure, axes = pyplot().subplots(
        1, len(panels), figsize=(WIDTH, height), layout="constrained", squeeze=False, width_ratios=widths
    )
    for ax, (grid, encoder), gain in zip(axes[0], panels, values, strict=True):
        image = ax.imshow(gain, cmap="PuOr_r", vmin=-top, vmax=top, aspect="auto")
        ax.set_xticks(range(len(grid.budgets)), grid.budgets)
        first = next(e for g, e in panels if g is grid) == encoder  # one column of names a dataset
        names = [wording.sensor_label(name) for name in grid.sensors] if first else []
        ax.set_yticks(range(len(names)), names)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_title(f"{grid.title}, {grid.encoders[encoder]}", fontsize=9)
        for (i, j), value in np.ndenumerate(gain):
            text = f"{value:+.1f}" if np.isfinite(value) else "…"
            colour = "white" if abs(value) > 0.6 * top else "black"
            ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=8)
    figure.supxlabel("labelled contacts", fontsize=9)
    figure.colorbar(image, ax=axes, label="points of accuracy", shrink=0.85)
    caption = (
        f"BIDETA's gain {what}, for each sensor and label budget: points of accuracy, mean over seeds. Negative: a "
        "comparison is better."
    )
    return save(figure, path, caption, gradients=True)
