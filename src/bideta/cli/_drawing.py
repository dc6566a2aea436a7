"""Pictures that commands draw. matplotlib (extra ``plots``) is imported when one is asked for."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from bideta.cli._table import check_place
from bideta.images.files import write_atomic
from bideta.images.png import write_png
from bideta.images.reading import shown
from bideta.quantity_sensor import Quantities

LABELLED = 40  # classes: more names than this cannot be read
DPI = 150
TILE = 160  # px
CAPTION = 18  # px
ROUNDING = 1e-8  # of the largest eigenvalue: smaller ones are rounding in single precision


def has_matplotlib() -> bool:
    """Whether the extra is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def check_drawing(path: Path) -> None:
    """Refuse early a place that cannot be written, an ending of no picture, and where the extra is missing."""
    check_place(path)
    if not has_matplotlib():
        raise ModuleNotFoundError("pictures need matplotlib, which is missing: pip install 'bideta[plots]'")
    from matplotlib.backend_bases import FigureCanvasBase

    _kind(path, FigureCanvasBase.get_supported_filetypes())


def _kind(path: Path, known: Collection[str]) -> str:
    """The format that the ending names; PNG without one."""
    kind = path.suffix.lstrip(".").lower() or "png"
    if kind not in known:
        raise ValueError(f"cannot draw {shown(path.name)}: expected a suffix such as .png, .pdf or .svg")
    return kind


def draw_confusion(counts: NDArray[np.int64], classes: Sequence[str], path: Path) -> None:
    """Row-normalised confusion matrix; rows are true classes."""
    C = len(classes)
    rows = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    figure, axes = _figure(max(4.0, min(12.0, 0.35 * C + 2)), max(3.5, min(11.0, 0.35 * C + 1.5)))
    image = axes.imshow(rows, vmin=0, vmax=1, cmap="Blues")
    if C <= LABELLED:
        axes.set_xticks(range(C), classes, rotation=90, fontsize=7)
        axes.set_yticks(range(C), classes, fontsize=7)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    figure.colorbar(image, ax=axes, label="share of the true class", fraction=0.046)
    _save(figure, path)


def draw_quantities(result: Quantities, truth: NDArray[np.float64], path: Path) -> None:
    """Predicted against true, one panel for each quantity; bars are the intervals."""
    from matplotlib.figure import Figure

    T = len(result.targets)
    across = min(T, 3)
    figure = Figure(figsize=(3.6 * across, 3.4 * -(-T // across)), layout="constrained")
    panels = np.atleast_1d(figure.subplots(-(-T // across), across)).ravel()
    for t, target in enumerate(result.targets):
        axes, y = panels[t], truth[:, t]
        value = y + result.errors(truth)[:, t]  # of angles, the turn that is nearest to the truth
        half = (result.upper - result.lower)[:, t] / 2
        bars = np.where(np.isfinite(half), half, 0.0)
        axes.errorbar(y, value, bars, fmt="none", ecolor="#9ecae1", elinewidth=0.7, alpha=0.6)
        axes.plot(y, value, ".", markersize=4, color="#08519c")
        ends = [y.min(), y.max()]
        axes.plot(ends, ends, color="black", linewidth=0.8)
        unit = f" ({target.unit})" if target.unit else ""
        axes.set_xlabel(f"true {target.name}{unit}")
        axes.set_ylabel(f"predicted {target.name}{unit}")
    for axes in panels[T:]:
        axes.set_axis_off()
    _save(figure, path)


def draw_spectrum(spectra: Sequence[NDArray[Any]], path: Path) -> None:
    """Eigenvalues of each readout's within-class covariance, largest first."""
    figure, axes = _figure(5.0, 3.5)
    for v, values in enumerate(spectra, 1):
        positive = np.sort(values[values > ROUNDING * values.max(initial=0)])[::-1]
        axes.plot(np.arange(1, len(positive) + 1), positive, label=f"readout {v}")
    axes.set_yscale("log")
    axes.set_xlabel("direction")
    axes.set_ylabel("within-class variance")
    axes.legend()
    _save(figure, path)


def draw_tiles(tiles: Mapping[str, NDArray[np.uint8]], path: Path) -> None:
    """Pictures side by side with a caption under each; needs no matplotlib."""
    sheet = Image.new("RGB", (TILE * len(tiles), TILE + CAPTION), "white")
    draw = ImageDraw.Draw(sheet)
    for i, (caption, picture) in enumerate(tiles.items()):
        tile = Image.fromarray(picture)
        tile.thumbnail((TILE - 4, TILE - 4))
        if max(tile.size) < TILE - 4:  # thumbnail never enlarges
            factor = (TILE - 4) / max(tile.size)
            tile = tile.resize((round(tile.width * factor), round(tile.height * factor)))
        sheet.paste(tile, (i * TILE + (TILE - tile.width) // 2, 2))
        draw.text((i * TILE + 4, TILE), caption, fill="black")
    write_png(path, sheet)


def _figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure  # no pyplot: nothing global, no window system

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _save(figure: Any, path: Path) -> None:
    """Write in the format of the suffix (PNG without one), whole or not at all."""
    kind = _kind(path, figure.canvas.get_supported_filetypes())
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=DPI)
    write_atomic(path, content.getvalue())
